// Programs that run a command once per item: find, xargs, parallel.
// They are reported as commands, followed by the commands they run.

import { quoteForShell } from '../../../engine/shell-quote.ts'
import { type Field, type Frame, type LocatedInput, makeField, type Output } from '../frame.ts'
import type { Program, ProgramPort } from '../interpreter-port.ts'
import { type Code, type ShellInvocation, unwrap } from '../invocation.ts'
import { inputCode, joinCode } from '../nested-code.ts'
import { type OptionSpec, readOptions } from './options.ts'
import { fileCode } from './shells.ts'

export const COMMAND_LAUNCHERS: ReadonlyMap<string, Program> = new Map<string, Program>([
  ['find', runFind],
  ['gfind', runFind],
  ['fd', runFd],
  ['fdfind', runFd],
  ['xargs', runXargs],
  ['gxargs', runXargs],
  ['parallel', runParallel],
])

/** Number of input items of xargs or parallel that are interpreted one by one. */
const MAX_ITEMS = 8

const FIND_ACTIONS = new Set(['-exec', '-execdir', '-ok', '-okdir'])

function runFind(shell: ProgramPort, call: ShellInvocation, name: string): Output {
  shell.emit(call)
  const { fields } = call
  const fill = fillWithFound(findRoots(fields), namePattern(fields))
  for (let at = 1; at < fields.length; at++) {
    const action = fields[at]?.text ?? ''
    if (!FIND_ACTIONS.has(action)) continue
    const end = fields.findIndex((field, index) => index > at && isFindEnd(field, fields[index - 1]))
    const stop = end < 0 ? fields.length : end
    runTemplate(shell, call, fields.slice(at + 1, stop), '{}', fill, `${name} ${action}`)
    at = stop
  }
  return undefined
}

// The end is `;` or, after `{}`, `+`.
function isFindEnd(field: Field, before: Field | undefined): boolean {
  return field.text === ';' || field.text === '\\;' || (field.text === '+' && before?.text === '{}')
}

// The roots of find come before its first test and after the options about links.
function findRoots(fields: readonly Field[]): readonly Field[] {
  const start = fields.findIndex((field, index) => index > 0 && !/^-(?:[HLP]|O\d|D)$/.test(field.text))
  const end = fields.findIndex((field, index) => index >= start && /^[-(!]/.test(field.text))
  return start < 0 ? [] : fields.slice(start, end < 0 ? undefined : end)
}

function namePattern(fields: readonly Field[]): string | undefined {
  const at = fields.findIndex((field) => field.text === '-name' || field.text === '-iname')
  return at < 0 ? undefined : fields[at + 1]?.text
}

// The path of a found file is unknown: it is a pattern below the root.
function fillWithFound(roots: readonly Field[], name: string | undefined): (template: Field) => Field {
  const [root] = roots
  const folder = roots.length === 1 && root?.isKnown ? root.text.replace(/(?<=.)\/$/, '') : undefined
  const below = name === undefined ? '*' : `**/${name}`
  return (template) => {
    const text =
      folder === undefined ? template.text : template.text.replaceAll('{}', `${folder === '/' ? '' : folder}/${below}`)
    return { ...template, text, isKnown: false, isGlob: true, at: undefined }
  }
}

function runTemplate(
  shell: ProgramPort,
  call: ShellInvocation,
  template: readonly Field[],
  placeholder: string,
  fill: (field: Field) => Field,
  via: string,
  change?: Partial<Frame>,
): Output {
  if (template.length === 0) return undefined
  const fields = template.map((field) => (placeholder !== '' && field.text.includes(placeholder) ? fill(field) : field))
  return shell.runCall({ ...unwrap(call, fields, via, change), scope: call.scope.copy() })
}

const FD_SPEC: OptionSpec = {
  short: 'detEcjSoxX',
  long: [
    'max-depth',
    'min-depth',
    'exact-depth',
    'type',
    'extension',
    'exclude',
    'color',
    'threads',
    'size',
    'owner',
    'changed-within',
    'changed-before',
    'search-path',
    'base-directory',
    'max-results',
  ],
}

function runFd(shell: ProgramPort, call: ShellInvocation, name: string): Output {
  shell.emit(call)
  const { fields } = call
  const at = fields.findIndex(
    (field, index) => index > 0 && /^(?:-[a-zA-Z]*[xX]|--exec|--exec-batch)$/.test(field.text),
  )
  if (at < 0) return undefined
  const end = fields.findIndex((field, index) => index > at && (field.text === ';' || field.text === '\\;'))
  const template = fields.slice(at + 1, end < 0 ? undefined : end)
  // Without a placeholder, the file is the last argument.
  const full = template.some((field) => /\{[./]{0,2}\}/.test(field.text))
    ? template
    : [...template, makeField('{}', call.span)]
  const roots = readOptions(fields.slice(0, at), FD_SPEC)
  const root = fields.slice(roots.rest + 1, at).filter((field) => !field.text.startsWith('-'))
  return runTemplate(
    shell,
    call,
    full,
    '{}',
    fillWithFound(
      root.length > 0 ? root : [makeField('.', call.span)],
      fdPattern(roots.rest < at ? fields[roots.rest] : undefined),
    ),
    `${name} -x`,
  )
}

// fd searches for a regular expression anywhere in the name.
function fdPattern(field: Field | undefined): string | undefined {
  return !field || !/\w/.test(field.text) ? undefined : `*${field.text}*`
}

const XARGS_SPEC: OptionSpec = {
  short: 'adEILnPsJRS',
  long: ['arg-file', 'delimiter', 'max-lines', 'max-args', 'max-procs', 'max-chars', 'process-slot-var'],
}

function runXargs(shell: ProgramPort, call: ShellInvocation): Output {
  shell.emit(call)
  const { rest, values } = readOptions(call.fields, XARGS_SPEC)
  const template = call.fields.slice(rest)
  const fields = template.length > 0 ? template : [makeField('echo', call.span)]
  const replaced = values.get('I') ?? values.get('J') ?? values.get('replace') ?? values.get('i')
  const placeholder = replaced && /^-/.test(replaced.text) ? '{}' : replaced?.text || (replaced ? '{}' : '')
  const file = values.get('a') ?? values.get('arg-file')
  const text = readItems(shell, call, file)
  if (text === undefined) return runUnknownItems(shell, call, fields, placeholder)
  const splitter = values.has('0') || values.has('null') ? '\0' : placeholder === '' ? /[ \t\n]+/ : '\n'
  const delimiter = values.get('d') ?? values.get('delimiter')
  const items = text
    .split(delimiter ? delimiter.text.replace('\\n', '\n') : splitter)
    .map(unquoteItem)
    .filter(Boolean)
  return runItems(shell, call, fields, items, placeholder, 'xargs')
}

function readItems(shell: ProgramPort, call: ShellInvocation, file: Field | undefined): Output {
  const path = call.input && 'file' in call.input ? (call.input as LocatedInput).file : undefined
  const code = file ? fileCode(shell, call, file) : path === undefined ? undefined : shell.openFile(call, path)
  return code?.isKnown ? code.text : file ? undefined : call.input?.text
}

function unquoteItem(item: string): string {
  return item.replace(/^\s+|\s+$/g, '').replace(/^(["'])(.*)\1$/s, '$2')
}

// The input is unknown, so the arguments or the script that contain it are unknown.
function runUnknownItems(
  shell: ProgramPort,
  call: ShellInvocation,
  template: readonly Field[],
  placeholder: string,
): Output {
  const from = call.input?.from
  const fill = (field: Field): Field => ({
    ...field,
    text: field.text.split(placeholder).join('$item'),
    isKnown: false,
    at: undefined,
    ...(from?.length && { from }),
  })
  const added: Field = { ...makeField('$item', call.span, false), ...(from?.length && { from }) }
  const fields = placeholder === '' ? [...template, added] : template
  return runTemplate(shell, { ...call, input: undefined }, fields, placeholder, fill, 'xargs')
}

function runItems(
  shell: ProgramPort,
  call: ShellInvocation,
  template: readonly Field[],
  items: readonly string[],
  placeholder: string,
  via: string,
): Output {
  const quiet = { ...call, input: undefined }
  if (placeholder === '') {
    const added = items.slice(0, 256).map((item) => makeField(item, call.span))
    return runTemplate(shell, quiet, [...template, ...added], '', (field) => field, via)
  }
  for (const item of items.slice(0, MAX_ITEMS)) {
    const fill = (field: Field): Field => ({ ...field, text: field.text.split(placeholder).join(item), at: undefined })
    runTemplate(shell, quiet, template, placeholder, fill, via)
  }
  return items.length > MAX_ITEMS ? runUnknownItems(shell, call, template, placeholder) : undefined
}

const PARALLEL_SPEC: OptionSpec = {
  short: 'aCdEIjJLlnNPsSD',
  long: [
    'arg-file',
    'colsep',
    'delimiter',
    'jobs',
    'max-args',
    'sshlogin',
    'joblog',
    'results',
    'timeout',
    'tmpdir',
    'workdir',
    'delay',
    'retries',
    'load',
    'memfree',
    'tagstring',
    'halt',
    'env',
  ],
}

// The template is a script: parallel passes it to a shell. Values follow `:::` or come from the input.
function runParallel(shell: ProgramPort, call: ShellInvocation): Output {
  shell.emit(call)
  const { fields } = call
  const marker = fields.findIndex((field) => /^:::/.test(field.text))
  const stop = marker < 0 ? fields.length : marker
  const { rest } = readOptions(fields.slice(0, stop), PARALLEL_SPEC)
  const template = fields.slice(rest, stop)
  const items =
    marker < 0 ? call.input?.text?.split('\n').filter(Boolean) : fields.slice(marker + 1).map((field) => field.text)
  if (template.length === 0) return runLines(shell, call, items)
  const code = joinCode(template)
  const hasPlace = /\{[#./%\d]*\}/.test(code.text)
  for (const item of items?.slice(0, MAX_ITEMS) ?? ['$item']) {
    const quoted = template.length === 1 && hasPlace ? item : quoteItem(item)
    const text = hasPlace ? code.text.replace(/\{[#./%\d]*\}/g, () => quoted) : `${code.text} ${quoted}`
    shell.runCode(
      { ...call, input: undefined },
      { text, isKnown: code.isKnown && items !== undefined, from: code.from },
      'parallel',
      call.scope.copy(),
    )
  }
  return undefined
}

// A value stays one word of the script, unless it is the whole script.
function quoteItem(item: string): string {
  return item === '$item' || /^[\w./:@%+=,~-]+$/.test(item) ? item : quoteForShell(item)
}

// Without a template, each value is a command line.
function runLines(shell: ProgramPort, call: ShellInvocation, items: readonly string[] | undefined): Output {
  const code: Code | undefined = items ? { text: items.join('\n'), isKnown: true } : inputCode(call.input)
  if (code) shell.runCode({ ...call, input: undefined }, code, 'parallel', call.scope.copy())
  return undefined
}
