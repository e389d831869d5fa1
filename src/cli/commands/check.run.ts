// `arc check`: a dry run of one tool call in enforce mode. Nothing is run or recorded.

import { once } from 'node:events'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { formatProblem } from '../../config/problem.ts'
import { describe, show } from '../../engine/errors.ts'
import { isRecord } from '../../engine/plain-data.ts'
import { quoteForShell } from '../../engine/shell-quote.ts'
import { toolClass } from '../../engine/tools.ts'
import type { Decision } from '../../engine/verdict.ts'
import { deriveSteps } from '../../hosts/derived-steps.ts'
import { findProject } from '../../platform/home.ts'
import { type DryRun, type DryRunResult, openDryRun } from '../../supervisor/dry-run.ts'
import { context } from '../context.ts'
import { info, printJson, report } from '../output.ts'
import { findAllowed, findRisk, printDecision } from './check/decision-report.ts'

/** The options of `arc check`. */
export interface CheckOptions {
  readonly cwd?: string
  readonly tool: string
  readonly explain?: boolean
  readonly json?: boolean
  readonly jsonl?: boolean
}

const EXIT: Readonly<Record<Decision, number>> = { pass: 0, flag: 0, block: 2, ask: 3 }
const USAGE = 'expected a command, as in: arc check git push --force'

/** Checks one call, or one call per line of stdin. */
export async function check(words: readonly string[], options: CheckOptions): Promise<number> {
  if (options.jsonl === true) return checkLines(options)
  const text = joinWords(words)
  if (text.trim() === '') {
    info(`arc: ${USAGE}`)
    return 2
  }
  const cwd = resolve(context().cwd, options.cwd ?? '.')
  const isExplained = options.explain === true && toolClass(options.tool) === 'shell'
  const { preview, close } = openDryRun({ cwd, mode: 'enforce', report })
  try {
    for (const problem of preview.problems) info(formatProblem(problem))
    const foreseen = await foresee(preview, text, options.tool, cwd)
    if (options.json === true) printJson(decisionJson(foreseen))
    else printDecision(text, foreseen, isExplained ? { cwd } : undefined)
    return EXIT[foreseen.outcome.decision]
  } finally {
    close()
  }
}

// A single word is the whole command line. Several words were split by the user's shell: quotes are put back.
function joinWords(words: readonly string[]): string {
  if (words.length <= 1) return words[0] ?? ''
  return words.map((word) => (/^[\w@%+=:,./~^-]+$/.test(word) ? word : quoteForShell(word))).join(' ')
}

function foresee(preview: DryRun, text: string, tool: string, cwd: string): Promise<DryRunResult> {
  const step = {
    point: 'pre:tool' as const,
    data: { tool, args: readToolArgs(text, tool) },
    context: { workspace: cwd, profile: preview.config.profile },
  }
  return preview.evaluate(step.point, step.data, step.context, (hasHooks) => deriveSteps(step, hasHooks))
}

// Shell tools take a command. Other tools take JSON, or the main argument of their class.
function readToolArgs(text: string, tool: string): Readonly<Record<string, unknown>> {
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
    // Not JSON: plain text.
    return undefined
  }
}

function decisionJson(foreseen: DryRunResult): object {
  const { outcome, evaluations, skipped: leftOut } = foreseen
  const { risk, gravest } = findRisk(foreseen)
  return {
    decision: outcome.decision,
    effect: risk?.effect ?? null,
    tier: risk?.tier ?? null,
    reason: outcome.reason ?? findAllowed(foreseen) ?? null,
    hook: outcome.hook ?? null,
    rule: gravest?.rule ?? null,
    span: gravest?.span ?? null,
    alternative: gravest?.alternative ?? outcome.suggestion ?? null,
    evaluations,
    leftOut,
  }
}

// A batch has few projects (one pipeline each), but possibly many directories.
const MAX_PIPELINES = 64
const MAX_DIRECTORIES = 10_000

async function checkLines(options: CheckOptions): Promise<number> {
  const checker = new LineChecker(options)
  let hasFailed = false
  try {
    for await (const line of createInterface({ input: context().stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
      if (line.trim() === '') continue
      const answer = await checker.check(line)
      hasFailed ||= 'error' in answer
      if (!context().stdout.write(`${JSON.stringify(answer)}\n`)) await once(context().stdout, 'drain')
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
    const request = parse(line)
    const id = isRecord(request) && request.id !== undefined ? request.id : null
    if (!isRecord(request)) return { id, error: `expected {"id", "command", "cwd"?}, not ${show(line)}` }
    const { command, cwd = this.#options.cwd ?? '.' } = request
    if (typeof command !== 'string') return { id, error: `command must be a string, not ${show(command)}` }
    if (typeof cwd !== 'string') return { id, error: `cwd must be a string, not ${show(cwd)}` }
    try {
      const dir = resolve(context().cwd, cwd)
      const foreseen = await foresee(this.#previewAt(dir), command, this.#options.tool, dir)
      const { risk, gravest } = findRisk(foreseen)
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

  // All directories outside of projects share one pipeline.
  #previewAt(cwd: string): DryRun {
    if (this.#projects.size > MAX_DIRECTORIES) this.#projects.clear()
    const project = this.#projects.has(cwd) ? this.#projects.get(cwd) : findProject(cwd)
    this.#projects.set(cwd, project)
    const key = project ?? ''
    const known = this.#opened.get(key)
    if (known !== undefined) return known.preview
    if (this.#opened.size >= MAX_PIPELINES) this.close()
    const opened = openDryRun({ cwd, mode: 'enforce', report })
    for (const problem of opened.preview.problems) info(formatProblem(problem))
    this.#opened.set(key, opened)
    return opened.preview
  }
}
