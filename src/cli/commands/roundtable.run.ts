// `arc roundtable TOPIC`: a discussion between real agents, each started under supervision for its turn.

import { constants } from 'node:os'
import { resolve } from 'node:path'
import { agentKey } from '../../engine/agent-key.ts'
import { ArcError, show } from '../../engine/errors.ts'
import type { Outcome } from '../../engine/outcome.ts'
import { arcHome, findProject } from '../../platform/home.ts'
import { killAgents } from '../../roundtable/driver/agent-process.ts'
import type { DriveEnd } from '../../roundtable/driver/roundtable-driver.ts'
import { findRoundtable, listRoundtables } from '../../roundtable/driver/roundtable-store.ts'
import { DEFAULT_ROUNDS, MAX_TOPIC, parseRoundtable } from '../../roundtable/parse-request.ts'
import type { TableView } from '../../roundtable/view.ts'
import { ProfileHome } from '../../supervisor/profile-home.ts'
import type { Supervisor } from '../../supervisor/supervisor.ts'
import colors from '../colors.ts'
import { context } from '../context.ts'
import { info, oneLine, print, printJson, readSpan } from '../output.ts'
import { synthesisLines, TableScreen } from './roundtable/roundtable-screen.ts'
import { findSeats, readCommands, type Seat } from './roundtable/seats.ts'
import { requireTable, tableJson } from './roundtable/tables.ts'

interface JsonOption {
  readonly json?: boolean
}

/** The options of `arc roundtable`. */
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

/** Runs a roundtable, or continues one. */
export async function runRoundtable(words: readonly string[], options: RoundtableOptions): Promise<number> {
  const turnMs = readSpan(options.turnTimeout)
  if (turnMs === undefined || turnMs === 0) {
    return reportUsage(`--turn-timeout must be like 90s or 5m, not ${show(options.turnTimeout)}`)
  }
  const home = resolve(arcHome())
  const profiles = new ProfileHome(home)
  const before = options.resume === undefined ? undefined : requireTable(options.resume)
  const plan = readPlan(words.join(' '), options, profiles, before)
  if (typeof plan === 'string') return reportUsage(plan)
  // Agents with a running session are not started. The sessions of a deserted table are gone.
  const seated = before === undefined || before.status === 'deserted' ? [] : before.seats
  const taken = new Set(seated.flatMap(({ agent, session }) => (session === null ? [] : [agent])))
  const names = plan.agents.filter((agent) => !taken.has(agent))
  const seats = findSeats({ names, commands: options.agent ?? [] }, profiles)
  return runDiscussion({ plan, seats, home, turnMs, options, before })
}

interface Plan {
  readonly topic: string
  readonly agents: readonly string[]
  readonly rounds: number
}

// Command line options win over options inside the topic text, and these over the profile.
function readPlan(
  text: string,
  options: RoundtableOptions,
  profiles: ProfileHome,
  before: TableView | undefined,
): Plan | string {
  if (before !== undefined) return text.trim() === '' ? before : '--resume takes no topic'
  const settings = profiles.load().config.hooks.roundtable?.options as Partial<Plan> | undefined
  const parsed = parseRoundtable(text, settings)
  const topic = (parsed?.topic ?? text).trim()
  if (topic === '') return 'expected a topic, as in: arc roundtable "Tabs or spaces?" --agents claude,codex'
  if (topic.length > MAX_TOPIC) return `a topic has at most ${MAX_TOPIC} characters, not ${topic.length}`
  const rounds = options.rounds ?? parsed?.rounds ?? settings?.rounds ?? DEFAULT_ROUNDS
  if (!/^\d{1,9}$/.test(String(rounds))) return `--rounds must be a whole number, not ${show(rounds)}`
  const named = readAgentNames(options)
  const agents = distinct(named.length > 0 ? named : (parsed?.agents ?? settings?.agents ?? []))
  if (agents.length < 2) return 'at least two agents are needed, as in: --agents claude,codex'
  const { synthesizer } = options
  if (synthesizer !== undefined && !agents.includes(synthesizer))
    return `--synthesizer must be one of ${agents.join(', ')}`
  return { topic, agents, rounds: Number(rounds) }
}

// From --agents and --agent.
function readAgentNames({ agents = '', agent = [] }: RoundtableOptions): string[] {
  const given = agents.split(',').map((name) => name.trim())
  return [...given, ...readCommands(agent).keys()].filter((name) => name !== '')
}

function distinct(names: readonly string[]): readonly string[] {
  const seen = new Set<string>()
  return names.filter((name) => !seen.has(agentKey(name)) && seen.add(agentKey(name)))
}

function reportUsage(problem: string): number {
  info(`arc: ${problem}`)
  info('Usage: arc roundtable TOPIC --agents a,b,c [--rounds N]\nMore:  arc roundtable --help')
  return EXIT.blocked
}

interface Discussion {
  readonly plan: Plan
  readonly seats: readonly Seat[]
  readonly home: string
  readonly turnMs: number
  readonly options: RoundtableOptions
  readonly before: TableView | undefined
}

async function runDiscussion({ plan, seats, home, turnMs, options, before }: Discussion): Promise<number> {
  const [{ RoundtableDriver }, { createSpeaker }] = await Promise.all([
    import('../../roundtable/driver/roundtable-driver.ts'),
    import('./roundtable/speaker.ts'),
  ])
  const screen = new TableScreen(options.json === true ? info : print, { isJson: options.json })
  const note = (text: string): void => screen.note(text)
  const cwd = context().cwd
  const supervisors = new Supervisors({ home, cwd, note })
  const interruption = listenForSignals(note)
  try {
    const supervisor = await supervisors.of(new ProfileHome(home).active)
    const supervisorOf = (profile: string): Promise<Supervisor> => supervisors.of(profile)
    const noteOnce = onlyOnce(note)
    const speakers = seats.map((seat) => createSpeaker({ seat, home, cwd, turnMs, supervisorOf, note: noteOnce }))
    const driver = new RoundtableDriver({
      supervisor,
      speakers,
      turnMs,
      // Without a terminal the question is not seen, so an approval is not waited for.
      holdMs: context().stderr.isTTY === true ? HOLD_MS : 0,
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
  const seen = new Set<string>()
  return (text) => {
    if (!seen.has(text)) note(text)
    seen.add(text)
  }
}

// One supervisor per profile, created on first use.
class Supervisors {
  readonly #supervisors = new Map<string, Promise<Supervisor>>()
  readonly #options: { readonly home: string; readonly cwd: string; readonly note: (text: string) => void }

  constructor(options: { readonly home: string; readonly cwd: string; readonly note: (text: string) => void }) {
    this.#options = options
  }

  of(profile: string): Promise<Supervisor> {
    const supervisor = this.#supervisors.get(profile) ?? this.#create(profile)
    this.#supervisors.set(profile, supervisor)
    return supervisor
  }

  async #create(profile: string): Promise<Supervisor> {
    const { home, cwd, note } = this.#options
    const { createSupervisor } = await import('../../supervisor/create-supervisor.ts')
    const project = findProject(cwd, home)
    return createSupervisor({
      via: 'cli',
      home,
      profile,
      askMs: 0,
      report: note,
      notify: (notice) => {
        const text = 'message' in notice ? notice.message : `${notice.decision}, ${notice.reason ?? 'no reason given'}`
        note(`[${notice.hook}] ${text}`)
      },
      ...(project !== undefined && { project }),
    })
  }

  async close(): Promise<void> {
    // A supervisor that could not be created was reported when its agent failed.
    const closing = [...this.#supervisors.values()].map(async (supervisor) => (await supervisor).close())
    await Promise.allSettled(closing)
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

// The first signal interrupts the roundtable and saves its turns; the second one exits at once.
function listenForSignals(note: (text: string) => void) {
  const controller = new AbortController()
  let exitCode: number | undefined
  const handlers = SIGNALS.map((name) => {
    const handler = (): void => {
      if (exitCode !== undefined) process.exit(exitCode)
      exitCode = EXIT.bySignal + constants.signals[name]
      note('interrupting; all turns so far are saved. Press Ctrl-C again to exit at once.')
      controller.abort()
    }
    process.on(name, handler)
    return [name, handler] as const
  })
  // No agent outlives this process.
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
  const what = isHeld ? 'holds the topic for approval' : 'blocked the topic'
  info(`arc: ${hook ?? 'a hook'} ${what}: ${oneLine(reason ?? 'no reason given', 600)}`)
  if (suggestion !== undefined) info(`Instead: ${oneLine(suggestion, 600)}`)
  if (isHeld && approval !== undefined) info(`To approve: arc approve ${approval.id}, then run the same command again`)
  if (traceId !== undefined) info(`Trace ${traceId} (arc why ${traceId})`)
  return isHeld ? EXIT.held : EXIT.blocked
}

function finish(
  { kind, table }: Exclude<DriveEnd, { kind: 'refused' }>,
  supervisor: Supervisor,
  { json, bySignal = EXIT.failed }: { readonly json: boolean; readonly bySignal: number | undefined },
): number {
  const view = findRoundtable(listRoundtables(supervisor.state), table.id)
  if (view === undefined) throw new ArcError('ARC_ROUNDTABLE_UNKNOWN', `The roundtable ${table.id} no longer exists.`)
  if (json) printJson(tableJson(view))
  else if (view.synthesis !== undefined) for (const line of synthesisLines(view.synthesis)) print(line)
  const look = `arc roundtable show ${view.id}`
  if (kind === 'waiting') {
    info(colors.yellow(`\n${oneLine(view.awaited?.note ?? `Saved: ${look}`, 600)}`))
    return EXIT.done
  }
  const rest = kind === 'over' ? '' : ` · to continue: arc roundtable --resume ${view.id}`
  info(colors.dim(`\n${kind === 'over' ? 'Saved' : 'Interrupted; all turns so far are saved'}: ${look}${rest}`))
  if (kind === 'interrupted') return bySignal
  return view.turns.some(({ outcome }) => outcome === 'spoken') ? EXIT.done : EXIT.failed
}
