// `arc trace verify` and `arc trace export`: the record chain, checked here or taken elsewhere.

import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { parseFileTarget } from '../../daemon/anchor-sender.ts'
import { arcHome } from '../../platform/home.ts'
import {
  type AnchorCheck,
  type AnchorSource,
  anchorsIn,
  checkAnchors,
  journalAnchors,
} from '../../storage/anchor-check.ts'
import { openDryRun } from '../../supervisor/dry-run.ts'
import type { Verification } from '../../trace/chain.ts'
import colors from '../colors.ts'
import { openTrace } from '../home-stores.ts'
import { report, tell } from '../output.ts'

export interface VerifyOptions {
  readonly json?: boolean
  /** A file with anchors: a copy that was kept elsewhere, or an extract of a system log. */
  readonly anchors?: string
}

/** Checks the chain and the anchors; exit code 1 when a record is bad or the database is not the one that was anchored. */
export async function verifyTrace(options: VerifyOptions): Promise<number> {
  const home = arcHome()
  // Before anything is opened: a damaged database is moved out of the way by opening it.
  const given = options.anchors === undefined ? [] : [anchorsIn(options.anchors)]
  const { mismatch, ...anchors } = checkAnchors(home, [...given, ...configured(home), journalAnchors()])
  const store = openTrace()
  try {
    const chain = store.verify()
    const ok = chain.ok && mismatch === undefined
    const result = { ...chain, ok, anchors: { ...anchors, ...(mismatch !== undefined && { mismatch }) } }
    if (options.json === true) process.stdout.write(`${JSON.stringify(result)}\n`)
    else printResult(result)
    return ok ? 0 : 1
  } finally {
    store.close()
  }
}

function printResult({ ok, records, firstBad, anchors }: Verification & { readonly anchors: AnchorCheck }): void {
  const { checked, mismatch, setAside } = anchors
  if (ok) tell(colors.green(`ok: ${records} records, chain unbroken, ${checked} anchors fit`))
  if (firstBad !== undefined) tell(colors.red(`broken: ${JSON.stringify(firstBad)}`))
  if (mismatch !== undefined) {
    tell(colors.red(`${mismatch.kind}: ${mismatch.message}`))
    if (mismatch.expected !== undefined) tell(`  expected  ${JSON.stringify(mismatch.expected)}`)
    if (mismatch.found !== undefined) tell(`  found     ${JSON.stringify(mismatch.found)}`)
  }
  for (const file of setAside) tell(`  set aside ${file}`)
}

// Files that the configuration names; an address cannot be asked.
function configured(home: string): AnchorSource[] {
  const { preview, close } = openDryRun({ cwd: home, report })
  try {
    const files = preview.config.trace.anchors.filter((place) => place.startsWith('file:')).map(parseFileTarget)
    return files.filter((file) => existsSync(file)).map(anchorsIn)
  } finally {
    close()
  }
}

/** Prints the chain as lines of JSON. */
export async function exportTrace(): Promise<number> {
  const store = openTrace()
  try {
    for (const line of store.export()) {
      // A long chain does not wait in memory for a slow reader.
      if (!process.stdout.write(`${line}\n`)) await once(process.stdout, 'drain')
    }
    return 0
  } finally {
    store.close()
  }
}
