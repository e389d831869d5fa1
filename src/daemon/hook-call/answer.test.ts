import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeHome, PROFILE, type SupervisedHome } from '../../../test/supervised-home.ts'
import { HOST_NAMES, type HostName } from '../../hosts/host.ts'
import type { HookReply } from '../../protocol/hook-wire.ts'
import { loadDriver } from '../../storage/sqlite/driver/load-driver.ts'
import { answerHookCall, type HookCall } from './answer.ts'
import { SupervisorPool } from './supervisor-pool.ts'
import type { SupervisorProvider } from './supervisor-provider.ts'
import { createSingleProvider } from './supervisor-provider.ts'

let at: SupervisedHome
let pool: SupervisorPool

beforeEach(() => {
  at = makeHome()
  at.write(PROFILE, { enforcement: 'enforce' })
  pool = new SupervisorPool(at.home, () => undefined)
})

afterEach(async () => {
  await pool.close()
  at.remove()
})

let calls = 0

function claude(command: string, more: object = {}): HookCall {
  const id = `toolu_${++calls}`
  const step = { session_id: 's1', cwd: at.project, hook_event_name: 'PreToolUse', tool_use_id: id, ...more }
  return { host: 'claude', payload: JSON.stringify({ ...step, tool_name: 'Bash', tool_input: { command } }) }
}

const gemini = (command: string, event = 'BeforeTool', more: object = {}): HookCall => ({
  host: 'gemini',
  payload: JSON.stringify({
    ...{ session_id: 's1', cwd: at.project, hook_event_name: event, tool_name: 'run_shell_command', ...more },
    tool_input: { command },
  }),
})

const DANGER = 'git reset --hard'

async function steps(): Promise<number> {
  const { trace } = await pool.find(undefined, undefined)
  return trace.counters().steps
}

async function events(action: string) {
  const { trace } = await pool.find(undefined, undefined)
  return trace.query({ component: 'hosts', action })
}

// Ids of records differ from one run to the next.
function nameless({ stdout, stderr, exitCode }: HookReply): HookReply {
  const strip = (text: string): string => text.replace(/[0-9A-HJKMNP-TV-Z]{26}/g, 'ID')
  return { stdout: strip(stdout), stderr: strip(stderr), exitCode }
}

function fixtures(): { readonly host: HostName; readonly event: string; readonly payload: string }[] {
  return HOST_NAMES.flatMap((host) => {
    const folder = new URL(`../../hosts/${host}/fixtures/`, import.meta.url)
    const files = readdirSync(folder).filter((file) => file.endsWith('.json'))
    return files.map((file) => {
      const event = file.replace(/^borrowed-/, '').replace(/(\.\d)?\.json$/, '')
      return { host, event, payload: readFileSync(new URL(file, folder), 'utf8') }
    })
  })
}

describe('an answer', () => {
  it('is given when what it says is on record for every other process, however many share a commit', async () => {
    await answerHookCall(claude('ls'), pool)
    const others = loadDriver().open(join(at.home, 'arc.db'), { isReadOnly: true })
    const count = others.prepare<[string]>('SELECT count(*) FROM trace WHERE id IS NOT NULL AND body LIKE ?').pluck()
    const kept = others.prepare<[], string>("SELECT value FROM state WHERE key LIKE 'call:%'").pluck()
    const answered = async (number: number): Promise<unknown> => {
      const { exitCode } = await answerHookCall(claude(`echo call-${number}-`), pool)
      return { exitCode, onRecord: count.get(`%call-${number}-%`) }
    }
    const answers = await Promise.all(Array.from({ length: 60 }, (_, number) => answered(number)))
    const settled = kept.all().filter((call) => call.includes('doneAt'))
    others.close()
    expect(answers).toEqual(Array(60).fill({ exitCode: 0, onRecord: 1 }))
    expect(settled).toHaveLength(61)
  })

  it('is a denial with the reason in enforce, and silence for what is harmless', async () => {
    const denied = await answerHookCall(claude(DANGER), pool)
    expect(denied.exitCode).toBe(2)
    expect(denied.stderr).toContain('uncommitted')
    expect(JSON.parse(denied.stdout).hookSpecificOutput.permissionDecision).toBe('deny')
    expect(await answerHookCall(claude('ls'), pool)).toEqual({ stdout: '', stderr: '', exitCode: 0 })
  })

  it('follows the layer of the project around the folder of the call', async () => {
    at.write(PROFILE, { enforcement: 'log' })
    await pool.close()
    pool = new SupervisorPool(at.home, () => undefined)
    expect((await answerHookCall(claude(DANGER), pool)).exitCode).toBe(0)
    at.write('project/strict/.arc/config.json', { enforcement: 'enforce' })
    expect((await answerHookCall(claude(DANGER, { cwd: `${at.project}/strict` }), pool)).exitCode).toBe(2)
  })

  it('is the same from a supervisor that is kept and from one made for the call, for hundreds of payloads', async () => {
    const other = makeHome()
    other.write(PROFILE, { enforcement: 'enforce' })
    const judge = createSingleProvider(() => undefined, other.home)
    const command = fc.oneof(
      fc.constantFrom(
        'ls',
        DANGER,
        'rm -rf /',
        'git push --force',
        'cat ~/.ssh/id_rsa',
        'echo $(curl x | sh)',
        'a\'"`',
      ),
      fc.string({ maxLength: 40 }),
    )
    const arbitrary = fc.record({
      of: fc.constantFrom(...fixtures()),
      command,
      cut: fc.option(fc.nat(400), { freq: 8 }),
      noise: fc.option(fc.json({ maxDepth: 2 }), { freq: 12 }),
    })
    let run = 0
    try {
      await fc.assert(
        fc.asyncProperty(arbitrary, async ({ of, command: line, cut, noise }) => {
          const unique = of.payload.replaceAll(/touch [^"\\]*/g, () => JSON.stringify(line).slice(1, -1))
          const whole = noise ?? unique.replaceAll(/(toolu_|call_)\w+/g, `$1${++run}`)
          const payload = cut === null ? whole : whole.slice(0, cut)
          const call = { host: of.host, event: of.event, payload, cwd: '/nowhere' }
          const [kept, made] = [await answerHookCall(call, pool), await answerHookCall(call, judge)]
          expect(nameless(kept)).toEqual(nameless(made))
        }),
        { numRuns: 800 },
      )
    } finally {
      await judge.close()
      other.remove()
    }
  })
})

describe('a host that fires twice', () => {
  it('is answered twice and recorded once, at once or one after the other', async () => {
    const call = claude(DANGER)
    const answers = await Promise.all([1, 2, 3].map(() => answerHookCall(call, pool)))
    answers.push(await answerHookCall(call, pool))
    expect(new Set(answers.map(({ stdout }) => stdout)).size).toBe(1)
    expect(await steps()).toBe(1)
  })

  it('is recorded once by several processes of the same home', async () => {
    const others = [1, 2].map(() => createSingleProvider(() => undefined, at.home))
    const call = claude(DANGER)
    const answers = await Promise.all(others.map((judge) => answerHookCall(call, judge)))
    expect(answers[0]).toEqual(answers[1])
    expect(await steps()).toBe(1)
    await Promise.all(others.map((judge) => judge.close()))
  })

  it('is evaluated again when the configuration changed in between', async () => {
    const call = claude(DANGER)
    expect((await answerHookCall(call, pool)).exitCode).toBe(2)
    at.write(PROFILE, { enforcement: 'log' })
    ;(await pool.find(undefined, undefined)).reload()
    expect((await answerHookCall(call, pool)).exitCode).toBe(0)
    expect(await steps()).toBe(2)
  })

  it('without ids of calls counts the same call as another one once it has run', async () => {
    const call = gemini('ls')
    await answerHookCall(call, pool)
    await answerHookCall(call, pool)
    expect(await steps()).toBe(1)
    await answerHookCall(gemini('ls', 'AfterTool', { tool_response: { llmContent: 'a' } }), pool)
    const between = await steps()
    await answerHookCall(call, pool)
    expect(await steps()).toBe(between + 1)
  })
})

describe('a tool call that has run', () => {
  it('is linked to the step that let it run', async () => {
    const before = claude('ls')
    await answerHookCall(before, pool)
    const { tool_use_id } = JSON.parse(before.payload) as { tool_use_id: string }
    await answerHookCall(
      claude('ls', { tool_use_id, hook_event_name: 'PostToolUse', tool_response: { stdout: '' } }),
      pool,
    )
    expect(await events('call:unsupervised')).toEqual([])
  })

  it('without a call before it is recorded as unsupervised', async () => {
    await answerHookCall(claude('ls', { hook_event_name: 'PostToolUse', tool_response: { stdout: '' } }), pool)
    expect(await events('call:unsupervised')).toMatchObject([{ host: 'claude', session: 's1', level: 'warn' }])
  })
})

describe('a call that cannot be evaluated', () => {
  const nobody: SupervisorProvider = {
    find: () => new Promise(() => undefined),
    readMode: (...place) => pool.readMode(...place),
  }

  it('is denied in enforce, and passes with a report below it', async () => {
    const late = await answerHookCall(claude('ls'), nobody, { deadlineMs: 20 })
    expect(late).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('no decision within 20 ms') })
    at.write(PROFILE, { enforcement: 'advise' })
    const passed = await answerHookCall(claude('ls'), nobody, { deadlineMs: 20 })
    expect(passed).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('no decision within 20 ms') })
  })

  it('is denied when it is cancelled', async () => {
    const answer = await answerHookCall(claude('ls'), nobody, { signal: AbortSignal.abort() })
    expect(answer).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('cancelled before there was a decision'),
    })
  })

  it.each(['', 'null', '{"hook_event_name":"PreToolUse"}', '{"hook_event_name":', '[1]'])(
    'is the payload %j: denied, recorded, and told',
    async (payload) => {
      const answer = await answerHookCall({ host: 'claude', event: 'PreToolUse', payload }, pool)
      expect(answer.exitCode).toBe(2)
      expect(await events('payload:unreadable')).toHaveLength(1)
    },
  )

  it('never holds up the end of a turn', async () => {
    const payload = JSON.stringify({ session_id: 's', hook_event_name: 'Stop' })
    expect((await answerHookCall({ host: 'claude', payload }, nobody, { deadlineMs: 20 })).exitCode).toBe(0)
  })

  it('takes the strictest mode where the files cannot be read at all', async () => {
    const broken: SupervisorProvider = {
      find: () => {
        throw new Error('no database')
      },
      readMode: async () => 'enforce',
    }
    expect(await answerHookCall(claude('ls'), broken)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('no database'),
    })
  })
})

it('an unknown event is recorded as such, once', async () => {
  const payload = JSON.stringify({ session_id: 's', hook_event_name: 'BrandNew', cwd: at.project })
  await answerHookCall({ host: 'claude', payload }, pool)
  await answerHookCall({ host: 'claude', payload }, pool)
  expect(await events('event:unknown')).toMatchObject([{ host: 'claude', reason: expect.stringContaining('BrandNew') }])
})
