// `arc trace verify` and `arc trace export`: verifies or exports the audit trail.

import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
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
import { context } from '../context.ts'
import { openTrace } from '../home-stores.ts'
import { info, report } from '../output.ts'

export interface VerifyArguments {
  readonly json?: boolean
  /** A file with anchors: a copy from another machine, or an extract of a system log. */
  readonly anchors?: string
}

/** Verifies the hash chain and the anchors; exit code 1 if a record is bad or an anchor does not match. */
export async function verifyTrace(options: VerifyArguments): Promise<number> {
  const home = arcHome()
  // Before the store is opened, since opening moves a damaged database aside.
  const given = options.anchors === undefined ? [] : [anchorsIn(resolve(context().cwd, options.anchors))]
  const { mismatch, ...anchors } = checkAnchors(home, [...given, ...readConfigured(home), journalAnchors()])
  const store = openTrace()
  try {
    const chain = store.verify()
    const ok = chain.ok && mismatch === undefined
    const result = { ...chain, ok, anchors: { ...anchors, ...(mismatch !== undefined && { mismatch }) } }
    if (options.json === true) context().stdout.write(`${JSON.stringify(result)}\n`)
    else printResult(result)
    return ok ? 0 : 1
  } finally {
    store.close()
  }
}

function printResult({ ok, records, firstBad, anchors }: Verification & { readonly anchors: AnchorCheck }): void {
  const { checked, mismatch, setAside } = anchors
  if (ok) info(colors.green(`ok: ${records} records, hash chain intact, ${checked} anchors match`))
  if (firstBad !== undefined) info(colors.red(`broken: ${JSON.stringify(firstBad)}`))
  if (mismatch !== undefined) {
    info(colors.red(`${mismatch.kind}: ${mismatch.message}`))
    if (mismatch.expected !== undefined) info(`  expected  ${JSON.stringify(mismatch.expected)}`)
    if (mismatch.found !== undefined) info(`  found     ${JSON.stringify(mismatch.found)}`)
  }
  for (const file of setAside) info(`  moved aside: ${file}`)
}

// Only files of the configuration: anchors at a URL cannot be read back.
function readConfigured(home: string): AnchorSource[] {
  const { preview, close } = openDryRun({ cwd: home, report })
  try {
    const files = preview.config.trace.anchors.filter((target) => target.startsWith('file:')).map(parseFileTarget)
    return files.filter((file) => existsSync(file)).map(anchorsIn)
  } finally {
    close()
  }
}

/** Prints all records as lines of JSON. */
export async function exportTrace(): Promise<number> {
  const store = openTrace()
  try {
    for (const line of store.export()) {
      // Waits for a slow reader instead of buffering the whole trail.
      if (!context().stdout.write(`${line}\n`)) await once(context().stdout, 'drain')
    }
    return 0
  } finally {
    store.close()
  }
}
