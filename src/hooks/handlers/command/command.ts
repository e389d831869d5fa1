// A hook that is a program: the step as JSON on stdin, a verdict as JSON on stdout, or an exit code.

import { Failure } from '../../../engine/degradation.ts'
import { ArcError, rejectUnknownOptions, show } from '../../../engine/errors.ts'
import { readFlag, readNumber, readTimeout } from '../../../engine/hook.ts'
import { isRecord } from '../../../engine/plain-data.ts'
import type { Step } from '../../../engine/step.ts'
import type { HandlerResult } from '../../../engine/verdict.ts'
import { buildHookInput } from '../envelope.ts'
import { type Handler, readAnswerText, shown } from '../handler.ts'
import { MARK_VARIABLE, newMark, ownVerdict } from '../step-echo.ts'
import { buildEnvironment, type CommandFacts, inheriting, portableValue, readFacts } from './environment.ts'
import { LineProgram, type LineReply } from './line-program.ts'
import { checkArguments, compilePlaceholders, fillArgument, hasPlaceholders } from './placeholders.ts'
import { type Finished, type Invocation, runToEnd } from './spawn.ts'

/** A program to run as a hook. */
export interface CommandOptions {
  /** A line for `sh -c`, or a list of program and arguments. Placeholders: {tool_name} {session_id} {workspace} {tool_input}. */
  readonly command: string | readonly string[]
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  /** Every end but exit 0 blocks, failures included. */
  readonly blocking?: boolean
  /** Default 10 000 ms. */
  readonly timeoutMs?: number
  /** Between TERM and KILL at the time limit; default 1 000 ms. */
  readonly graceMs?: number
  /** One process for all steps: a JSON line in, a JSON line out for each. Takes no placeholders. */
  readonly keepAlive?: boolean
}

/** A handler with something to let go of at the end. */
export interface CommandHandler extends Handler {
  readonly timeoutMs: number
  readonly overtimeMs: number
  /** Ends the process of a `keepAlive` command; safe to call twice, and nothing for others. */
  dispose(): void
}

export const DEFAULT_COMMAND_TIMEOUT_MS = 10_000
const DEFAULT_GRACE_MS = 1_000
const OPTIONS = ['command', 'cwd', 'env', 'blocking', 'timeoutMs', 'graceMs', 'keepAlive'] as const

/**
 * A handler that runs a program for each step.
 * @example
 * engine.register('pre:tool:shell', commandHandler({ command: './check.sh {tool_name}', blocking: true }))
 */
export function commandHandler(options: CommandOptions, onFinished?: OnFinished): CommandHandler {
  const { prepare, timeoutMs, mark } = compileCommand(options)
  if (options.keepAlive === true) return lineHandler(options, timeoutMs)
  const run: Handler = async (step, context) => {
    const { limitMs } = context
    const finished = await runToEnd({
      ...prepare(step),
      timeoutMs: limitMs,
      // Read when the program is on its way: making a signal takes a moment.
      get signal() {
        return context.signal
      },
    })
    onFinished?.(finished, step)
    return ownVerdict(readAnswer(finished, { options, limitMs }), buildHookInput(step), mark) as HandlerResult
  }
  return Object.assign(run, { timeoutMs, ...readSettings(options), dispose: () => undefined })
}

/** Receives each finished run before its result is read. */
export type OnFinished = (finished: Finished, step: Step) => void

// After the limit the group gets its grace, and the outputs a moment to close. What is `blocking` insists on a block.
function readSettings({ graceMs = DEFAULT_GRACE_MS, blocking }: CommandOptions) {
  return { overtimeMs: graceMs + 1_000, ...(blocking === true && { onError: 'abort' as const }) }
}

function lineHandler(options: CommandOptions, timeoutMs: number): CommandHandler {
  const { command, cwd, env, graceMs = DEFAULT_GRACE_MS } = options
  if (hasPlaceholders(command)) {
    const what = `The command ${show(command)} is kept alive over many steps, so it cannot have placeholders.`
    throw new ArcError('ARC_COMMAND_INVALID', what)
  }
  const mark = newMark()
  const variables = inheriting({ ...env, [MARK_VARIABLE]: mark })
  const program = new LineProgram({ ...describeProgram(command)(NO_FACTS), cwd, env: variables, graceMs })
  const run: Handler = async (step, { limitMs }) => {
    const envelope = buildHookInput(step)
    const reply = await program.ask(JSON.stringify(envelope), limitMs)
    return ownVerdict(answerOfReply(reply, limitMs), envelope, mark) as HandlerResult
  }
  return Object.assign(run, { timeoutMs, ...readSettings(options), dispose: () => program.dispose() })
}

/** A command checked once, and how to start it for a step. */
interface CompiledCommand {
  readonly timeoutMs: number
  /** Makes a verdict of this program count in full. */
  readonly mark: string
  prepare(step: Step): Invocation
}

/** Checks a command and compiles its placeholders. */
function compileCommand(options: CommandOptions): CompiledCommand {
  checkOptions(options)
  const { command, cwd, env, graceMs = DEFAULT_GRACE_MS } = options
  const timeoutMs = readTimeout(options.timeoutMs, 'commandHandler') ?? DEFAULT_COMMAND_TIMEOUT_MS
  const program = describeProgram(command)
  const mark = newMark()
  const prepare = (step: Step): Invocation => {
    const facts = readFacts(step)
    const input = `${JSON.stringify(buildHookInput(step))}\n`
    const variables = buildEnvironment(facts, { ...env, [MARK_VARIABLE]: mark })
    return { ...program(facts), cwd, env: variables, input, timeoutMs, graceMs }
  }
  return { timeoutMs, mark, prepare }
}

function checkOptions(options: CommandOptions): void {
  const where = 'commandHandler'
  rejectUnknownOptions(options, OPTIONS, where)
  const { cwd, env, graceMs = DEFAULT_GRACE_MS } = options
  readFlag(options.blocking, 'blocking', where)
  readFlag(options.keepAlive, 'keepAlive', where)
  if (readNumber(graceMs, 'graceMs', where) < 0) {
    throw new ArcError('ARC_OPTION_INVALID', `graceMs of ${where} must not be negative, but is ${show(graceMs)}.`)
  }
  if (cwd !== undefined && (typeof cwd !== 'string' || cwd.includes('\0'))) {
    throw new ArcError('ARC_OPTION_INVALID', `cwd of ${where} must be the path of a folder, not ${show(cwd)}.`)
  }
  const isText = (value: unknown): boolean => typeof value === 'string' && !value.includes('\0')
  if (env !== undefined && !(isRecord(env) && Object.entries(env).flat().every(isText))) {
    throw new ArcError('ARC_OPTION_INVALID', `env of ${where} must be an object of texts, not ${show(env)}.`)
  }
}

const NO_FACTS: CommandFacts = {
  session_id: '',
  workspace: '',
  hook_event: '',
  tool_name: undefined,
  tool_input: undefined,
}

type Program = (facts: CommandFacts) => Pick<Invocation, 'file' | 'args'>

function describeProgram(command: unknown): Program {
  if (typeof command === 'string' && command.trim() !== '' && !command.includes('\0')) {
    const line = compilePlaceholders(command)
    return () => ({ file: 'sh', args: ['-c', line] })
  }
  if (isArgumentList(command)) {
    checkArguments(command)
    return (facts) => {
      const [file = '', ...args] = command.map((part) => fillArgument(part, (name) => portableValue(facts[name] ?? '')))
      return { file, args }
    }
  }
  const what = `command must be a line for the shell or a list of program and arguments, not ${show(command)}.`
  throw new ArcError('ARC_COMMAND_INVALID', what)
}

function isArgumentList(command: unknown): command is readonly string[] {
  if (!Array.isArray(command) || command.length === 0 || command[0] === '') return false
  return command.every((part) => typeof part === 'string' && !part.includes('\0'))
}

/** What it takes to describe a run. */
interface Reading {
  readonly options: Pick<CommandOptions, 'command' | 'blocking'>
  readonly limitMs: number
}

// What the end of a program means. What is `blocking` says no by any exit but 0 that is its own; its failures block too,
// by `onError`.
function readAnswer(finished: Finished, reading: Reading): unknown {
  const { ending, stdout, stderr } = finished
  if (ending.kind !== 'exit') return new Failure(KINDS[ending.kind], summarize(finished, reading))
  if (ending.code === 0) return answerOfOutput(stdout)
  // The shell's own way of saying that it could not start something: nothing decided, so the breaker counts a failure.
  const isMissing = ending.code === 126 || ending.code === 127
  if (ending.code === 2 || (reading.options.blocking === true && !isMissing)) {
    return { decision: 'block', reason: describeEnding(finished, reading) }
  }
  return new Failure(isMissing ? 'start' : 'crash', `${summarize(finished, reading)}${withStderr(stderr.text)}`)
}

const KINDS = { signal: 'crash', timeout: 'timeout', 'not-started': 'start' } as const

function answerOfOutput({ text, droppedBytes }: Finished['stdout']): unknown {
  if (droppedBytes === 0) return readAnswerText(text)
  return new Failure('output-limit', `${droppedBytes} bytes of output beyond the limit of 1 MiB`)
}

function answerOfReply(reply: LineReply, limitMs: number): unknown {
  if (reply.kind === 'line') return readAnswerText(reply.text)
  if (reply.kind === 'timeout') return new Failure('timeout', `no answer within ${limitMs} ms`)
  if (reply.kind === 'too-large') return new Failure('output-limit', 'a line of more than 1 MiB')
  if (reply.kind === 'died') return new Failure('crash', `the program died: ${reply.why}`)
  return new Failure('start', `the program could not be started: ${reply.why}`)
}

/** Why a command denies: what it said on stderr, or else how it ended. */
export function describeEnding(finished: Finished, reading: Reading): string {
  const isTimeout = finished.ending.kind === 'timeout'
  return (isTimeout ? '' : shown(finished.stderr.text)) || summarize(finished, reading)
}

function summarize({ ending }: Finished, { options, limitMs }: Reading): string {
  const command = typeof options.command === 'string' ? options.command : options.command.join(' ')
  if (ending.kind === 'timeout') return `hook timed out after ${limitMs / 1000}s: ${command}`
  if (ending.kind === 'signal') return `hook was killed by ${ending.signal}: ${command}`
  if (ending.kind === 'not-started') return `hook could not be started: ${ending.why}`
  return `hook exited with code ${ending.code}: ${command}`
}

function withStderr(stderr: string): string {
  const text = shown(stderr)
  return text === '' ? '' : `: ${text}`
}
