// Gemini CLI and its fork Qwen Code merge system settings last: a single run gets a copy of them with ARC's hooks.

import type { LaunchInput, LaunchPlan } from '../host.ts'
import { createLaunchFile } from '../install/launch-file.ts'

/** Passes system settings with ARC's hooks in the given variable. */
export function launchWithSystemSettings(input: LaunchInput, variable: string, usualPath: string): LaunchPlan {
  const file = createLaunchFile(input, input.readText(input.env[variable] || usualPath))
  return { env: { [variable]: file.path }, files: [file] }
}
