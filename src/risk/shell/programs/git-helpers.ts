// Commands that git runs: aliases on the command line, bisect run, rebase --exec, submodule foreach.

import { type Field, makeField, type Output } from '../frame.ts'
import type { Program, ProgramPort } from '../interpreter-port.ts'
import { type ShellInvocation, unwrap } from '../invocation.ts'
import { joinCode } from '../nested-code.ts'
import { cut, readMixed, readOptions } from './options.ts'

export const GIT_HELPERS: ReadonlyMap<string, Program> = new Map<string, Program>([['git', runGit]])

const GLOBAL = { short: 'Cc', long: ['git-dir', 'work-tree', 'namespace', 'exec-path', 'config-env', 'super-prefix'] }

function runGit(shell: ProgramPort, call: ShellInvocation): Output {
  const { rest, all } = readOptions(call.fields, GLOBAL)
  const aliases = new Map<string, Field>()
  for (const [name, value] of all) {
    const match = name === 'c' ? /^alias\.([^=]+)=/i.exec(value.text) : null
    if (match?.[1]) aliases.set(match[1], cut(value, match[0].length))
    else if (name === 'c') runSetting(shell, call, value)
  }
  const sub = call.fields[rest]
  const alias = sub && (aliases.get(sub.text) ?? readAlias(call, sub.text))
  if (sub && alias) return runGitAlias(shell, call, sub, alias, call.fields.slice(rest + 1))
  shell.emit(call)
  if (sub?.text === 'config') noteAlias(shell, call, call.fields.slice(rest + 1))
  else if (sub) runHelper(shell, call, sub.text, call.fields.slice(rest))
  return undefined
}

// Settings whose value git runs as a program: editor, pager, ssh command.
const PROGRAM_SETTINGS =
  /^(?:core\.(?:pager|editor|sshcommand|fsmonitor|askpass)|sequence\.editor|diff\.external|credential\.helper|pager\.[\w-]+|(?:diff|difftool|mergetool|filter|merge)\.[\w-]+\.(?:command|cmd|textconv|clean|smudge|driver|process))=/i

function runSetting(shell: ProgramPort, call: ShellInvocation, value: Field): void {
  const match = PROGRAM_SETTINGS.exec(value.text)
  if (!match) return
  const code = cut(value, match[0].length)
  const isHelper = /^credential/i.test(match[0])
  if (isHelper && !code.text.startsWith('!')) return
  if (code.text !== '' && code.text !== 'true')
    shell.runCode(call, code.text.startsWith('!') ? cut(code, 1) : code, 'git -c', call.scope.copy())
}

function readAlias(call: ShellInvocation, name: string): Field | undefined {
  const value = call.scope.get(`git alias ${name}`)
  return value && makeField(value.text, call.span, value.isKnown)
}

// `git config alias.x '!cmd'` and a later `git x`. The name contains blanks, so it cannot clash with a shell variable.
function noteAlias(shell: ProgramPort, call: ShellInvocation, args: readonly Field[]): void {
  const { operands } = readMixed([makeField('config', call.span), ...args], {
    short: 'f',
    long: ['file', 'blob', 'type', 'default'],
  })
  const [key, value] = operands[0]?.text === 'set' ? operands.slice(1) : operands
  const name = key && /^alias\.(.+)$/i.exec(key.text)?.[1]
  if (!name || !value) return
  call.scope.set(`git alias ${name}`, { text: value.text, isKnown: value.isKnown })
  // A later call may use it.
  if (value.text.startsWith('!')) shell.runCode(call, cut(value, 1), 'git alias', call.scope.copy())
}

function runGitAlias(
  shell: ProgramPort,
  call: ShellInvocation,
  sub: Field,
  alias: Field,
  args: readonly Field[],
): Output {
  if (alias.text.startsWith('!')) {
    shell.emit(call)
    const words = [cut(alias, 1), ...args]
    return shell.runCode(call, joinCode(words), 'git alias', call.scope.copy())
  }
  const words = alias.text
    .split(/\s+/)
    .filter(Boolean)
    .map((text) => makeField(text, sub.span))
  return shell.runCall(unwrap(call, [makeField('git', call.span), ...words, ...args], 'git alias'))
}

function runHelper(shell: ProgramPort, call: ShellInvocation, sub: string, fields: readonly Field[]): void {
  const script = (code: Field | undefined) => {
    if (code) shell.runCode(call, code, `git ${sub}`, call.scope.copy())
  }
  if (sub === 'bisect' && fields[1]?.text === 'run') shell.runCall(unwrap(call, fields.slice(2), 'git bisect run'))
  else if (sub === 'rebase')
    for (const [name, code] of readMixed(fields, { short: 'xsXC', long: ['exec', 'onto', 'strategy'] }).all)
      script(name === 'x' || name === 'exec' ? code : undefined)
  else if (sub === 'submodule') script(foreachCode(fields))
  else if (sub === 'filter-branch') {
    for (const [name, code] of readMixed(fields, { short: 'd', long: FILTERS }).all)
      script(name.endsWith('-filter') ? code : undefined)
  } else if (sub === 'difftool' || sub === 'mergetool') {
    const { values } = readMixed(fields, { short: 'xt', long: ['extcmd', 'tool'] })
    script(values.get('x') ?? values.get('extcmd'))
  }
}

const FILTERS = [
  'env-filter',
  'tree-filter',
  'index-filter',
  'parent-filter',
  'msg-filter',
  'commit-filter',
  'tag-name-filter',
  'original',
]

function foreachCode(fields: readonly Field[]): Field | undefined {
  const at = fields.findIndex((field) => field.text === 'foreach')
  const words =
    at < 0
      ? []
      : fields.slice(at + 1).filter((field, index) => index > 0 || !/^--(?:recursive|quiet)$/.test(field.text))
  const [first] = words
  return first && { ...first, ...joinCode(words) }
}
