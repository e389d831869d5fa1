// `arc check`: what the pipeline would decide on a tool call in enforce mode. Nothing runs, nothing is recorded.

import { once } from 'node:events'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { formatProblem } from '../../config/problem.ts'
import { describe, show } from '../../engine/errors.ts'
import { isRecord } from '../../engine/plain-data.ts'
import { quoteForShell } from '../../engine/shell-quote.ts'
import { toolClass } from '../../engine/tools.ts'
import type { Decision } from '../../engine/verdict.ts'
import { findProject } from '../../platform/home.ts'
import { type DryRun, type DryRunResult, openDryRun } from '../../supervisor/dry-run.ts'
import { printJson, report, tell } from '../output.ts'
import { printAnswer, riskOf } from './check/decision-report.ts'

/** What `arc check` was asked. */
export interface CheckOptions {
  readonly cwd?: string
  readonly tool: string
  readonly explain?: boolean
  readonly json?: boolean
  readonly jsonl?: boolean
}

const EXIT: Readonly<Record<Decision, number>> = { pass: 0, flag: 0, block: 2, ask: 3 }
const USAGE = 'expected a command after --, as in: arc check -- git push --force'

/** Checks one call, or one for each line of stdin. */
export async function check(words: readonly string[], options: CheckOptions): Promise<number> {
  if (options.jsonl === true) return checkLines(options)
  const text = toLine(words)
  if (text.trim() === '') {
    tell(`arc: ${USAGE}`)
    return 2
  }
  const cwd = resolve(options.cwd ?? '.')
  const isExplained = options.explain === true && toolClass(options.tool) === 'shell'
  const { preview, close } = openDryRun({ cwd, mode: 'enforce', report })
  try {
    for (const problem of preview.problems) tell(formatProblem(problem))
    const foreseen = await foresee(preview, text, options.tool, cwd)
    if (options.json === true) printJson(answerOf(foreseen))
    else printAnswer(text, foreseen, isExplained ? { cwd } : undefined)
    return EXIT[foreseen.outcome.decision]
  } finally {
    close()
  }
}

// One word is a whole line already; several were taken apart by the user's shell, so what needs quotes gets them back.
function toLine(words: readonly string[]): string {
  if (words.length <= 1) return words[0] ?? ''
  return words.map((word) => (/^[\w@%+=:,./~^-]+$/.test(word) ? word : quoteForShell(word))).join(' ')
}

function foresee(preview: DryRun, text: string, tool: string, cwd: string): Promise<DryRunResult> {
  return preview.evaluate(
    'pre:tool',
    { tool, args: argsOf(text, tool) },
    { workspace: cwd, profile: preview.config.profile },
  )
}

// A shell has a command; other tools have arguments as JSON, or the one that their kind of tool works on.
function argsOf(text: string, tool: string): Readonly<Record<string, unknown>> {
  const kind = toolClass(tool)
  if (kind === 'shell') return { command: text }
  const given = parse(text)
  if (isRecord(given)) return given
  if (kind === 'write' || kind === 'read') return { file_path: text }
  return kind === 'net' ? { url: text } : { command: text }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Not JSON, so it is a text.
    return undefined
  }
}

function answerOf(foreseen: DryRunResult): object {
  const { outcome, evaluations, skipped: leftOut } = foreseen
  const { risk, gravest } = riskOf(foreseen)
  return {
    decision: outcome.decision,
    effect: risk?.effect ?? null,
    tier: risk?.tier ?? null,
    reason: outcome.reason ?? null,
    hook: outcome.hook ?? null,
    rule: gravest?.rule ?? null,
    span: gravest?.span ?? null,
    alternative: gravest?.alternative ?? outcome.suggestion ?? null,
    evaluations,
    leftOut,
  }
}

// Each project has a pipeline of its own; a batch has few of them, but possibly many directories.
const MAX_PIPELINES = 64
const MAX_PLACES = 10_000

async function checkLines(options: CheckOptions): Promise<number> {
  const checker = new LineChecker(options)
  let hasFailed = false
  try {
    for await (const line of createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
      if (line.trim() === '') continue
      const answer = await checker.check(line)
      hasFailed ||= 'error' in answer
      if (!process.stdout.write(`${JSON.stringify(answer)}\n`)) await once(process.stdout, 'drain')
    }
  } finally {
    checker.close()
  }
  return hasFailed ? 1 : 0
}

class LineChecker {
  readonly #options: CheckOptions
  readonly #opened = new Map<string, ReturnType<typeof openDryRun>>()
  readonly #projects = new Map<string, string | undefined>()

  constructor(options: CheckOptions) {
    this.#options = options
  }

  async check(line: string): Promise<object> {
    const asked = parse(line)
    const id = isRecord(asked) && asked.id !== undefined ? asked.id : null
    if (!isRecord(asked)) return { id, error: `expected {"id", "command", "cwd"?}, not ${show(line)}` }
    const { command, cwd = this.#options.cwd ?? '.' } = asked
    if (typeof command !== 'string') return { id, error: `command must be a text, not ${show(command)}` }
    if (typeof cwd !== 'string') return { id, error: `cwd must be a text, not ${show(cwd)}` }
    try {
      const place = resolve(cwd)
      const foreseen = await foresee(this.#previewAt(place), command, this.#options.tool, place)
      const { risk, gravest } = riskOf(foreseen)
      const { decision } = foreseen.outcome
      return { id, decision, effect: risk?.effect ?? null, tier: risk?.tier ?? null, rule: gravest?.rule ?? null }
    } catch (error) {
      return { id, error: describe(error) }
    }
  }

  close(): void {
    for (const { close } of this.#opened.values()) close()
    this.#opened.clear()
  }

  // Every directory without a layer of its own sees the same pipeline.
  #previewAt(cwd: string): DryRun {
    if (this.#projects.size > MAX_PLACES) this.#projects.clear()
    const project = this.#projects.has(cwd) ? this.#projects.get(cwd) : findProject(cwd)
    this.#projects.set(cwd, project)
    const key = project ?? ''
    const known = this.#opened.get(key)
    if (known !== undefined) return known.preview
    if (this.#opened.size >= MAX_PIPELINES) this.close()
    const opened = openDryRun({ cwd, mode: 'enforce', report })
    for (const problem of opened.preview.problems) tell(formatProblem(problem))
    this.#opened.set(key, opened)
    return opened.preview
  }
}
