// The data of the dashboard, requested as a browser does, from a daemon with its own trace.

import { mkdirSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { makeHome, PROFILE, type SupervisedHome } from '../../../test/supervised-home.ts'
import type { FeedMessage, StreamMessage } from '../../protocol/messages.ts'
import type {
  ActionDetail,
  ActionsPage,
  ConfigView,
  HookView,
  Overview,
  SessionDetail,
  SessionsView,
  Snapshot,
} from '../../protocol/views.ts'
import { SqliteTraceStore } from '../../storage/sqlite/trace-store.ts'
import { appendAll, stepEntry } from '../../testing/step-entry.ts'
import { type Daemon, startDaemon } from '../server.ts'

let at: SupervisedHome
let daemon: Daemon
let dashboard: string

beforeEach(async () => {
  at = makeHome()
  at.write(PROFILE, { enforcement: 'enforce' })
  dashboard = join(at.root, 'dashboard')
  daemon = await start()
})

afterEach(async () => {
  await daemon.stop()
  at.remove()
})

async function start(): Promise<Daemon> {
  const options = { home: at.home, version: '1.2.3', port: 0, dashboard, report: () => undefined, finishMs: 500 }
  return (await startDaemon(options)) as Daemon
}

interface Asked {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** Over the port, where the door is. */
  readonly port?: boolean
}

function ask(path: string, { method = 'GET', headers = {}, body, port = false }: Asked = {}) {
  const { hostname, port: number } = new URL(daemon.url)
  const where = port ? { host: hostname, port: number } : { socketPath: daemon.socket }
  return new Promise<{ status: number; text: string; headers: Readonly<Record<string, unknown>> }>(
    (resolve, reject) => {
      const asked = request({ ...where, path, method, headers, agent: false }, (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (part: string) => {
          text += part
        })
        response.on('close', () => resolve({ status: response.statusCode ?? 0, text, headers: response.headers }))
      })
      asked.on('error', reject)
      asked.end(body === undefined ? undefined : JSON.stringify(body))
    },
  )
}

const see = async <T>(path: string): Promise<T> => JSON.parse((await ask(path)).text) as T

let calls = 0

function hook(event: string, command: string, more: object = {}) {
  const call = { session_id: 's', cwd: at.project, hook_event_name: event, tool_use_id: `t${++calls}` }
  const body = { ...call, tool_name: 'Bash', tool_input: { command }, ...more }
  return ask(`/v1/hook/claude/${event}`, { method: 'POST', body })
}

async function runTool(command: string): Promise<void> {
  const id = { tool_use_id: `pair-${++calls}` }
  await hook('PreToolUse', command, id)
  await hook('PostToolUse', command, { ...id, tool_response: 'ok' })
}

const DANGER = 'git reset --hard'

/** A stream, with everything that came over it. */
function listen(query: string) {
  const socket = new WebSocket(`ws+unix://${daemon.socket}:/v1/stream?${query}`)
  const messages: StreamMessage[] = []
  socket.on('message', (data) => messages.push(JSON.parse(String(data)) as StreamMessage))
  const of = <T extends StreamMessage['type']>(type: T) =>
    messages.filter((message): message is Extract<StreamMessage, { type: T }> => message.type === type)
  const steps = () => of('feed').flatMap((message: FeedMessage) => message.steps)
  return { socket, messages, of, steps, close: () => socket.terminate() }
}

async function until(check: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await check())) await new Promise((resolve) => setTimeout(resolve, 10))
}

describe('the first paint', () => {
  it('L4 has hooks with priority and mode, the enforcement mode, the breaker, decision counts and the newest actions', async () => {
    await hook('PreToolUse', DANGER)
    await runTool('ls')
    const { pulse, feed, seq } = await see<Snapshot>('/v1/snapshot')
    expect(pulse.enforcement).toBe('enforce')
    expect(pulse.breaker).toMatchObject({ state: 'closed', failures: 0, threshold: 3 })
    const risk = pulse.hooks.find(({ name }) => name === 'risk-detection') as HookView
    expect(risk).toMatchObject({ priority: 10, effectiveMode: 'enforce', enabled: true, source: 'built-in' })
    expect(risk.stats).toMatchObject({ runs: 2, block: 1, errors: 0 })
    expect(pulse.hooks.map(({ priority }) => priority)).toEqual(
      pulse.hooks.map(({ priority }) => priority).sort((a, b) => a - b),
    )
    expect(pulse.decisions.hour.block).toBe(1)
    expect(pulse.coverage).toEqual({ calls: 2, supervised: 2 })
    expect(pulse.sessions[0]).toMatchObject({ id: 's', host: 'claude', isActive: true, lastPreview: 'ls' })
    expect(feed.actions.map(({ preview, decision, steps }) => [preview, decision, steps.length])).toEqual([
      ['ls', 'pass', 2],
      [DANGER, 'block', 1],
    ])
    expect(seq).toBe(pulse.seq)
  })

  it('L4 continues over the stream: live decisions, each once, and the figures after them', async () => {
    await hook('PreToolUse', 'ls before')
    const { seq } = await see<Snapshot>('/v1/snapshot')
    const stream = listen(`view=feed&after=${seq}`)
    await until(() => stream.of('hello').length === 1)
    await runTool('echo one')
    await hook('PreToolUse', DANGER)
    await until(() => stream.steps().length >= 3)
    expect(stream.steps().map(({ preview, phase, decision }) => [preview, phase, decision])).toEqual([
      ['echo one', 'before', 'pass'],
      ['echo one', 'after', 'pass'],
      [DANGER, 'before', 'block'],
    ])
    const [before, after] = stream.steps()
    expect(after?.action).toBe(before?.id)
    await until(() => stream.of('pulse').some(({ pulse }) => pulse.decisions.hour.block === 1))
    stream.close()
  })

  it('says what needs a person', async () => {
    at.write(PROFILE, { enforcement: 'enforce', hooks: { 'risk-detection': { options: { onTier4: 'ask' } } } })
    const step = { point: 'pre:tool', data: { tool: 'shell', args: { command: 'git push --force' } }, session: 'a' }
    await until(async () =>
      (await ask('/v1/dispatch', { method: 'POST', body: step })).text.startsWith('{"decision":"ask"'),
    )
    await hook('PostToolUse', 'never asked', { tool_use_id: 'unknown' })
    const { needs, approvals } = await see<Overview>('/v1/overview')
    expect(needs.map(({ kind }) => kind)).toEqual(['approval', 'unsupervised'])
    expect(approvals).toHaveLength(1)
    expect(approvals[0]).toMatchObject({ command: 'git push --force', status: 'pending', isCut: false })
  })
})

describe('pages of actions', () => {
  it('have every action once, newest first, with what came after it, however they are cut', async () => {
    for (let number = 0; number < 9; number++) await runTool(`echo ${number}`)
    for (const limit of [1, 2, 4]) {
      const previews: string[] = []
      let before: number | null | undefined
      while (before !== null) {
        const query = before === undefined ? '' : `&before=${before}`
        const page: ActionsPage = await see(`/v1/actions?limit=${limit}${query}`)
        expect(page.actions.every(({ steps, ranMs }) => steps.length === 2 && ranMs !== undefined)).toBe(true)
        previews.push(...page.actions.map(({ preview }) => preview))
        before = page.next
      }
      expect(previews).toEqual(Array.from({ length: 9 }, (_, at) => `echo ${8 - at}`))
    }
  })

  it('can be narrowed by decision, hook, tool, session and text', async () => {
    await hook('PreToolUse', DANGER, { session_id: 'other' })
    await hook('PreToolUse', 'ls')
    const found = async (query: string) =>
      (await see<ActionsPage>(`/v1/actions?${query}`)).actions.map((a) => a.preview)
    expect(await found('decision=block')).toEqual([DANGER])
    expect(await found('decision=pass,flag')).toEqual(['ls'])
    expect(await found('session=other')).toEqual([DANGER])
    expect(await found('text=RESET')).toEqual([DANGER])
    expect(await found('hook=risk-detection')).toEqual(['ls', DANGER])
    expect(await found('hook=nobody')).toEqual([])
    expect(await found('tool=bash&decision=block')).toEqual([DANGER])
    expect(await found('limit=nonsense&before=-1')).toEqual(['ls', DANGER])
  })

  it('keep what came after a step that was cut from the record', async () => {
    await runTool('echo cut')
    await runTool('echo kept')
    const store = new SqliteTraceStore(join(at.home, 'arc.db'))
    const [step] = store.records({ steps: true, session: 's' }).filter(({ kind }) => kind === 'step')
    const later = store.records({ steps: true, afterSeq: step?.seq ?? 0, limit: 100 })
    const post = later.find((record) => record.kind === 'step')
    // Everything before the step that came after it.
    let bytes = 0
    for (const line of store.export()) bytes += JSON.parse(line).seq >= (post?.seq ?? 0) ? Buffer.byteLength(line) : 0
    store.retain({ maxBytes: bytes, now: Date.now(), id: 'cut' })
    store.close()
    const { actions, next } = await see<ActionsPage>('/v1/actions')
    expect(next).toBeNull()
    expect(actions.map(({ preview }) => preview)).toContain('echo kept')
    expect(new Set(actions.map(({ id }) => id)).size).toBe(actions.length)
  })
})

describe('one action', () => {
  it('shows both steps, each verdict with its evidence, and where in the text', async () => {
    const id = { tool_use_id: 'both' }
    at.write(PROFILE, { enforcement: 'log' })
    await until(async () => (await see<Overview>('/v1/overview')).enforcement === 'log')
    await hook('PreToolUse', DANGER, id)
    await hook('PostToolUse', DANGER, { ...id, tool_response: 'done' })
    const [action] = (await see<ActionsPage>('/v1/actions')).actions
    const detail = await see<ActionDetail>(`/v1/actions/${action?.id}`)
    expect(detail.steps.map(({ step }) => step.phase)).toEqual(['before', 'after'])
    const risk = detail.steps[0]?.verdicts.find((verdict) => verdict.hook === 'risk-detection')
    expect(risk).toMatchObject({ decision: 'block', applied: false, wouldBlock: true, mode: 'log' })
    const [evidence] = risk?.evidence ?? []
    expect(evidence?.text?.slice(evidence.start, evidence.end)).toBe(evidence?.matched)
    expect(detail.action).toMatchObject({ wouldBlock: 'risk-detection', blocked: false })
    // By the step after it, too.
    const after = await see<ActionDetail>(`/v1/actions/${detail.steps[1]?.step.id}`)
    expect(after.action.id).toBe(detail.action.id)
  })

  it('is 404 when there is none, and 409 with the candidates when several begin so', async () => {
    await hook('PreToolUse', 'ls 1')
    await hook('PreToolUse', 'ls 2')
    expect((await ask('/v1/actions/nothing')).status).toBe(404)
    const [first, second] = (await see<ActionsPage>('/v1/actions')).actions
    let same = 0
    while (first?.id[same] === second?.id[same]) same++
    expect((await ask(`/v1/actions/${first?.id.slice(0, same)}`)).status).toBe(409)
  })
})

describe('sessions', () => {
  it('are listed, and shown whole with what happened in them, oldest first', async () => {
    await runTool('echo a')
    await hook('PostToolUse', 'never asked', { tool_use_id: 'unknown' })
    await hook('PreToolUse', 'echo other', { session_id: 'other/with %2F' })
    const { sessions } = await see<SessionsView>('/v1/sessions')
    expect(sessions.map(({ id }) => id)).toEqual(['other/with %2F', 's'])
    const detail = await see<SessionDetail>('/v1/sessions/s')
    expect(detail.actions.map(({ preview }) => preview)).toEqual(['echo a', 'never asked'])
    expect(detail.events.map(({ action }) => action)).toContain('call:unsupervised')
    expect(detail.session.coverage).toEqual({ calls: 2, supervised: 1 })
    expect((await see<SessionDetail>(`/v1/sessions/${encodeURIComponent('other/with %2F')}`)).actions).toHaveLength(1)
    expect((await ask('/v1/sessions/nobody')).status).toBe(404)
  })
})

it('the configuration is shown as the command line shows it', async () => {
  const config = await see<ConfigView>('/v1/config')
  expect(config).toMatchObject({ name: 'default', inUse: true, enforcement: 'enforce', isStale: false, problems: [] })
  const { from, value } = config.settings.find(({ key }) => key === 'enforcement') ?? {}
  expect([value, from]).toEqual(['enforce', `${join(at.home, 'profiles/default.json')}:2`])
  expect((await ask('/v1/config?profile=..%2F..%2Fetc')).status).toBe(404)
})

describe('the stream', () => {
  const append = (count: number, from = 0): void => {
    const store = new SqliteTraceStore(join(at.home, 'arc.db'))
    void appendAll(
      store,
      Array.from({ length: count }, (_, n) => stepEntry({ id: `n${from + n}`, evaluations: [{}, {}, {}] })),
    )
    store.close()
  }

  it('brings what other processes wrote, a lot of it at once too, in order and each once', async () => {
    const stream = listen('view=feed')
    await until(() => stream.of('hello').length === 1)
    append(3_000)
    append(1, 3_000)
    await until(() => stream.steps().length >= 3_001)
    expect(stream.steps().map(({ id }) => id)).toEqual(Array.from({ length: 3_001 }, (_, n) => `n${n}`))
    stream.close()
  })

  it('leaves a reader that does not read where it is, and loses nothing to it once it reads on', async () => {
    const slow = listen('view=feed')
    const quick = listen('view=feed')
    await until(() => slow.of('hello').length === 1 && quick.of('hello').length === 1)
    slow.socket.pause()
    for (let part = 0; part < 4; part++) append(500, part * 500)
    await until(() => quick.steps().length >= 2_000)
    const before = slow.steps().length
    slow.socket.resume()
    await until(() => slow.steps().length >= 2_000)
    expect(before).toBe(0)
    expect(slow.steps().map(({ id }) => id)).toEqual(Array.from({ length: 2_000 }, (_, n) => `n${n}`))
    slow.close()
    quick.close()
  })

  it('continues after a restart at the last record, for each subscriber', async () => {
    append(10)
    const first = listen('view=feed&after=0')
    await until(() => first.steps().length >= 10)
    const { seq } = first.of('feed').at(-1) as FeedMessage
    await daemon.stop()
    append(10, 10)
    daemon = await start()
    const again = listen(`view=feed&after=${seq}`)
    const behind = listen('view=feed&after=0')
    const rows = listen(`after=${seq}`)
    await until(() => again.steps().length >= 10 && behind.steps().length >= 20 && rows.of('rows').length > 0)
    expect(again.steps().map(({ id }) => id)).toEqual(Array.from({ length: 10 }, (_, n) => `n${n + 10}`))
    expect(new Set(behind.steps().map(({ id }) => id)).size).toBe(20)
    expect(
      rows
        .of('rows')
        .flatMap((message) => message.rows)
        .filter(({ id }) => id === 'n12'),
    ).toHaveLength(1)
    for (const { close } of [again, behind, rows]) close()
  })

  it('says which records are kept no more, and where a record began anew', async () => {
    append(20)
    const store = new SqliteTraceStore(join(at.home, 'arc.db'))
    store.retain({ maxBytes: 4_000, now: Date.now(), id: 'cut' })
    store.close()
    const stream = listen('view=feed&after=1')
    await until(() => stream.of('feed').length > 0)
    const [gap] = stream.of('gap')
    expect(gap?.from).toBe(2)
    expect(gap?.to).toBeGreaterThan(2)
    const ahead = listen('view=feed&after=999999')
    await until(() => ahead.of('hello').length === 1)
    expect(ahead.of('hello')[0]?.after).toBeLessThan(999_999)
    stream.close()
    ahead.close()
  })
})

describe('the page', () => {
  const cookie = async (): Promise<string> => {
    const { pathname, search } = new URL(daemon.newLoginUrl({}))
    const { headers } = await ask(pathname + search, { port: true })
    return String((headers['set-cookie'] as string[])[0]).split(';')[0] as string
  }

  it('comes with a policy under which nothing inline and nothing from elsewhere runs', async () => {
    mkdirSync(join(dashboard, 'assets'), { recursive: true })
    writeFileSync(join(dashboard, 'index.html'), '<!doctype html>')
    writeFileSync(join(dashboard, 'assets/app-1a2b.js'), '1')
    const headers = { cookie: await cookie() }
    const page = await ask('/feed', { port: true, headers })
    const policy = String(page.headers['content-security-policy'])
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toMatch(/unsafe|\*|https?:/)
    expect(policy).toContain("frame-ancestors 'none'")
    expect(page.headers).toMatchObject({ 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' })
    const asset = await ask('/assets/app-1a2b.js', { port: true, headers })
    expect(asset.headers['cache-control']).toContain('immutable')
    const tag = { 'if-none-match': String(page.headers.etag) }
    expect((await ask('/feed', { port: true, headers: { ...headers, ...tag } })).status).toBe(304)
    expect((await ask('/v1/status', { port: true, headers })).headers['cache-control']).toBe('no-store')
  })

  it('changes nothing for other pages, though the browser sends the cookie along', async () => {
    const own = { cookie: await cookie() }
    const post = (headers: Readonly<Record<string, string>>) =>
      ask('/v1/approvals/none/approve', { method: 'POST', port: true, headers })
    // It does not exist: an authorized request gets 404.
    expect((await post({ ...own, origin: daemon.url })).status).toBe(404)
    expect((await post({ authorization: `Bearer ${daemon.token}` })).status).toBe(403)
    expect((await post(own)).status).toBe(403)
    expect((await post({ ...own, origin: 'http://127.0.0.1:1' })).status).toBe(403)
    expect((await post({ ...own, origin: 'null' })).status).toBe(403)
    expect((await post({ origin: daemon.url })).status).toBe(401)
  })

  it.each(['cross-site', 'same-site'])('is not read by pages that are %s', async (site) => {
    const headers = { cookie: await cookie(), 'sec-fetch-site': site }
    expect((await ask('/v1/snapshot', { port: true, headers })).status).toBe(403)
    const stream = { port: true, headers: { ...headers, 'sec-fetch-site': 'same-origin' } }
    expect((await ask('/v1/snapshot', stream)).status).toBe(200)
  })

  it('asks a browser to sign in, in words', async () => {
    const { status, text } = await ask('/feed', { port: true, headers: { accept: 'text/html' } })
    expect(status).toBe(401)
    expect(text).toContain('arc status')
    expect((await ask('/v1/status', { port: true, headers: { accept: 'text/html' } })).text).toContain(
      'ARC_TOKEN_MISSING',
    )
  })
})
