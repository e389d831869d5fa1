// The hosts in the help of commands, on lines that fit a screen.

import { HOST_NAMES } from '../hosts/facts/list.ts'

const PER_LINE = 8

/** `Hosts: claude, codex, …`, after an empty line. */
export function writeHostList(): string {
  const lines: string[] = []
  for (let at = 0; at < HOST_NAMES.length; at += PER_LINE) lines.push(HOST_NAMES.slice(at, at + PER_LINE).join(', '))
  return `\nHosts: ${lines.join(',\n       ')}`
}
