// Codex for a single run: hooks as command line options.

import { dirname, join } from 'node:path'
import type { LaunchInput, LaunchPlan } from '../host.ts'
import { hookLine } from '../install/command-line.ts'
import { listWantedEvents } from '../install/registered-events.ts'

export function launchCodex(input: LaunchInput): LaunchPlan {
  const { host, launcher, onDemand = [] } = input
  const unreviewed = findProjectHooks(input)
  if (unreviewed !== undefined) {
    const why = `supervising a single run would also start the hooks in ${unreviewed}, which codex has not asked you to review`
    return { refusal: `${why}; arc install codex supervises every run and leaves that review to you` }
  }
  const line = JSON.stringify(hookLine(launcher, host.name))
  return {
    // Codex skips hooks that the user has not reviewed, and these lines are new in each run.
    args: [
      '--dangerously-bypass-hook-trust',
      ...listWantedEvents(host.events, onDemand).flatMap((event) => [
        '-c',
        `hooks.${event}=[{hooks=[{type="command",command=${line}}]}]`,
      ]),
    ],
    note: "codex runs without its own review of hooks this time; after arc install codex you review ARC's hooks once",
  }
}

// Codex starts without its review of all hooks, which must not enable the hooks of a cloned repository.
function findProjectHooks({ cwd, readText }: LaunchInput): string | undefined {
  for (let dir = cwd; ; dir = dirname(dir)) {
    const files = ['hooks.json', 'config.toml'].map((name) => join(dir, '.codex', name))
    const found = files.find((file) => /\bhooks\b/.test(readText(file) ?? ''))
    if (found !== undefined || dir === dirname(dir)) return found
  }
}
