// Programs with options whose value is a command: rsync -e, tar --to-command, vim -c.
// rsync and scp also fetch files, which a later command may run.

import type { CommandLocation } from '../execution.ts'
import { type Field, makeField, type Output } from '../frame.ts'
import type { Program, ProgramPort } from '../interpreter-port.ts'
import { type ShellInvocation, unwrap } from '../invocation.ts'
import { baseName, resolvePath } from '../paths.ts'
import { cut, type OptionSpec, readMixed } from './options.ts'

interface OptionScriptSpec extends OptionSpec {
  /** Options whose value is a script or a program with arguments. */
  readonly scripts: readonly string[]
  /** Prefix of the value before the script. */
  readonly marker?: RegExp
  /** End of the value after the script. */
  readonly tail?: RegExp
  readonly location?: CommandLocation
  /** Operands `host:path` are fetched to the last operand. */
  readonly isFetching?: boolean
}

const VIM: OptionScriptSpec = {
  short: 'cSuUT',
  scripts: ['c', 'cmd'],
  long: ['cmd'],
  marker: /^:?\s*(?:silent\s+)?!\s*/,
}

const TABLE: Readonly<Record<string, OptionScriptSpec>> = {
  rsync: {
    short: 'eBTfM',
    long: ['rsh', 'rsync-path', 'exclude', 'include', 'filter', 'files-from', 'temp-dir'],
    scripts: ['e', 'rsh'],
    isFetching: true,
  },
  scp: { short: 'cDFiJloPSX', scripts: ['S'], isFetching: true },
  tar: {
    short: 'fCbTXIgKNHFVL',
    long: [
      'file',
      'directory',
      'checkpoint-action',
      'to-command',
      'use-compress-program',
      'info-script',
      'new-volume-script',
      'rsh-command',
      'exclude',
    ],
    scripts: [
      'checkpoint-action',
      'to-command',
      'I',
      'use-compress-program',
      'F',
      'info-script',
      'new-volume-script',
      'rsh-command',
    ],
    marker: /^(?:exec=)?/,
  },
  man: { short: 'PCMSLrREpe', long: ['pager'], scripts: ['P', 'pager'] },
  // `aws ssm send-command --parameters 'commands=["script"]'`
  aws: {
    long: ['parameters', 'document-name', 'targets', 'instance-ids', 'region', 'profile', 'output', 'query'],
    scripts: ['parameters'],
    marker: /^\{?"?commands"?\s*[=:]\s*\[?\s*["']?/,
    tail: /["']?\s*\]?\}?$/,
    location: 'remote',
  },
  vim: VIM,
  vi: VIM,
  nvim: VIM,
  ex: VIM,
  zip: { short: 'bitnxT', scripts: ['TT', 'unzip-command'], long: ['unzip-command'] },
}

export const OPTION_SCRIPTS: ReadonlyMap<string, Program> = new Map(
  Object.entries(TABLE).map(([name, spec]): [string, Program] => [
    name,
    (shell, call) => runOptionScripts(shell, call, name, spec),
  ]),
)

function runOptionScripts(shell: ProgramPort, call: ShellInvocation, name: string, spec: OptionScriptSpec): Output {
  const command = shell.emit(call)
  const { all, operands } = readMixed(call.fields, spec)
  for (const [option, value] of all) {
    const code = spec.scripts.includes(option) ? stripMarker(value, spec) : undefined
    if (code && !code.text.startsWith('-')) {
      shell.runCode(
        { ...call, input: undefined },
        code,
        `${name} ${option.length > 1 ? '--' : '-'}${option}`,
        call.scope.copy(),
        { location: spec.location ?? call.frame.location },
      )
    }
  }
  if (name === 'tar' && all.some(([option]) => option === 'remove-files')) removeArchived(shell, call, operands)
  const target = operands.at(-1)
  if (spec.isFetching && target) {
    for (const source of operands.slice(0, -1).filter((operand) => /^(?:[\w.@-]+:|rsync:)/.test(operand.text))) {
      const feed = { text: undefined, from: [command] }
      call.scope.files.set(resolvePath(call.scope.cwd, target.text), feed)
      call.scope.files.set(resolvePath(call.scope.cwd, `${target.text}/${baseName(source.text)}`), feed)
    }
  }
  return undefined
}

// `tar --remove-files` deletes what it has archived.
function removeArchived(shell: ProgramPort, call: ShellInvocation, operands: readonly Field[]): void {
  const bundle = operands[0] !== undefined && operands[0] === call.fields[1] ? operands[0].text : undefined
  const files = operands.slice(bundle === undefined ? 0 : bundle.includes('f') ? 2 : 1)
  const words = ['rm', '-rf'].map((word) => makeField(word, call.span))
  if (files.length > 0) shell.runCall(unwrap(call, [...words, ...files], 'tar --remove-files'))
}

function stripMarker(value: Field, { marker, tail }: OptionScriptSpec): Field | undefined {
  if (!marker) return value
  const match = marker.exec(value.text)
  const code = match ? cut(value, match[0].length) : undefined
  return code && tail ? { ...code, text: code.text.replace(tail, '') } : code
}
