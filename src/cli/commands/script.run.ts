// `arc script check` reports the errors of an .arma script and runs nothing; `arc script run` lists the hooks of a script
// and, with a step, runs it through an engine with only these hooks.

import { createHash } from 'node:crypto'
import { basename, resolve } from 'node:path'
import { type ArmaHook, type ArmaScript, compileArma, fill } from '../../config/arma/compile-script.ts'
import { DEFAULTS } from '../../config/config.ts'
import { readTextFile } from '../../config/read-file.ts'
import { ArcError, describe } from '../../engine/errors.ts'
import { readMode } from '../../engine/mode.ts'
import type { Evaluation, Outcome } from '../../engine/outcome.ts'
import { isRecord } from '../../engine/plain-data.ts'
import { BUILT_IN_POINTS } from '../../engine/point-names.ts'
import { buildPipeline } from '../../hooks/pipeline.ts'
import { createServices, type PipelineServices } from '../../hooks/pipeline-services.ts'
import { HookEngine } from '../../platform/hook-engine.ts'
import { MemoryStateStore } from '../../storage/memory/state-store.ts'
import { MemoryTraceStore } from '../../storage/memory/trace-store.ts'
import { ProfileHome } from '../../supervisor/profile-home.ts'
import colors from '../colors.ts'
import { context } from '../context.ts'
import { alignColumns, info, oneLine, paintDecision, print, printJson } from '../output.ts'

interface JsonOption {
  readonly json?: boolean
}

/** The options of `arc script run`. */
export interface RunOptions extends JsonOption {
  readonly point?: string
  readonly tool?: string
  readonly data?: string
  readonly mode: string
}

/** Checks a script; exit code 1 if it has errors or cannot be read. */
export async function checkScript(file: string, { json }: JsonOption): Promise<number> {
  const { ok, hooks, errors } = compileFile(file).script
  if (json === true) printJson({ ok, errors: errors.map(errorJson) })
  else printErrors(file, { ok, hooks, errors })
  return ok ? 0 : 1
}

/** Loads and tries a script; exit code 1 if it has errors, 2 if the step is blocked, 3 if it is held. */
export async function runScript(file: string, options: RunOptions): Promise<number> {
  const step = readStep(options)
  const { script, text } = compileFile(file)
  if (!script.ok) {
    if (options.json === true) printJson({ ok: false, errors: script.errors.map(errorJson) })
    else printErrors(file, script)
    return 1
  }
  const trial = new Trial(resolve(context().cwd, file), script, text, options)
  const hooks = trial.hooks()
  const ran = step === undefined ? undefined : await trial.dispatch(step)
  const { problems } = trial
  const errors = problems.map(({ line, column, message }) => ({ line, column, message }))
  if (options.json === true) printJson({ ok: errors.length === 0, errors, hooks, ...ran })
  else printTrial(file, hooks, ran, errors)
  return errors.length > 0 ? 1 : exitCodeFor(ran?.outcome)
}

function exitCodeFor(outcome: Outcome | undefined): number {
  if (outcome?.decision === 'block') return 2
  return outcome?.decision === 'ask' ? 3 : 0
}

interface GivenStep {
  readonly point: string
  readonly data: Record<string, unknown>
}

// The whole step is validated before any hook runs.
function readStep({ point, tool, data }: RunOptions): GivenStep | undefined {
  if (point === undefined && tool === undefined && data === undefined) return undefined
  const resolved = BUILT_IN_POINTS.resolve(point ?? 'pre:tool')
  const given = readData(data ?? '{}')
  const named = tool ?? resolved.tool
  if (named !== undefined && resolved.spec.hasTool !== true) {
    throw new ArcError('ARC_SCRIPT_INVALID', `The point ${resolved.name} has no tool: remove --tool.`)
  }
  return { point: resolved.name, data: named === undefined ? given : { args: {}, ...given, tool: named } }
}

function readData(text: string): Record<string, unknown> {
  try {
    const data: unknown = JSON.parse(text)
    if (isRecord(data)) return data
  } catch (error) {
    throw new ArcError('ARC_SCRIPT_INVALID', `--data is not JSON: ${describe(error)}.`)
  }
  throw new ArcError('ARC_SCRIPT_INVALID', `--data must be a JSON object, such as {"prompt":"hello"}, not ${text}.`)
}

interface ShownHook {
  readonly name: string
  readonly at: string
  readonly does: string
}

interface Ran {
  readonly outcome: Outcome
  readonly evaluations: readonly Evaluation[]
  /** The messages of `/log` and `/notify`, in order. */
  readonly said: readonly string[]
}

/** A script with its own engine: no built-in hooks, no trace, and of the configuration only the permissions. */
class Trial {
  readonly #engine: HookEngine
  readonly #evaluations: Evaluation[] = []
  readonly #messages: string[] = []
  readonly #file: string
  readonly #script: ArmaScript
  readonly problems

  constructor(file: string, script: ArmaScript, text: string, options: RunOptions) {
    this.#file = file
    this.#script = script
    const mode = readMode(options.mode, '--mode')
    this.#engine = new HookEngine({ mode, sink: (evaluation) => void this.#evaluations.push(evaluation) })
    const collect = (message: string) => void this.#messages.push(message)
    const services: PipelineServices = {
      ...createServices({
        state: new MemoryStateStore(),
        trace: new MemoryTraceStore(),
        profile: () => DEFAULTS.profile,
        notify: ({ message, channel }) => collect(channel === undefined ? message : `${channel} ${message}`),
      }),
      // Printed, not logged.
      record: ({ message }) => collect(message ?? ''),
    }
    const origin = { layer: 'user', file, line: 1, column: 1 } as const
    const sha256 = createHash('sha256').update(text).digest('hex')
    const scripts = [{ file, script, sha256, origin }]
    // As in a session with the active profile.
    const { permissions, profile } = new ProfileHome().load().config
    const config = { ...DEFAULTS, permissions, profile, enforcement: mode, scripts }
    const { table, problems } = buildPipeline(config, { builtIns: [], services })
    this.#engine.swap(table)
    this.problems = problems
  }

  hooks(): readonly ShownHook[] {
    return this.#script.hooks.map((hook) => ({
      name: `${basename(this.#file)}:${hook.position.line}`,
      at: hook.tool === undefined ? hook.point : `${hook.point}:${hook.tool}`,
      does: formatHook(hook),
    }))
  }

  async dispatch({ point, data }: GivenStep): Promise<Ran> {
    const stepContext = { session: 'script', workspace: context().cwd }
    const outcome = await this.#engine.dispatch(point as 'pre:tool', data as never, stepContext)
    return { outcome, evaluations: this.#evaluations, said: this.#messages }
  }
}

function formatHook({ command, args }: ArmaHook): string {
  return [`/${command}`, ...args.map((template) => fill(template, (name) => `$${name}`))].join(' ')
}

function printTrial(file: string, hooks: readonly ShownHook[], ran: Ran | undefined, errors: readonly Row[]): void {
  print(`${file} registers ${hooks.length} hook${hooks.length === 1 ? '' : 's'}${hooks.length === 0 ? '' : ':'}`)
  for (const line of alignColumns(hooks.map(({ name, at, does }) => [name, at, oneLine(does)]))) print(`  ${line}`)
  for (const { line, column, message } of errors) info(`${colors.bold(`${file}:${line}:${column}`)} ${message}`)
  if (ran === undefined) return
  const { outcome, evaluations, said } = ran
  for (const message of said) print(`${colors.dim('message')}  ${oneLine(message)}`)
  const rows = evaluations.map(({ hook, decision, applied, reason }) => {
    const isHeld = decision === 'ask' || decision === 'block'
    return [paintDecision(decision), hook, isHeld && !applied ? 'not applied' : '', oneLine(reason ?? '')]
  })
  for (const line of alignColumns(rows)) print(line)
  const by = outcome.hook === undefined ? '' : ` by ${outcome.hook}`
  const why = outcome.reason === undefined ? '' : `: ${oneLine(outcome.reason)}`
  print(`outcome: ${paintDecision(outcome.decision)}${by}${why}`)
  print(`data:    ${oneLine(JSON.stringify(outcome.data), 200)}`)
}

interface Row {
  readonly line: number
  readonly column: number
  readonly message: string
}

function errorJson({ line, column, message }: Row): Row {
  return { line, column, message }
}

function printErrors(file: string, { ok, hooks, errors }: ArmaScript): void {
  for (const { line, column, message } of errors) info(`${colors.bold(`${file}:${line}:${column}`)} ${message}`)
  const count = `${hooks.length} hook${hooks.length === 1 ? '' : 's'}`
  info(`${file} ${ok ? colors.green(`ok: ${count}`) : colors.red('has errors')}`)
}

function compileFile(file: string): { readonly script: ArmaScript; readonly text: string } {
  const { text, problem } = readTextFile(resolve(context().cwd, file))
  if (text !== undefined) return { script: compileArma(text), text }
  const message = `cannot be read: ${problem?.message ?? 'no such file.'}`
  return { script: { ok: false, hooks: [], errors: [{ line: 1, column: 1, message }] }, text: '' }
}
