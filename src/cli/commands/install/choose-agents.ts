// Which agents `arc install` and `arc uninstall` are for, when the command line names none: all, or the answer to a
// question on the terminal.

import { homedir } from 'node:os'
import { ArcError, didYouMean, show } from '../../../engine/errors.ts'
import { HOST_NAMES, type HostName } from '../../../hosts/host.ts'
import colors from '../../colors.ts'
import { askLine, isInteractive } from '../../confirm.ts'
import { alignColumns, info } from '../../output.ts'

/** An agent to choose. */
export interface Choice {
  readonly name: HostName
  readonly title: string
  /** Its path, and whether it has ARC's hooks already. */
  readonly detail: string
}

/** The question. */
export interface ChoiceRequest {
  readonly command: 'install' | 'uninstall'
  readonly choices: readonly Choice[]
  /** With `--all` there is no question. */
  readonly isAll: boolean
  /** With `--json` there is no question. */
  readonly isJson: boolean
}

const EXIT = { failed: 1, usage: 2 } as const

/** The names of the chosen agents; an exit code if there is nothing to do. */
export async function chooseAgents(request: ChoiceRequest): Promise<readonly HostName[] | number> {
  const { choices, isAll, isJson } = request
  const names = [...new Set(choices.map(({ name }) => name))]
  if (names.length === 0) return reportNone(request)
  if (isAll) return names
  printChoices(request)
  return isInteractive() && !isJson ? ask(request, names) : reportUsage(request)
}

function reportNone({ command, isAll }: ChoiceRequest): number {
  if (command === 'uninstall') info('No agent has hooks of ARC.')
  else {
    info('No agent was found on this machine: neither a program in the PATH nor a settings folder.')
    info(`To register ARC anyway: arc install HOST (${HOST_NAMES.join(', ')})`)
  }
  // Nothing to remove is the wanted result.
  if (isAll) return command === 'uninstall' ? 0 : EXIT.failed
  return EXIT.usage
}

function printChoices({ command, choices }: ChoiceRequest): void {
  info(command === 'install' ? 'Agents on this machine:' : 'Agents with hooks of ARC:')
  const rows = choices.map(({ name, title, detail }) => [name, title, colors.dim(shorten(detail))])
  for (const line of alignColumns(rows)) info(`  ${line}`)
}

function shorten(text: string): string {
  return text.startsWith(`${homedir()}/`) ? `~${text.slice(homedir().length)}` : text
}

function reportUsage({ command }: ChoiceRequest): number {
  info(`arc: expected a host or --all, as in: arc ${command} --all`)
  return EXIT.usage
}

async function ask(
  { command, choices }: ChoiceRequest,
  names: readonly HostName[],
): Promise<readonly HostName[] | number> {
  const verb = command === 'install' ? 'Install ARC in' : 'Remove ARC from'
  const all = names.length === 1 ? choices[0]?.title : `all ${names.length}`
  const typed = await askLine(`${verb} ${all}? Press Enter for yes, type names, or n for no: `)
  const words = typed
    ?.trim()
    .toLowerCase()
    .split(/[\s,]+/) ?? ['n']
  if (words.length === 1 && ['n', 'no'].includes(words[0] ?? '')) {
    info('Nothing was changed.')
    return EXIT.failed
  }
  if (words.length === 1 && ['', 'y', 'yes', 'all'].includes(words[0] ?? '')) return names
  return words.filter((word) => word !== '').map(readName)
}

function readName(word: string): HostName {
  const name = HOST_NAMES.find((known) => known === word)
  if (name !== undefined) return name
  const message = `There is no host ${show(word)}; there are ${HOST_NAMES.join(', ')}.`
  throw new ArcError('ARC_HOST_UNKNOWN', `${message}${didYouMean(word, HOST_NAMES)} Nothing was changed.`)
}
