// `arc roundtable TOPIC`: a discussion between real agents, each started for its turn under supervision. `list` and
// `show` look at those that were held, or are being held in another terminal.

import { constants } from 'node:os'
import { resolve } from 'node:path'
import { agentKey } from '../../engine/agent-key.ts'
import { ArcError, show } from '../../engine/errors.ts'
import type { Outcome } from '../../engine/outcome.ts'
import { arcHome, databaseFile, findProject } from '../../platform/home.ts'
import { killAgents } from '../../roundtable/driver/agent-process.ts'
import type { DriveEnd } from '../../roundtable/driver/roundtable-driver.ts'
import { findRoundtable, listRoundtables } from '../../roundtable/driver/roundtable-store.ts'
import { DEFAULT_ROUNDS, MAX_TOPIC, parseRoundtable } from '../../roundtable/parse-request.ts'
import type { TableView } from '../../roundtable/view.ts'
import { SqliteStateStore } from '../../storage/sqlite/state-store.ts'
import { ProfileHome } from '../../supervisor/profile-home.ts'
import type { Supervisor } from '../../supervisor/supervisor.ts'
import colors from '../colors.ts'
import { ago, alignColumns, columnsOf, oneLine, print, printJson, readSpan, tell } from '../output.ts'
import { findSeats, readCommands, type Seat } from './roundtable/agents.ts'
import { headLines, showTime, synthesisLines, TableScreen, turnLines } from './roundtable/screen.ts'

interface JsonOption {
  readonly json?: boolean
}

/** What `arc roundtable` was asked. */
export interface RoundtableOptions extends JsonOption {
  readonly agents?: string
  readonly agent?: readonly string[]
  readonly rounds?: string
  readonly turnTimeout: string
  readonly synthesizer?: string
  readonly resume?: string
}

const EXIT = { done: 0, failed: 1, blocked: 2, held: 3, bySignal: 128 } as const
const HOLD_MS = 60_000

/** Holds a roundtable, or goes on with one. */
export async function roundtable(words: readonly string[], options: RoundtableOptions): Promise<number> {
  const turnMs = readSpan(options.turnTimeout)
  if (turnMs === undefined || turnMs === 0) {
    return misused(`--turn-timeout must be like 90s or 5m, not ${show(options.turnTimeout)}`)
  }
  const home = resolve(arcHome())
  const profiles = new ProfileHome(home)
  const before = options.resume === undefined ? undefined : requireTable(options.resume)
  const plan = planOf(words.join(' '), options, profiles, before)
  if (typeof plan === 'string') return misused(plan)
  const seats = findSeats({ names: plan.agents, commands: options.agent ?? [] }, profiles)
  return hold({ plan, seats, home, turnMs, options, before })
}

interface Plan {
  readonly topic: string
  readonly agents: readonly string[]
  readonly rounds: number
}

// What the command line says, else what the topic says in the words of a message, else what the profile says.
function planOf(
  text: string,
  options: RoundtableOptions,
  profiles: ProfileHome,
  before: TableView | undefined,
): Plan | string {
  if (before !== undefined) return text.trim() === '' ? before : '--resume goes on with its own topic: give none'
  const settings = profiles.load().config.hooks.roundtable?.options as Partial<Plan> | undefined
  const asked = parseRoundtable(text, settings)
  const topic = (asked?.topic ?? text).trim()
  if (topic === '') return 'a topic is missing, as in: arc roundtable "Tabs or spaces?" --agents claude,codex'
  if (topic.length > MAX_TOPIC) return `a topic has at most ${MAX_TOPIC} characters, not ${topic.length}`
  const rounds = options.rounds ?? asked?.rounds ?? settings?.rounds ?? DEFAULT_ROUNDS
  if (!/^\d{1,9}$/.test(String(rounds))) return `--rounds takes a whole number, not ${show(rounds)}`
  const given = (options.agents ?? '').split(',').map((name) => name.trim())
  const named = [...given, ...readCommands(options.agent ?? []).keys()].filter((name) => name !== '')
  const fallback = asked?.agents ?? settings?.agents ?? []
  const agents = distinct(named.length > 0 ? named : fallback)
  if (agents.length < 2) return 'at least two agents are needed, as in: --agents claude,codex'
  const { synthesizer } = options
  if (synthesizer !== undefined && !agents.includes(synthesizer))
    return `--synthesizer must be one of ${agents.join(', ')}`
  return { topic, agents, rounds: Number(rounds) }
}

function distinct(names: readonly string[]): readonly string[] {
  const seen = new Set<string>()
  return names.filter((name) => !seen.has(agentKey(name)) && seen.add(agentKey(name)))
}

function misused(problem: string): number {
  tell(`arc: ${problem}`)
  tell('Usage: arc roundtable TOPIC --agents a,b,c [--rounds N]\nMore:  arc roundtable --help')
  return EXIT.blocked
}

interface Held {
  readonly plan: Plan
  readonly seats: readonly Seat[]
  readonly home: string
  readonly turnMs: number
  readonly options: RoundtableOptions
  readonly before: TableView | undefined
}

async function hold({ plan, seats, home, turnMs, options, before }: Held): Promise<number> {
  const [{ RoundtableDriver }, { speakerFor }] = await Promise.all([
    import('../../roundtable/driver/roundtable-driver.ts'),
    import('./roundtable/speaker.ts'),
  ])
  const screen = new TableScreen(options.json === true ? tell : print)
  const note = (text: string): void => screen.note(text)
  const cwd = process.cwd()
  const supervisors = new Supervisors({ home, cwd, note })
  const interruption = listenForSignals(note)
  try {
    const supervisor = await supervisors.of(new ProfileHome(home).active)
    const supervisorOf = (profile: string): Promise<Supervisor> => supervisors.of(profile)
    const noteOnce = onlyOnce(note)
    const speakers = seats.map((seat) => speakerFor({ seat, home, cwd, turnMs, supervisorOf, note: noteOnce }))
    const driver = new RoundtableDriver({
      supervisor,
      speakers,
      turnMs,
      // A person who sees the question may answer it; nobody else is waited for.
      holdMs: process.stderr.isTTY === true ? HOLD_MS : 0,
      synthesizer: options.synthesizer,
      workspace: cwd,
      signal: interruption.signal,
      onEvent: screen.onEvent,
    })
    const end = await (before === undefined ? driver.open(plan) : driver.resume(before.session))
    screen.close()
    if (end.kind === 'refused') return refuse(end.outcome, options)
    return finish(end, supervisor, { json: options.json === true, bySignal: interruption.exitCode() })
  } finally {
    screen.close()
    interruption.stop()
    await supervisors.close()
  }
}

function onlyOnce(note: (text: string) => void): (text: string) => void {
  const told = new Set<string>()
  return (text) => {
    if (!told.has(text)) note(text)
    told.add(text)
  }
}

// One supervisor for each profile at the table, made when it is needed.
class Supervisors {
  readonly #made = new Map<string, Promise<Supervisor>>()
  readonly #place: { readonly home: string; readonly cwd: string; readonly note: (text: string) => void }

  constructor(place: { readonly home: string; readonly cwd: string; readonly note: (text: string) => void }) {
    this.#place = place
  }

  of(profile: string): Promise<Supervisor> {
    const made = this.#made.get(profile) ?? this.#make(profile)
    this.#made.set(profile, made)
    return made
  }

  async #make(profile: string): Promise<Supervisor> {
    const { home, cwd, note } = this.#place
    const { createSupervisor } = await import('../../supervisor/create-supervisor.ts')
    const project = findProject(cwd, home)
    return createSupervisor({
      via: 'cli',
      home,
      profile,
      askMs: 0,
      report: note,
      notify: (notice) => {
        const said = 'message' in notice ? notice.message : `${notice.decision}, ${notice.reason ?? 'no reason given'}`
        note(`[${notice.hook}] ${said}`)
      },
      ...(project !== undefined && { project }),
    })
  }

  async close(): Promise<void> {
    // One that could not be made has been told of already: its agent failed.
    await Promise.allSettled([...this.#made.values()].map((made) => made.then((supervisor) => supervisor.close())))
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

// The first signal breaks the table off and keeps what was said; the second ends everything at once.
function listenForSignals(note: (text: string) => void) {
  const controller = new AbortController()
  let exitCode: number | undefined
  const handlers = SIGNALS.map((name) => {
    const handler = (): void => {
      if (exitCode !== undefined) process.exit(exitCode)
      exitCode = EXIT.bySignal + constants.signals[name]
      note('breaking off; what was said is kept. Once more ends at once.')
      controller.abort()
    }
    process.on(name, handler)
    return [name, handler] as const
  })
  // However this process ends, no agent is left behind.
  process.on('exit', killAgents)
  const stop = (): void => {
    for (const [name, handler] of handlers) process.removeListener(name, handler)
    process.removeListener('exit', killAgents)
  }
  return { signal: controller.signal, exitCode: () => exitCode, stop }
}

function refuse({ decision, hook, reason, suggestion, metadata }: Outcome, { json }: JsonOption): number {
  const { traceId, approval } = metadata as { traceId?: string; approval?: { readonly id: string } }
  const isHeld = decision === 'ask'
  if (json === true) printJson({ decision, hook, reason, suggestion, traceId, approval })
  const what = isHeld ? 'held the topic for a person' : 'blocked the topic'
  tell(`arc: ${hook ?? 'a hook'} ${what}: ${oneLine(reason ?? 'no reason was given', 600)}`)
  if (suggestion !== undefined) tell(`Instead: ${oneLine(suggestion, 600)}`)
  if (isHeld && approval !== undefined)
    tell(`To let it through: arc approvals approve ${approval.id}, then the same again`)
  if (traceId !== undefined) tell(`Trace ${traceId} (arc why ${traceId})`)
  return isHeld ? EXIT.held : EXIT.blocked
}

function finish(
  { kind, table }: Exclude<DriveEnd, { kind: 'refused' }>,
  supervisor: Supervisor,
  { json, bySignal = EXIT.failed }: { readonly json: boolean; readonly bySignal: number | undefined },
): number {
  const view = findRoundtable(listRoundtables(supervisor.state), table.id)
  if (view === undefined) throw new ArcError('ARC_ROUNDTABLE_UNKNOWN', `The roundtable ${table.id} is gone.`)
  if (json) printJson(jsonOf(view))
  else if (view.synthesis !== undefined) for (const line of synthesisLines(view.synthesis)) print(line)
  const look = `arc roundtable show ${view.id}`
  const rest = kind === 'over' ? '' : ` · to go on: arc roundtable --resume ${view.id}`
  tell(colors.dim(`\n${kind === 'over' ? 'Kept' : 'Broken off; what was said is kept'}: ${look}${rest}`))
  if (kind === 'interrupted') return bySignal
  return view.turns.some(({ outcome }) => outcome === 'spoken') ? EXIT.done : EXIT.failed
}

/** What `arc roundtable list` was asked. */
export interface ListOptions extends JsonOption {
  readonly limit: string
}

/** Lists roundtables, the newest last. */
export function listTables({ limit, json }: ListOptions): number {
  if (!/^[1-9]\d{0,8}$/.test(limit)) {
    tell(`arc: --limit takes a whole number above 0, not ${JSON.stringify(limit)}`)
    return EXIT.blocked
  }
  const views = readTables().slice(-Number(limit))
  if (json === true) printJson(views.map(jsonOf))
  else if (views.length === 0) tell('No roundtables. To hold one: arc roundtable TOPIC --agents a,b,c')
  else for (const line of alignColumns(views.map(rowOf), { head: HEAD })) print(line)
  return EXIT.done
}

/** Shows one roundtable with all its turns. */
export function showTable(id: string, { json }: JsonOption): number {
  const view = requireTable(id)
  if (json === true) printJson(jsonOf(view))
  else printView(view)
  return EXIT.done
}

function readTables(): readonly TableView[] {
  const state = new SqliteStateStore(databaseFile())
  try {
    return listRoundtables(state)
  } finally {
    state.close()
  }
}

function requireTable(id: string): TableView {
  const view = findRoundtable(readTables(), id)
  if (view !== undefined) return view
  throw new ArcError('ARC_ROUNDTABLE_UNKNOWN', `There is no roundtable ${show(id)}, or more than one begins so.`)
}

// What it came to also stands at the top, for those who want nothing else.
function jsonOf(view: TableView): object {
  const { startedAt, endedAt, expiresAt, turns, speaking, synthesis } = view
  const { consensus = null, summary = null, keyPoints = [] } = synthesis ?? {}
  const times = { startedAt: timeOf(startedAt), endedAt: timeOrNull(endedAt), expiresAt: timeOf(expiresAt) }
  return {
    ...{ ...view, ...times },
    turns: turns.map((turn) => ({ ...turn, startedAt: timeOrNull(turn.startedAt) })),
    speaking: speaking && { ...speaking, since: timeOrNull(speaking.since) },
    ...{ synthesis: synthesis ?? null, consensus, summary, keyPoints },
  }
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString()
}

function timeOrNull(ms: number | null): string | null {
  return ms === null ? null : timeOf(ms)
}

const HEAD = ['id', 'status', 'turns', 'age', 'topic']
// What stands before the topic.
const TOPIC_COLUMN = 58

function rowOf({ id, status, turns, rounds, agents, startedAt, topic }: TableView): readonly string[] {
  const count = `${turns.length}/${agents.length * rounds}`
  const room = Math.max(20, columnsOf() - TOPIC_COLUMN)
  return [oneLine(id, 40), PAINT[status](status), count, ago(timeOf(startedAt)), oneLine(topic, room)]
}

const PAINT: Readonly<Record<TableView['status'], (text: string) => string>> = {
  active: colors.blue,
  synthesizing: colors.cyan,
  complete: colors.green,
  interrupted: colors.yellow,
  deserted: colors.dim,
}

function printView(view: TableView): void {
  const { status, turns, rounds, speaking, synthesis, asideCount, durationMs, asides } = view
  const took = durationMs === null ? '' : ` · ${showTime(durationMs)}`
  for (const line of headLines(view)) print(line)
  print(`${PAINT[status](status)}${colors.dim(`${took} · ${ago(timeOf(view.startedAt))} ago`)}`)
  for (const line of turns.flatMap((turn) => turnLines(turn, rounds))) print(line)
  if (speaking !== null)
    print(`\n${colors.dim(`${oneLine(speaking.agent)} (${speaking.role}) speaks, round ${speaking.round}`)}`)
  if (synthesis !== undefined) for (const line of synthesisLines(synthesis)) print(line)
  if (asideCount > 0)
    print(colors.dim(`\n${asideCount} said out of turn; the last by ${oneLine(asides.at(-1)?.agent ?? '?')}`))
  if (status === 'interrupted' && view.isDriven) print(colors.dim(`\nTo go on: arc roundtable --resume ${view.id}`))
}
