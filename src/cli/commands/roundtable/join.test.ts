import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runArcInProcess } from '../../../../test/run-in-process.ts'
import { askNobody, makeHome, type SupervisedHome } from '../../../../test/supervised-home.ts'
import { answerHookCall } from '../../../daemon/hook-call/answer.ts'
import { SupervisorPool } from '../../../daemon/hook-call/supervisor-pool.ts'

let at: SupervisedHome
let pool: SupervisorPool

beforeAll(() => {
  at = makeHome()
  at.write('home/profiles/default.json', { enforcement: 'enforce' })
  askNobody(at.home)
  pool = new SupervisorPool(at.home, () => undefined)
})

afterAll(() => pool.close())

async function prompt(host: 'claude' | 'codex', session: string, text: string): Promise<string> {
  const payload = { session_id: session, cwd: '/w', hook_event_name: 'UserPromptSubmit', prompt: text, model: 'm' }
  const { stdout } = await answerHookCall({ host, payload: JSON.stringify(payload) }, pool)
  return stdout
}

// No variable of an agent that runs these tests.
const PERSON = { CLAUDE_CODE_SESSION_ID: '', CODEX_THREAD_ID: '', GEMINI_SESSION_ID: '', QWEN_CODE_SESSION_ID: '' }

function arc(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return runArcInProcess(['roundtable', ...args], { home: at.home, env: { ...PERSON, ...env } })
}

describe('arc roundtable join', () => {
  it('R1 shows in list and show what is awaited, and the commands that continue', async () => {
    await prompt('claude', 'one', 'roundtable: tabs? agents: codex, claude rounds: 1')
    const [table] = JSON.parse((await arc(['list', '--json'])).stdout)
    expect(table).toMatchObject({ awaited: { agent: 'codex', join: `arc roundtable join ${table.id} --as codex` } })
    const { stdout } = await arc(['show', 'last'])
    expect(stdout).toContain(`arc roundtable join ${table.id} --as codex`)
    expect(stdout).toContain(`arc roundtable --resume ${table.id}`)
    expect((await arc(['list'])).stderr).toContain('waits for codex (advocate, round 1 of 1)')
  })

  it('R1 finds the session of the agent that runs it', async () => {
    const { code, stdout } = await arc(['join', 'last', '--json'], { CODEX_THREAD_ID: 'two' })
    expect(code).toBe(0)
    const joined = JSON.parse(stdout)
    expect(joined).toMatchObject({ joined: true, agent: 'codex', session: 'two' })
    expect(joined.context).toContain('Your answer at the end of this turn counts as your turn.')
    expect(joined.roundtable.seats[0]).toMatchObject({ agent: 'codex', session: 'two', host: 'codex' })
    expect(await prompt('codex', 'two', 'go')).toContain('You are the advocate')
    const again = await arc(['join', 'last'], { CODEX_THREAD_ID: 'two' })
    expect(again.stderr).toContain('Already joined')
  })

  it('R1 refuses a seat that is taken, a seat that does not exist, and a second seat', async () => {
    const taken = await arc(['join', 'last', '--as', 'codex'], { CODEX_THREAD_ID: 'three' })
    expect(taken).toMatchObject({ code: 1 })
    expect(taken.stderr).toContain('another session has this seat')
    const unknown = await arc(['join', 'last', '--as', 'codx'], { CODEX_THREAD_ID: 'three' })
    expect(unknown.stderr).toContain('has no seat "codx", only codex, claude. Did you mean "codex"?')
    const second = await arc(['join', 'last', '--as', 'claude'], { CODEX_THREAD_ID: 'two' })
    expect(second.stderr).toContain('this session has another seat')
    expect((await arc(['join', 'rt-nothing'])).stderr).toContain('ARC_ROUNDTABLE_UNKNOWN')
  })

  it('R1 takes the only running session of the agent for a person, and names several', async () => {
    await prompt('claude', 'four', 'roundtable: spaces? agents: claude, gemini, codex')
    await prompt('codex', 'five', 'hello')
    const several = await arc(['join', 'last', '--as', 'codex'])
    expect(several.stderr).toContain('Name the session of "codex" with --session. Running: five (codex), ')
    const named = await arc(['join', 'last', '--as', 'codex', '--session', 'five'])
    expect(named.stderr).toMatch(/^Joined rt-\w+ as codex, session five\.$/m)
    const logs = await runArcInProcess(['logs', '--component', 'roundtable', '--json'], { home: at.home, env: PERSON })
    expect(logs.stdout).toContain('roundtable:join')
  })
})
