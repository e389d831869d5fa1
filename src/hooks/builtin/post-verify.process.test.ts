import { type AddressInfo, createServer } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { pipelineOf } from '../../../test/built-in-fixture.ts'
import { freePort, json, serve, until } from '../../../test/loopback-server.ts'
import { FakeClock } from '../../testing/fake-clock.ts'
import { postVerify } from './post-verify.ts'
import { findServiceOperation } from './service-operation.ts'

const RESTART = { tool: 'Bash', args: { command: 'sudo systemctl restart web' }, result: '' }

const ATTEMPT_MS = 4_321

// Knows which of its timers is the wait between two looks: the only ones that are neither the limit of a look nor of the
// hook.
class PollClock extends FakeClock {
  readonly #waits = new Set<number>()

  override after(ms: number, callback: () => void): () => void {
    if (ms === ATTEMPT_MS || ms > 20_000) return super.after(ms, callback)
    this.#waits.add(ms)
    const undo = super.after(ms, () => {
      this.#waits.delete(ms)
      callback()
    })
    return () => {
      this.#waits.delete(ms)
      undo()
    }
  }

  get wait(): number | undefined {
    return [...this.#waits][0]
  }
}

// Moves the clock on to the end of each wait, and never while a look is under way: real requests take what they take.
async function drive(outcome: Promise<unknown>, clock: PollClock): Promise<void> {
  let isOver = false
  void outcome.then(() => {
    isOver = true
  })
  while (!isOver) {
    await clock.settle()
    if (clock.wait !== undefined) clock.advance(clock.wait)
  }
}

function verifying(options: object, setting: Parameters<typeof pipelineOf>[1] = {}) {
  const clock = new PollClock()
  const made = pipelineOf([[postVerify, { attemptMs: ATTEMPT_MS, ...options }]], { clock, ...setting })
  return { ...made, clock }
}

describe('after an operation on a service', () => {
  it('B95 polls at once, then after 1 s, doubling, until it is healthy', async () => {
    const times: number[] = []
    const server = await serve((response) => {
      times.push(clock.now())
      json(response, {}, times.length < 5 ? 503 : 200)
    })
    const { send, clock } = verifying({ checks: [{ name: 'web', url: server.url }] })
    const outcome = send('post:tool', RESTART)
    await drive(outcome, clock)
    expect(times).toEqual([0, 1_000, 3_000, 7_000, 15_000])
    expect((await outcome).metadata).toMatchObject({ web_healthy: true, post_verify_healthy: true })
  })

  it('B95 waits for all of them: a server that comes up, and a port that is opened only later', async () => {
    const port = await freePort()
    const tcp = createServer((socket) => socket.end())
    onTestFinished(() => void tcp.close())
    const times: number[] = []
    const server = await serve((response) => {
      times.push(clock.now())
      const answer = (): void => json(response, {}, times.length > 1 ? 200 : 503)
      // Open before the third look is answered, so that it is for the fourth.
      if (times.length === 3) tcp.listen(port, '127.0.0.1', answer)
      else answer()
    })
    const checks = [
      { name: 'http', url: server.url },
      { name: 'tcp', port },
    ]
    const { send, clock } = verifying({ checks })
    const outcome = send('post:tool', RESTART)
    await drive(outcome, clock)
    expect((await outcome).metadata).toMatchObject({ http_healthy: true, tcp_healthy: true })
    // The third look at the port may come before or after it is opened.
    expect([
      [0, 1_000, 3_000],
      [0, 1_000, 3_000, 7_000],
    ]).toContainEqual(times)
    expect(clock.timers).toBe(0)
  })

  it('B95 gives up at 30 s, flags and alerts, and never blocks', async () => {
    const server = await serve((response) => json(response, {}, 503))
    const { send, clock, events } = verifying({ checks: [{ name: 'web', url: server.url }] })
    const pending = send('post:tool', RESTART)
    await drive(pending, clock)
    const outcome = await pending
    expect(outcome).toMatchObject({ decision: 'flag', blocked: false })
    expect(outcome.metadata).toMatchObject({
      web_healthy: false,
      web_detail: 'status 503',
      post_verify_healthy: false,
      post_verify_timed_out: true,
      post_verify_alert: 'Unhealthy services: web',
    })
    expect(clock.now()).toBeLessThanOrEqual(31_000)
    expect(events).toMatchObject([{ action: 'post-verify:unhealthy', level: 'error' }])
    expect(clock.timers).toBe(0)
  })

  it('B95 finds a real server, port and command healthy at the first look', async () => {
    const server = await serve((response) => json(response, {}, 204))
    const tcp = createServer((socket) => socket.end())
    await new Promise<void>((resolve) => tcp.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void tcp.close())
    const checks = [
      { name: 'http', url: server.url, expect: [200, 204] },
      { name: 'tcp', port: (tcp.address() as AddressInfo).port },
      { name: 'cmd', command: 'true' },
    ]
    const outcome = await pipelineOf([[postVerify, { checks }]]).send('post:tool', RESTART)
    expect(outcome).toMatchObject({
      decision: 'pass',
      metadata: { http_healthy: true, tcp_healthy: true, cmd_healthy: true },
    })
    expect(outcome.metadata.verified_at).toMatch(/^2025-01-01T/)
  })

  it('B95 tells a closed port, a failing command and a wrong status apart', async () => {
    const server = await serve((response) => json(response, {}, 302))
    const checks = [
      { name: 'http', url: server.url },
      { name: 'tcp', port: await freePort() },
      { name: 'cmd', command: 'echo no >&2; exit 3' },
    ]
    const { send } = pipelineOf([[postVerify, { checks, pollTimeoutMs: 0 }]])
    expect((await send('post:tool', RESTART)).metadata).toMatchObject({
      http_detail: 'status 302',
      tcp_detail: 'ECONNREFUSED',
      cmd_healthy: false,
    })
  })

  it('B95 ends in time with an address that never answers, however short its limit', async () => {
    const server = await serve(() => undefined)
    const { send, clock } = verifying({ checks: [{ name: 'web', url: server.url }] }, { timeoutMs: 5_000 })
    const pending = send('post:tool', RESTART)
    await until(() => server.requests.length === 1)
    clock.advance(ATTEMPT_MS)
    expect((await pending).metadata).toMatchObject({ post_verify_timed_out: true })
    expect(clock.timers).toBe(0)
    await until(() => server.open() === 0)
  })

  it('B95 does not look twice when the agent only says what it did', async () => {
    const server = await serve((response) => json(response, {}))
    const { send } = pipelineOf([[postVerify, { checks: [{ name: 'web', url: server.url }] }]])
    await send('post:tool', RESTART)
    await send('post:message', { output: 'I restarted web.' })
    expect(server.requests).toHaveLength(1)
    await send('post:message', { output: 'I restarted web.' }, { session: 's2' })
    expect(server.requests).toHaveLength(2)
  })

  it.each([
    'systemctl restart web',
    'brew services restart web',
    '/etc/init.d/web restart',
    'sudo -n systemctl reload nginx',
    'cd /srv && docker compose up -d',
    'docker restart web',
    'kubectl -n prod apply -f x.yaml',
    'kubectl rollout restart deploy/web',
    'FOO=1 pm2 reload all',
    '/usr/sbin/nginx -s reload',
    'helm upgrade web ./chart',
    'npm run deploy',
    './scripts/deploy.sh prod',
    'service web restart',
    'kill -HUP 12',
  ])('B95 knows %j for such an operation', (command) => {
    expect(findServiceOperation({ tool: 'shell', args: { command } }, [])).toBeDefined()
  })

  it.each([
    'systemctl status web',
    'kubectl get pods',
    'docker ps',
    'ls',
    'echo systemctl restart',
    'git log --grep restart',
    'pm2 list',
  ])('B95 knows %j for none', (command) =>
    expect(findServiceOperation({ tool: 'shell', args: { command } }, [])).toBeUndefined(),
  )

  it.each([
    ['I restarted the server', true],
    ['deployed it', true],
    ['The deployment is done', true],
    ['after the config change', true],
    ['service reloaded', true],
    ['all tests pass', false],
    ['restarter', false],
    ['page reload', false],
  ])('B95 reads %j', (output, isOperation) => {
    expect(findServiceOperation({ output }, []) !== undefined).toBe(isOperation)
  })

  it('B95 sees a change of a service in the file that is written', () => {
    expect(findServiceOperation({ tool: 'Write', args: { file_path: '/etc/nginx/nginx.conf' } }, [])).toContain(
      'config',
    )
    expect(
      findServiceOperation({ tool: 'Write', args: { file_path: 'src/a.ts', content: 'restart' } }, []),
    ).toBeUndefined()
  })

  it.each([
    { checks: [{ name: 'x', url: 'file:///etc' }] },
    { checks: [{ name: 'x', port: 99_999 }] },
    { pollIntervalMs: 0 },
  ])('B95 refuses %j', (options) => expect(postVerify.options.safeParse(options).success).toBe(false))
})
