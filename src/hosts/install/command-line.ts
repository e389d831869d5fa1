// The line in a host's configuration. Its text never changes, so that a host which trusts it by its
// hash still trusts it.

import { quoteWordForShell, unquoteFromShell } from '../../engine/shell-quote.ts'
import type { HostName } from '../host.ts'

/** `…/arc hook claude`, quoted for the shell that the host will use. */
export function hookLine(command: string, host: HostName, event?: string): string {
  return `${quotePath(command)} hook ${host}${event === undefined ? '' : ` ${event}`}`
}

/** Is this a line of ours for this host, wherever `arc` was installed then? */
export function isHookLine(line: unknown, host: HostName): boolean {
  return typeof line === 'string' && commandInLine(line, host) !== undefined
}

/** The path of `arc` in such a line. */
export function commandInLine(line: string, host: HostName): string | undefined {
  const [, quoted] = new RegExp(`^(?:& )?(.*[^ ]) hook ${host}(?: [\\w.-]+)?$`).exec(line) ?? []
  if (quoted === undefined) return undefined
  const path = unquote(quoted)
  return /(?:^|[\\/])arc(?:\.(?:cmd|exe|mjs|js))?$/.test(path) ? path : undefined
}

/** Does the path belong to Windows? */
export function isWindowsPath(path: string): boolean {
  return /^[A-Za-z]:[\\/]|^\\\\/.test(path)
}

function quotePath(path: string): string {
  if (isWindowsPath(path)) return /^[\w:.\\/-]+$/.test(path) ? path : `"${path}"`
  return quoteWordForShell(path)
}

function unquote(text: string): string {
  return unquoteFromShell(text) ?? (/^".*"$/s.test(text) ? text.slice(1, -1) : text)
}
