// Which files on this disk a text names, and which of them its own commands may have changed.

import type { ShellCommand } from './execution.ts'
import type { ShellInvocation } from './invocation.ts'
import { resolvePath } from './paths.ts'

/** The absolute path of a file on this disk. */
export function resolveLocal({ frame, scope }: ShellInvocation, path: string): string | undefined {
  const resolved = resolvePath(scope.cwd, path)
  return frame.location === 'local' && resolved.startsWith('/') ? resolved : undefined
}

const ONLY_READING = new Set(
  'cat head tail less more bat ls stat file wc grep egrep rg test [ chmod echo printf bash sh zsh dash source . time'.split(
    ' ',
  ),
)
const MAX_EARLIER = 200

/** Whether an earlier command of the text may have changed the file. */
export function isTouched(commands: readonly ShellCommand[], path: string): boolean {
  return commands
    .slice(-MAX_EARLIER)
    .some(
      ({ name, args, cwd }) =>
        !ONLY_READING.has(name ?? '') &&
        (name === 'cp' ? args.slice(-1) : args).some(
          ({ text }) => text.length < 4096 && resolvePath(cwd, text) === path,
        ),
    )
}
