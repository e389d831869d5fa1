// `arc trace verify` and `arc trace export`: the record chain, checked here or taken elsewhere.

import { once } from 'node:events'
import colors from 'picocolors'
import { openTrace } from '../kept.ts'

/** Checks the chain; exit code 1 when a record is bad, missing or out of order. */
export async function verifyTrace(options: { readonly json?: boolean }): Promise<number> {
  const store = openTrace()
  try {
    const result = store.verify()
    if (options.json === true) process.stdout.write(`${JSON.stringify(result)}\n`)
    else if (result.ok) process.stderr.write(colors.green(`ok: ${result.records} records, chain unbroken\n`))
    else process.stderr.write(colors.red(`broken: ${JSON.stringify(result.firstBad)}\n`))
    return result.ok ? 0 : 1
  } finally {
    store.close()
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
