// Shared parts of the command declarations.

import { MODES } from '../engine/mode.ts'

/** The modes that users may write, with the alias `warn`. */
export const MODE_NAMES: readonly string[] = [...Object.keys(MODES), 'warn']

/** Receives the exit code that an action promises. */
export type Run = (action: Promise<number>) => Promise<void>

/** The example at the end of a command's help. */
export function example(line: string): string {
  return `\nExample:\n  $ ${line}`
}
