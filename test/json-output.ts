// Reads what a run of `arc` printed, in a separate process or in this one.

/** How a run ended. */
export interface Ran {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** The one JSON document that a run printed; throws when there is more or less. */
export function onlyJson<T = Record<string, unknown>>({ stdout }: Ran): T {
  if (!stdout.endsWith('\n') || stdout.trimEnd().includes('\n')) throw new Error(`not one line: ${stdout}`)
  return JSON.parse(stdout) as T
}

/** The JSON documents of a text, one per line. */
export function jsonLines(text: string): Record<string, unknown>[] {
  const lines = text.split('\n').filter((line) => line !== '')
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>)
}
