// `arc --help`: every command on one screen, grouped by purpose. Commands that undo each other share a line.

import type { Command } from 'commander'
import colors from 'picocolors'
import { ALIASES } from './command-line.ts'

interface Group {
  readonly title: string
  readonly rows: readonly (readonly string[])[]
}

const GROUPS: readonly Group[] = [
  { title: 'Get started', rows: [['install', 'uninstall'], ['mode'], ['sample'], ['launch'], ['doctor'], ['init']] },
  {
    title: 'Inspect',
    rows: [['check'], ['logs', 'watch', 'report'], ['why'], ['trace'], ['serve', 'stop', 'status', 'open']],
  },
  {
    title: 'Control',
    rows: [
      ['approvals', 'approve', 'deny'],
      ['allow'],
      ['profile'],
      ['hooks', 'breaker'],
      ['trust', 'untrust'],
      ['script'],
      ['task'],
      ['roundtable'],
    ],
  },
]

/** The help of `arc` itself. */
export function rootHelp(arc: Command): string {
  const visible = arc.createHelp().visibleCommands(arc)
  const commands = new Map(visible.filter((one) => arc.commands.includes(one)).map((one) => [one.name(), one]))
  const blocks = GROUPS.map(({ title, rows }) => [title, rows.flatMap((names) => formatLine(names, commands))] as const)
  const grouped = new Set(GROUPS.flatMap(({ rows }) => rows.flat()))
  const others = [...commands.keys()]
    .filter((name) => !grouped.has(name))
    .flatMap((name) => formatLine([name], commands))
  const lines = [...blocks, ['More', others] as const].flatMap(([title, own]) => {
    return own.length === 0 ? [] : ['', colors.bold(title), ...own]
  })
  return [USAGE, '', arc.description(), ...lines, '', ALSO, EVERYWHERE, ''].join('\n')
}

const USAGE = 'Usage: arc COMMAND … · arc COMMAND --help · arc --version'
const ALSO = `Also: ${Object.entries(ALIASES)
  .map(([name, words]) => `${name} (${words.join(' ')})`)
  .join(', ')}.`
const EVERYWHERE = 'All commands: --json prints JSON. Environment: ARC_HOME, ARC_PROFILE, NO_COLOR.'
const NAME_WIDTH = 27

// The summary of the first command describes the line.
function formatLine(names: readonly string[], commands: ReadonlyMap<string, Command>): readonly string[] {
  const found = names.flatMap((name) => commands.get(name) ?? [])
  const [first] = found
  if (first === undefined) return []
  const shown = found.map((command) => command.name()).join(', ')
  return [`  ${shown.padEnd(NAME_WIDTH)}${first.summary() || first.description()}`]
}
