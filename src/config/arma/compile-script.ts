// .arma scripts into plain data, from which runtime builds ordinary hooks. The grammar, line by line:
//
//   script    = { line }
//   line      = [ hook | set ] [ comment ]         a backslash before the end of line joins two lines
//   hook      = "hook" point [ ":" tool ] command { word }
//   set       = "/set" variable word { word }      a value for the lines after it; $permissions: adds to the list
//   command   = "/log" [ debug | info | warn | error ] message
//             | "/notify" [ "#channel" ] message
//             | "/perms" "check" permission
//             | "/block" [ reason ] | "/flag" [ reason ] | "/ask" [ question ]
//             | "/set" field value                 changes a field of the step, or with a variable: a fact for later hooks
//             | "/run" shell-command
//   word      = { character | escape | variable | "text with $variables" | 'text as it is' }
//   variable  = "$" name { "." name } | "${" name { "." name } "}"      without a value it is the empty text
//   escape    = "\" character                      \n and \t are a new line and a tab, \$ a dollar sign
//   comment   = "#" at the start of a line, or "#" and a blank after a word

import { didYouMean, show } from '../../engine/errors.ts'
import { BUILT_IN_POINTS, type ResolvedPoint } from '../../engine/point-names.ts'
import type { Position } from '../position.ts'
import type { ArmaError, Part, ScriptWord } from './lex.ts'
import { errorAt, type HookStatement, literal, parseArma, type SetStatement, showWord } from './parse-script.ts'

/** The text of an argument, with the variables to fill in. */
export type Template = readonly Part[]

/** What a hook of a script does. */
export type ArmaCommand = keyof typeof COMMANDS

/** One hook of a script. */
export interface ArmaHook {
  readonly point: string
  readonly tool: string | undefined
  readonly command: ArmaCommand
  readonly args: readonly Template[]
  /** Values that `/set $name …` lines before it gave, in order; a later one may use an earlier. */
  readonly variables: readonly { readonly name: string; readonly value: Template }[]
  readonly position: Position
}

/** A compiled script. With errors it has no hooks: a script never applies in part. */
export interface ArmaScript {
  readonly ok: boolean
  readonly hooks: readonly ArmaHook[]
  readonly errors: readonly ArmaError[]
}

interface CommandSpec {
  readonly usage: string
  readonly least: number
  readonly check?: (args: readonly ScriptWord[], at: ResolvedPoint) => ArmaError | undefined
}

/** The commands, with how each is written. */
export const COMMANDS = {
  log: { usage: '/log [debug|info|warn|error] message', least: 1 },
  notify: { usage: '/notify [#channel] message', least: 1 },
  perms: { usage: '/perms check permission', least: 2, check: checkPerms },
  block: { usage: '/block [reason]', least: 0 },
  flag: { usage: '/flag [reason]', least: 0 },
  ask: { usage: '/ask [question]', least: 0 },
  set: { usage: '/set field value', least: 2, check: checkSet },
  run: { usage: '/run shell-command', least: 1 },
} as const satisfies Record<string, CommandSpec>

// Each hook keeps those set before it: without a limit a file of 256 KiB would fill hundreds of megabytes.
const MAX_VARIABLES = 500

/**
 * Compiles a script.
 * @example
 * compileArma('hook pre:tool:shell /perms check shellExec').hooks[0].tool // 'shell'
 */
export function compileArma(text: string): ArmaScript {
  const { statements, errors: unread } = parseArma(text)
  const errors = [...unread]
  const hooks: ArmaHook[] = []
  let variables: ArmaHook['variables'] = []
  for (const statement of statements) {
    if (statement.kind === 'set') {
      if (variables.length === MAX_VARIABLES) {
        errors.push(errorAt(statement.position, `A script may /set at most ${MAX_VARIABLES} variables.`))
        break
      }
      variables = [...variables, { name: statement.name, value: joinedValue(statement) }]
      continue
    }
    const compiled = compileHook(statement, variables)
    if ('message' in compiled) errors.push(compiled)
    else hooks.push(compiled)
  }
  errors.sort((a, b) => a.line - b.line || a.column - b.column)
  return { ok: errors.length === 0, hooks: errors.length === 0 ? hooks : [], errors }
}

/** Fills in a template; a variable without a value is the empty text. */
export function fill(template: Template, valueOfVariable: (name: string) => string | undefined): string {
  return template.map((part) => ('text' in part ? part.text : (valueOfVariable(part.variable) ?? ''))).join('')
}

function compileHook(statement: HookStatement, variables: ArmaHook['variables']): ArmaHook | ArmaError {
  const resolved = readPoint(statement.point)
  if ('message' in resolved) return resolved
  const command = readCommand(statement.command)
  if (typeof command !== 'string') return command
  const { args, position } = statement
  const { usage, least, check }: CommandSpec = COMMANDS[command]
  if (args.length < least) return errorAt(statement.command.position, `Expected ${usage}.`)
  const wrong = check?.(args, resolved)
  if (wrong !== undefined) return wrong
  return {
    point: resolved.name,
    tool: resolved.tool,
    command,
    args: args.map(({ parts }) => parts),
    variables,
    position,
  }
}

const SPELLINGS = [...BUILT_IN_POINTS.points].flatMap(([name, { aliases }]) => [name, ...aliases])

function readPoint(word: ScriptWord): ResolvedPoint | ArmaError {
  const given = literal(word)
  if (given === undefined) return errorAt(word.position, `Expected the name of a point, not ${showWord(word)}.`)
  try {
    return BUILT_IN_POINTS.resolve(given)
  } catch {
    return errorAt(word.position, `There is no point ${show(given)}.${didYouMean(given, SPELLINGS)}`)
  }
}

function readCommand(word: ScriptWord): ArmaCommand | ArmaError {
  const given = literal(word) ?? ''
  const name = given.slice(1)
  if (given.startsWith('/') && Object.hasOwn(COMMANDS, name)) return name as ArmaCommand
  const known = Object.keys(COMMANDS).map((command) => `/${command}`)
  const near = didYouMean(given, known)
  return errorAt(word.position, `Expected one of ${known.join(' ')}, not ${showWord(word)}.${near}`)
}

function checkPerms([action, , extra]: readonly ScriptWord[]): ArmaError | undefined {
  if (action !== undefined && literal(action) !== 'check') {
    return errorAt(action.position, `Expected check, not ${showWord(action)}: ${COMMANDS.perms.usage}.`)
  }
  return extra && errorAt(extra.position, `Expected one permission: ${COMMANDS.perms.usage}.`)
}

// A field that cannot change would make the line a silent nothing.
function checkSet([target]: readonly ScriptWord[], { name, spec }: ResolvedPoint): ArmaError | undefined {
  const field = literal(target)
  const [part] = target?.parts ?? []
  if (target !== undefined && part !== undefined && 'variable' in part && /^permissions(?:\.|$)/.test(part.variable)) {
    const line = '/set $permissions NAME adds to the list for the lines after it'
    return errorAt(target.position, `A hook cannot grant permissions to other hooks; as a line without hook, ${line}.`)
  }
  if (target === undefined || (field === undefined && target.parts.length === 1)) return undefined
  if (field !== undefined && spec.modify.includes(field.split('.')[0] ?? '')) return undefined
  const can = spec.modify.length === 0 ? 'nothing can be changed' : `can be changed: ${spec.modify.join(', ')}`
  const near = didYouMean(field ?? '', spec.modify)
  return errorAt(target.position, `${showWord(target)} cannot be changed at ${name}; there ${can}.${near}`)
}

function joinedValue({ value }: SetStatement): Template {
  return value.flatMap(({ parts }, index) => (index === 0 ? parts : [{ text: ' ' }, ...parts]))
}
