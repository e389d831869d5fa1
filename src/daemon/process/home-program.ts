// Commands of `arc` that a process starts in the background, with the program that the home names.

import { type BackgroundStart, runInBackground } from './background.ts'
import { findHomeProgram, readBuild } from './build.ts'

/** Runs a command of the home's `arc` without waiting. Throws if there is no such program. */
export function runHomeProgram(start: BackgroundStart): void {
  const program = findHomeProgram(start.home, start.program)
  if (readBuild(program) === undefined) throw new Error(`${program} is not the program of ARC, or is not built`)
  if (runInBackground({ ...start, program }) === undefined) throw new Error(`${program} could not be started`)
}
