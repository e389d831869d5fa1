// What every branch of the command tree is declared with.

import { MODES } from '../engine/mode.ts'

/** The modes as users may write them. */
export const MODE_NAMES: readonly string[] = [...Object.keys(MODES), 'warn']

/** Takes the exit code that an action promises. */
export type Run = (action: Promise<number>) => Promise<void>

/** The end of a command's help. */
export function example(line: string): string {
  return `\nExample:\n  $ ${line}`
}
