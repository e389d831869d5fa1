// What was stopped, held, or would have been in enforce, since a time: by rule, project, hook and day. Reads the stopped actions
// by index and counts the rest in the store, so memory does not grow with the trace.

import type { Action } from '../../protocol/feed-views.ts'
import type { HookStatistics, TraceStore } from '../../storage/ports.ts'
import { searchActions } from './action-search.ts'

/** How many actions were stopped. */
export interface StopCounts {
  /** Blocked. */
  readonly stopped: number
  /** Held for approval. */
  readonly held: number
  /** Neither, but enforce would have blocked or held them. */
  readonly wouldStop: number
}

/** An action, as an example of a rule. */
interface ReportExample {
  readonly id: string
  readonly time: string
  readonly command: string
  readonly project: string | null
}

/** The actions of a rule; `rule` is null for those of a hook without rules. */
export interface RuleReport extends StopCounts {
  readonly rule: string | null
  readonly hook: string | null
  readonly count: number
  readonly projects: readonly string[]
  /** The newest, each command once. */
  readonly examples: readonly ReportExample[]
}

interface ProjectReport extends StopCounts {
  readonly project: string
}

/** A day in the local zone, as in `2026-11-18`. */
export interface DayReport extends StopCounts {
  readonly day: string
  readonly actions: number
}

export interface TraceReport extends StopCounts {
  readonly since: string
  readonly actions: number
  /** Most actions first, like the projects. */
  readonly rules: readonly RuleReport[]
  readonly projects: readonly ProjectReport[]
  readonly days: readonly DayReport[]
  readonly hooks: readonly HookStatistics[]
}

const STOPPING = 'ask,block,would-block'
const MAX_EXAMPLES = 3
const MAX_PROJECTS = 1_000

/** Reads the report. `onProgress` receives the number of counted records. */
export async function readReport(
  trace: TraceStore,
  since: number,
  now: number,
  onProgress?: (records: number) => void,
): Promise<TraceReport> {
  const { actions, quarters, hooks } = trace.statistics({ since, onProgress })
  const total = newCounts()
  const rules = new Map<string, RuleCounter>()
  const projects = new Map<string, Counts>()
  const days = listDays(Math.max(since, quarters[0]?.at ?? now), now)
  for (const quarter of quarters) findDay(days, quarter.at).actions += quarter.actions
  for await (const action of searchActions(trace, { decision: STOPPING, since })) {
    const kind = readKind(action)
    const { workspace, rule, hook = '' } = action
    count(total, kind)
    count(findDay(days, Date.parse(action.time)), kind)
    take(rules, rule ?? `hook ${hook}`, () => new RuleCounter()).add(action, kind)
    if (workspace === undefined || (projects.size >= MAX_PROJECTS && !projects.has(workspace))) continue
    count(take(projects, workspace, newCounts), kind)
  }
  return {
    since: new Date(since).toISOString(),
    actions,
    ...total,
    rules: [...rules.values()].map((rule) => rule.result()).sort((a, b) => b.count - a.count),
    projects: [...projects].map(([project, counts]) => ({ project, ...counts })).sort((a, b) => sum(b) - sum(a)),
    days: [...days.values()].sort((a, b) => (a.day < b.day ? -1 : 1)),
    hooks,
  }
}

type Counts = { -readonly [Key in keyof StopCounts]: StopCounts[Key] }
type Day = Counts & { readonly day: string; actions: number }

const newCounts = (): Counts => ({ stopped: 0, held: 0, wouldStop: 0 })

function count(counts: Counts, kind: keyof StopCounts): void {
  counts[kind] += 1
}

function sum({ stopped, held, wouldStop }: StopCounts): number {
  return stopped + held + wouldStop
}

function take<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}

function readKind({ decision }: Action): keyof StopCounts {
  if (decision === 'block') return 'stopped'
  return decision === 'ask' ? 'held' : 'wouldStop'
}

class RuleCounter {
  readonly #counts = newCounts()
  readonly #projects = new Set<string>()
  readonly #examples = new Map<string, ReportExample>()
  #rule: string | null = null
  #hook: string | null = null

  add({ id, time, preview, workspace, rule, hook }: Action, kind: keyof StopCounts): void {
    count(this.#counts, kind)
    this.#rule = rule ?? null
    this.#hook ??= hook ?? null
    if (workspace !== undefined && this.#projects.size < MAX_PROJECTS) this.#projects.add(workspace)
    if (this.#examples.size >= MAX_EXAMPLES || this.#examples.has(preview)) return
    this.#examples.set(preview, { id, time, command: preview, project: workspace ?? null })
  }

  result(): RuleReport {
    const names = { rule: this.#rule, hook: this.#hook, count: sum(this.#counts) }
    return { ...names, ...this.#counts, projects: [...this.#projects], examples: [...this.#examples.values()] }
  }
}

const NOON = 12

// Every day from the first action on, also those without actions.
function listDays(since: number, now: number): Map<string, Day> {
  const days = new Map<string, Day>()
  const last = nameDay(new Date(now))
  // By noon: a day may have 23 or 25 hours.
  const noon = new Date(since)
  noon.setHours(NOON, 0, 0, 0)
  for (let name = nameDay(noon); name <= last; noon.setDate(noon.getDate() + 1), name = nameDay(noon)) {
    days.set(name, { day: name, actions: 0, ...newCounts() })
  }
  return days
}

// A clock that is ahead may give a day after the last.
function findDay(days: Map<string, Day>, at: number): Day {
  const day = nameDay(new Date(at))
  return take(days, day, () => ({ day, actions: 0, ...newCounts() }))
}

function nameDay(date: Date): string {
  const two = (value: number): string => String(value).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}
