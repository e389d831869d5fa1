// A roundtable of running sessions, as the payloads and replies of real agents carry it.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeHome, PROFILE } from '../../../test/supervised-home.ts'
import type { HostName } from '../../hosts/host.ts'
import { joinTable } from '../../roundtable/driver/join-table.ts'
import { listRoundtables } from '../../roundtable/driver/roundtable-store.ts'
import { roundtableKey } from '../../roundtable/machine.ts'
import { takeSeat } from '../../roundtable/session-seats.ts'
import type { TableView } from '../../roundtable/view.ts'
import { answerHookCall } from './answer.ts'
import { SupervisorPool } from './supervisor-pool.ts'

type Mode = 'enforce' | 'advise' | 'log'

let pools: Readonly<Record<Mode, SupervisorPool>>

function openPool(mode: Mode): SupervisorPool {
  const home = makeHome()
  home.write(PROFILE, { enforcement: mode })
  home.write('home/profiles/architect.json', { tool: 'codex' })
  return new SupervisorPool(home.home, () => undefined)
}

beforeAll(() => {
  pools = { enforce: openPool('enforce'), advise: openPool('advise'), log: openPool('log') }
})

afterAll(async () => {
  for (const pool of Object.values(pools)) await pool.close()
})

/** The fields of a message of the user and of the end of a turn, by host. */
const PAYLOADS: Readonly<Record<string, (session: string, turn: string) => PayloadMakers>> = {
  claude: (session, turn) => snake(session, { prompt_id: turn, permission_mode: 'default' }),
  codex: (session, turn) => snake(session, { turn_id: turn, model: 'm', permission_mode: 'default' }),
  qwen: (session, turn) => snake(session, { prompt_id: turn, timestamp: 'T', permission_mode: 'default' }),
  gemini: (session) => {
    const base = { session_id: session, transcript_path: '/t', cwd: '/w', timestamp: '2026-01-01T00:00:00Z' }
    return {
      prompt: (prompt) => ({ ...base, hook_event_name: 'BeforeAgent', prompt }),
      stop: (text, isContinued) => ({
        ...base,
        ...{ hook_event_name: 'AfterAgent', prompt: 'x', prompt_response: text, stop_hook_active: isContinued },
      }),
      end: () => ({ ...base, hook_event_name: 'SessionEnd', reason: 'exit' }),
    }
  },
}

interface PayloadMakers {
  prompt(text: string): object
  stop(text: string, isContinued: boolean): object
  end(): object
}

function snake(session: string, more: object): PayloadMakers {
  const base = { session_id: session, transcript_path: '/t', cwd: '/w', ...more }
  return {
    prompt: (prompt) => ({ ...base, hook_event_name: 'UserPromptSubmit', prompt }),
    stop: (text, isContinued) => ({
      ...base,
      ...{ hook_event_name: 'Stop', stop_hook_active: isContinued, last_assistant_message: text },
    }),
    end: () => ({ ...base, hook_event_name: 'SessionEnd', reason: 'exit' }),
  }
}

let count = 0

/** A running session of an agent. */
class Session {
  readonly id = `session-${++count}`
  readonly #pool: SupervisorPool
  readonly #host: HostName
  #turn = 0

  constructor(host: HostName, mode: Mode = 'enforce') {
    this.#host = host
    this.#pool = pools[mode]
  }

  /** What the agent gets as context, and the user as a notice. */
  async prompt(text: string): Promise<{ readonly context: string; readonly notice: string }> {
    this.#turn++
    const json = await this.#send(this.#payloads.prompt(text))
    const { additionalContext = '' } = (json.hookSpecificOutput ?? {}) as { additionalContext?: string }
    return { context: additionalContext, notice: String(json.systemMessage ?? '') }
  }

  /** The feedback with which the agent continues; empty if the turn ends. */
  async stop(answer: string, isContinued = false): Promise<{ readonly feedback: string; readonly notice: string }> {
    const json = await this.#send(this.#payloads.stop(answer, isContinued))
    const isStopped = json.decision === 'block' || json.decision === 'deny'
    return { feedback: isStopped ? String(json.reason) : '', notice: String(json.systemMessage ?? '') }
  }

  end(): Promise<object> {
    return this.#send(this.#payloads.end())
  }

  async table(): Promise<TableView | undefined> {
    const { state } = await this.#pool.find(undefined, undefined)
    return listRoundtables(state).find(({ session }) => session === this.id)
  }

  get #payloads(): PayloadMakers {
    const make = PAYLOADS[this.#host] as (typeof PAYLOADS)[string]
    return make(this.id, `${this.id}-${this.#turn}`)
  }

  async #send(payload: object): Promise<Record<string, unknown>> {
    const { stdout } = await answerHookCall({ host: this.#host, payload: JSON.stringify(payload) }, this.#pool)
    return stdout === '' ? {} : (JSON.parse(stdout) as Record<string, unknown>)
  }
}

const SYNTHESIS = '{"consensus": 0.6, "summary": "Both work.", "keyPoints": ["cost", "risk"]}'

describe('a roundtable in the session of one agent', () => {
  it.each(['claude', 'codex', 'gemini', 'qwen'] as const)(
    'R1 R3 of %s runs its rounds and the synthesis in one turn, in enforce',
    async (host) => {
      const session = new Session(host)
      const { context } = await session.prompt("let's discuss tabs in Makefiles")
      expect(context).toContain('You are the advocate')
      expect(context).toContain('This is round 1 of 2')
      expect(context).toContain('tabs in Makefiles')
      const second = await session.stop('Tabs are required.')
      expect(second.feedback).toContain('This is round 2 of 2')
      expect(second.feedback).toContain('Tabs are required.')
      const last = await session.stop('They are also short.', true)
      expect(last.feedback).toContain('{"consensus": 0.7, "summary": "…", "keyPoints": ["…", "…"]}')
      const over = await session.stop(`Here it is: ${SYNTHESIS}`, true)
      expect(over.feedback).toBe('')
      expect(over.notice).toContain('is complete')
      const table = await session.table()
      expect(table).toMatchObject({
        status: 'complete',
        agents: [host],
        turns: [
          { agent: host, round: 1, content: 'Tabs are required.' },
          { agent: host, round: 2, content: 'They are also short.' },
        ],
        synthesis: { agent: host, consensus: 0.6, summary: 'Both work.', keyPoints: ['cost', 'risk'] },
        awaited: null,
      })
      expect((await session.prompt('thanks')).context).toBe('')
    },
  )

  it('R3 continues at the next messages of the user in advise', async () => {
    const session = new Session('claude', 'advise')
    expect((await session.prompt('debate this: tabs rounds: 1')).context).toContain('This is round 1 of 1')
    const { feedback, notice } = await session.stop('Yes.')
    expect(feedback).toBe('')
    expect(notice).toContain('waits for the synthesis of claude')
    expect((await session.prompt('and now?')).context).toContain('The rounds are over')
    await session.stop('Everyone agrees.')
    expect(await session.table()).toMatchObject({
      status: 'complete',
      synthesis: { summary: 'Everyone agrees.', consensus: null, isFallback: true },
    })
  })

  it('M1 R3 is only recorded in log, and the user gets that', async () => {
    const session = new Session('claude', 'log')
    const { context, notice } = await session.prompt('roundtable: tabs rounds: 1')
    expect(context).toBe('')
    expect(notice).toContain('In log mode it is only recorded')
    expect(await session.stop('Yes.')).toEqual({ feedback: '', notice: '' })
    expect((await session.table())?.turns).toMatchObject([{ agent: 'claude', content: 'Yes.' }])
  })

  it('R3 does not continue an agent that said nothing', async () => {
    const session = new Session('claude')
    await session.prompt('roundtable: tabs')
    expect((await session.stop('')).feedback).toBe('')
    expect(await session.table()).toMatchObject({ turns: [], awaited: { agent: 'claude' } })
  })
})

describe('a roundtable of several sessions', () => {
  async function join(session: Session, table: TableView, agent: string): Promise<string> {
    const { state } = await pools.enforce.find(undefined, undefined)
    return joinTable(state, table, { agent, session: session.id, host: 'codex', at: Date.now() })
  }

  it('R1 R2 R3 waits for the next agent, which joins, and ends with a synthesis', async () => {
    const claude = new Session('claude')
    const codex = new Session('codex')
    const first = await claude.prompt('roundtable: tabs? agents: claude, codex rounds: 1')
    expect(first.context).toContain('You are claude. You discuss a question with codex')
    expect(first.context).toContain('No running session has taken the seat of codex')
    const table = (await claude.table()) as TableView
    expect(first.notice).toContain(`waits for claude (advocate, round 1 of 1)`)
    const { feedback, notice } = await claude.stop('Tabs, of course.')
    expect(feedback).toBe('')
    expect(notice).toContain(`arc roundtable join ${table.id} --as codex`)
    expect(await claude.table()).toMatchObject({
      awaited: { agent: 'codex', role: 'critic', session: null, drive: `arc roundtable --resume ${table.id}` },
    })
    expect((await codex.prompt('hello')).context).toBe('')
    expect(await join(codex, table, 'codex')).toBe('taken')
    const turn = await codex.prompt('your turn')
    expect(turn.context).toContain('You are the critic')
    expect(turn.context).toContain('Tabs, of course.')
    expect((await codex.stop('Spaces.')).feedback).toContain('sum it up fairly')
    await codex.stop(SYNTHESIS, true)
    expect(await claude.table()).toMatchObject({
      status: 'complete',
      turns: [{ agent: 'claude' }, { agent: 'codex', role: 'critic', content: 'Spaces.' }],
      synthesis: { agent: 'codex', consensus: 0.6 },
    })
  })

  it('R4 records an answer out of turn apart, reports it once, and the turn stays', async () => {
    const claude = new Session('claude')
    await claude.prompt('roundtable: tabs? agents: claude, codex')
    await claude.stop('Tabs.')
    const { context } = await claude.prompt('what else?')
    expect(context).toContain('it is not your turn')
    expect((await claude.stop('More tabs.')).notice).toContain('expects codex to speak next')
    await claude.prompt('and the weather?')
    expect(await claude.stop('Sunny.')).toEqual({ feedback: '', notice: '' })
    expect(await claude.table()).toMatchObject({
      turns: [{ content: 'Tabs.' }],
      asides: [{ content: 'More tabs.' }, { content: 'Sunny.' }],
      awaited: { agent: 'codex' },
    })
  })

  it('R1 gives a seat to one of two sessions that race for it', async () => {
    const claude = new Session('claude')
    await claude.prompt('roundtable: tabs? agents: claude, codex')
    const table = (await claude.table()) as TableView
    const results = await Promise.all([1, 2, 3].map(() => join(new Session('codex'), table, 'codex')))
    expect(results.toSorted()).toEqual(['occupied', 'occupied', 'taken'])
  })

  it('R1 frees the seat of a session that ends', async () => {
    const claude = new Session('claude')
    const codex = new Session('codex')
    await claude.prompt('roundtable: tabs? agents: claude, codex')
    const table = (await claude.table()) as TableView
    await join(codex, table, 'codex')
    await codex.end()
    expect((await claude.table())?.seats).toMatchObject([{ session: claude.id }, { agent: 'codex', session: null }])
    expect(await join(new Session('codex'), table, 'codex')).toBe('taken')
  })

  it('R1 reports an unknown agent at once, with the nearest name, and opens nothing', async () => {
    const claude = new Session('claude')
    const { context, notice } = await claude.prompt('roundtable: tabs? agents: claude, codx, architect')
    for (const text of [context, notice]) {
      expect(text).toContain('there is no agent "codx". Did you mean "codex"?')
      expect(text).toContain('Known agents and profiles: claude, codex, gemini')
    }
    expect(await claude.table()).toBeUndefined()
    expect((await claude.prompt('roundtable: tabs? agents: claude, architect')).context).toContain('with architect')
  })

  it('R1 a session whose agent is not named has no seat, and says what is awaited', async () => {
    const claude = new Session('claude')
    const { context } = await claude.prompt('roundtable: tabs? agents: codex, gemini')
    expect(context).toContain('You have no seat at it')
    expect(context).toContain('waits for codex')
    await claude.stop('The table waits for codex.')
    expect(await claude.table()).toMatchObject({ turns: [], asideCount: 0 })
  })

  it('R1 shows a table that is not continued as deserted', async () => {
    const claude = new Session('claude')
    await claude.prompt('roundtable: tabs? agents: claude, codex')
    const { state } = await pools.enforce.find(undefined, undefined)
    const later = listRoundtables(state, Date.now() + 1_800_001).find(({ session }) => session === claude.id)
    expect(later).toMatchObject({ status: 'deserted', awaited: null })
    const entry = state.get(roundtableKey(claude.id))
    expect(takeSeat(entry?.value as never, { agent: 'x', session: 's', at: 1 }).result).toBe('no-seat')
  })
})
