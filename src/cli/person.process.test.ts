// Approvals, loosening and stopping, tried by a real agent process in every way that the process table shows, and done by a
// person at a real terminal.

import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FakeAgent } from '../../test/fake-agent.ts'
import { canBePerson } from '../../test/person.ts'
import { ARC, onlyJson, type Ran, runArc } from '../../test/run-arc.ts'
import { askNobody, LAYER, makeHome, PROFILE, type SupervisedHome } from '../../test/supervised-home.ts'
import { type Approval, Approvals } from '../approvals/approvals.ts'
import { listAgents } from '../guard/supervised-agents.ts'
import { systemClock } from '../platform/engine-services.ts'
import { newId } from '../platform/ids.ts'
import { SqliteStateStore } from '../storage/sqlite/state-store.ts'
import { SqliteTraceStore } from '../storage/sqlite/trace-store.ts'
import { canonicalize } from '../trace/canonical.ts'
import { installLauncher } from './hook/launcher.ts'

const isLinux = process.platform === 'linux'
const MAKE_TERMINAL = 'script'
const hasScript = spawnSync(MAKE_TERMINAL, ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') === true
const STEP = { point: 'pre:tool', tool: 'shell', args: { command: 'git push --force' }, workspace: '/w', session: 's' }
const LIMIT_MS = 180_000

let place: SupervisedHome
let agent: FakeAgent
let launcher: string

beforeEach(() => {
  place = makeHome()
  place.write(PROFILE, { enforcement: 'enforce' })
  launcher = installLauncher({ home: place.home, node: process.execPath, arc: ARC })
  agent = new FakeAgent({ ARC_HOME: place.home })
})

afterEach(async () => {
  await agent.end()
  place.remove()
})

const arc = (...args: string[]): Promise<Ran> => runArc(args, { home: place.home, cwd: place.project })

function withState<T>(work: (state: SqliteStateStore, approvals: Approvals) => T): T {
  const state = new SqliteStateStore(join(place.home, 'arc.db'))
  try {
    return work(state, new Approvals({ state, clock: systemClock, newId, canonicalize }))
  } finally {
    state.close()
  }
}

const hold = (): Approval => withState((_, approvals) => approvals.request(STEP, { reason: 'why', hook: 'careful' }))
const statusOf = (id: string) => withState((_, approvals) => approvals.get(id)?.status)

function records(action: string) {
  const trace = new SqliteTraceStore(join(place.home, 'arc.db'))
  try {
    return trace.query({ action }).map(({ id }) => trace.get(id))
  } finally {
    trace.close()
  }
}

async function until(check: () => boolean): Promise<void> {
  while (!check()) await new Promise((resolve) => setTimeout(resolve, 25))
}

// Types the answer into a real terminal once the question is shown.
function onTerminal(line: string, answer: string): Promise<{ readonly code: number | null; readonly screen: string }> {
  const env = { ...process.env, TERM: 'xterm', NO_COLOR: '1', ARC_HOME: place.home, ARC_PROFILE: '' }
  const command = `stty cols 200; "${process.execPath}" "${ARC}" ${line}`
  return new Promise((resolve) => {
    const child = spawn(MAKE_TERMINAL, ['-qec', command, '/dev/null'], { cwd: place.project, env })
    let screen = ''
    let isAnswered = false
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      screen += chunk
      if (isAnswered || !screen.includes('Type yes')) return
      isAnswered = true
      child.stdin.write(answer)
    })
    child.on('close', (code) => resolve({ code, screen }))
  })
}

describe.skipIf(!isLinux)('a process that an agent started', () => {
  it(
    'G4 approves, denies, trusts, loosens and stops nothing, also in a home without confirmation',
    async () => {
      askNobody(place.home)
      await agent.callHook(launcher, 'ls')
      const { id } = hold()
      place.write(LAYER, { commands: [{ name: 'own', event: 'pre:tool', command: 'true' }] })
      const before = readFileSync(join(place.root, PROFILE), 'utf8')
      const lines = [
        `approvals approve ${id}`,
        `approvals deny ${id}`,
        `trust '${place.project}' --yes`,
        'profile set enforcement log',
        'profile set hooks.risk-detection.enabled false',
        'profile create other',
        'profile delete default --yes',
        'hooks disable risk-detection',
        'allow --rule git/push-force',
        'allow remove 1',
        'trace cut --keep-days 0',
        'profile set trace.keep.days 1',
        'breaker reset',
        'init --enforcement log',
        'init --confirm none',
        'stop',
      ]
      for (const line of lines) {
        const { code, output } = await agent.run(`$arc ${line} 2>&1`.replace('$arc', 'eval "$arc"'))
        expect([line, code, output]).toEqual([line, 1, expect.stringMatching(/ARC_NEEDS_PERSON|is active/)])
      }
      expect(statusOf(id)).toBe('pending')
      expect(readFileSync(join(place.root, PROFILE), 'utf8')).toBe(before)
      // Raising is free, and the test itself made the home.
      expect((await agent.run('eval "$arc" profile set enforcement enforce')).code).toBe(0)
      expect((await arc('approvals', 'approve', id)).code).toBe(0)
    },
    LIMIT_MS,
  )

  const orphans: readonly (readonly [string, string])[] = [
    ['setsid', 'setsid -f bash "$OUT/try.sh"'],
    ['a double fork', '( ( bash "$OUT/try.sh" & ) & )'],
    ['nohup without an environment', 'env -i OUT="$OUT" setsid -f nohup bash "$OUT/try.sh"'],
    ['a terminal made by script', 'setsid -f script -qc "bash $OUT/try.sh" /dev/null <<< yes'],
    ['a terminal of its own as a child', 'script -qc "bash $OUT/try.sh" /dev/null <<< yes'],
    [
      'a terminal made by python',
      'env -i OUT="$OUT" PATH="$PATH" setsid -f python3 -c "import pty; pty.spawn([\'bash\', \'$OUT/try.sh\'])" <<< yes',
    ],
    ['a multiplexer', 'env -i OUT="$OUT" PATH="$PATH" TERM=xterm tmux -S "$OUT/tmux" new -d "bash $OUT/try.sh"'],
  ]

  it.each(orphans)(
    'G4 is refused when it is cut off from the agent by %s',
    async (_name, line) => {
      askNobody(place.home)
      await agent.callHook(launcher, 'ls')
      const { id } = hold()
      const node = `'${process.execPath}' '${ARC}'`
      const script = `export ARC_HOME='${place.home}' NO_COLOR=1; sleep 0.2; ${node} approvals approve ${id} > "$OUT/said" 2>&1; echo "exit $?" >> "$OUT/said"`
      await agent.run(`printf %s '${Buffer.from(script).toString('base64')}' | base64 -d > "$OUT/try.sh"`)
      await agent.run(line)
      const said = () =>
        existsSync(join(agent.folder, 'said')) ? readFileSync(join(agent.folder, 'said'), 'utf8') : ''
      await until(() => said().includes('exit '))
      expect(said()).toContain('ARC_NEEDS_PERSON')
      expect(said()).toContain('exit 1')
      expect(statusOf(id)).toBe('pending')
    },
    LIMIT_MS,
  )

  it(
    'G4 is noted once with the agent that called the hook, and forgotten when that ended',
    async () => {
      await agent.callHook(launcher, 'ls')
      await agent.callHook(launcher, 'pwd')
      expect(withState(listAgents)).toMatchObject([{ pid: agent.pid, host: 'claude', session: 's' }])
      await agent.end()
      expect(withState(listAgents)).toEqual([])
      agent = new FakeAgent({ ARC_HOME: place.home })
      await agent.callHook(launcher, 'ls')
      expect(withState((state) => state.list('agent:').length)).toBe(1)
    },
    LIMIT_MS,
  )

  it.skipIf(!canBePerson)(
    'G4 gets no login link and cannot answer with the token; a person gets both',
    async () => {
      const served = spawn(process.execPath, [ARC, 'serve', '--no-open', '--json', '--port', '0'], {
        env: { ...process.env, ARC_HOME: place.home, ARC_PROFILE: '' },
      })
      try {
        await new Promise((resolve) => served.stdout.once('data', resolve))
        await agent.run(`ARC_DAEMON=on; export ARC_DAEMON; true`)
        await agent.callHook(launcher, 'ls')
        const { id } = hold()
        const shown = await agent.run('eval "$arc" status --json')
        const status = JSON.parse(shown.output) as { url: string; loginUrl: string | null; loginHint: string }
        expect(status).toMatchObject({ loginUrl: null, loginHint: expect.stringContaining('supervised agent') })
        expect((await agent.run('eval "$arc" open')).code).toBe(1)
        const token = readFileSync(join(place.home, 'run/token'), 'utf8').trim()
        const ask = (path: string, more = '') =>
          agent.run(`curl -s -X POST -H 'authorization: Bearer ${token}' ${more} '${status.url}${path}'`)
        expect((await ask(`/v1/approvals/${id}/approve`)).output).toContain('ARC_NEEDS_PERSON')
        expect((await ask(`/v1/approvals/${id}/deny`, `-H 'origin: ${status.url}'`)).output).toContain(
          'ARC_NEEDS_PERSON',
        )
        // The number of another process does not help: the connection shows whose it is.
        const claimed = await ask('/v1/login-link', `-H 'x-arc-process: ${process.pid}'`)
        expect(claimed.output).toContain('ARC_NEEDS_PERSON')
        expect((await agent.run(`curl -s '${status.url}/login?token=${token}'`)).output).not.toContain('set-cookie')
        expect(statusOf(id)).toBe('pending')
        const person = onlyJson<{ loginUrl: string }>(await arc('status', '--json'))
        expect((await fetch(person.loginUrl, { redirect: 'manual' })).status).toBe(303)
        expect((await fetch(person.loginUrl, { redirect: 'manual' })).status).toBe(401)
      } finally {
        served.kill('SIGTERM')
        await new Promise((resolve) => served.once('close', resolve))
      }
    },
    LIMIT_MS,
  )
})

describe.skipIf(!isLinux || !hasScript || !canBePerson)('a person at a terminal', () => {
  it(
    'G4 approves by a typed yes while an agent runs, and it is recorded at once, with channel and process',
    async () => {
      await agent.callHook(launcher, 'ls')
      const { id, hash } = hold()
      const refused = await onTerminal(`approvals approve ${id}`, 'y\r')
      expect(refused.screen).toContain('git push --force')
      expect([refused.code, statusOf(id)]).toEqual([1, 'pending'])
      expect((await onTerminal(`approvals approve ${id}`, 'yes\r')).code).toBe(0)
      expect(statusOf(id)).toBe('approved')
      expect(records('approval:approved')).toMatchObject([
        {
          record: {
            metadata: {
              approval: { id, status: 'approved' },
              channel: 'terminal',
              hash,
              process: { pid: expect.any(Number), tty: expect.stringMatching(/^pts\//) },
            },
          },
        },
      ])
    },
    LIMIT_MS,
  )

  it(
    'Q2 allows by a typed yes after the whole step was shown, recorded with channel and process',
    async () => {
      await agent.callHook(launcher, 'git push --force origin topic')
      const refused = await onTerminal('allow last --always', 'no\r')
      expect(refused.screen).toContain('git push --force origin topic')
      expect(refused.code).toBe(1)
      expect(records('exception:added')).toEqual([])
      expect((await onTerminal('allow last --always', 'yes\r')).code).toBe(0)
      const process = { pid: expect.any(Number), tty: expect.stringMatching(/^pts\//) }
      expect(records('exception:added')).toMatchObject([
        { record: { metadata: { exception: { id: 1, kind: 'exact' }, channel: 'terminal', process } } },
      ])
    },
    LIMIT_MS,
  )

  it(
    'G4 without a terminal nothing is approved or loosened, and denying, stopping and raising still work',
    async () => {
      const { id } = hold()
      for (const line of [
        ['approvals', 'approve', id],
        ['profile', 'set', 'enforcement', 'log'],
        ['init', '--confirm', 'none'],
      ]) {
        expect(await arc(...line)).toMatchObject({ code: 1, stderr: expect.stringContaining('ARC_NEEDS_PERSON') })
      }
      expect((await arc('profile', 'set', 'enforcement', 'enforce')).code).toBe(0)
      expect((await arc('approvals', 'deny', id)).code).toBe(0)
      expect(records('approval:denied')).toHaveLength(1)
      expect((await arc('stop')).code).toBe(0)
      expect((await onTerminal('profile set enforcement log', 'yes\r')).code).toBe(0)
      expect(readFileSync(join(place.root, PROFILE), 'utf8')).toContain('"log"')
      expect(records('config:set')).toMatchObject([
        { record: { metadata: { key: 'enforcement', channel: 'terminal' } } },
      ])
      const doctor = onlyJson<{ checks: { name: string }[] }>(await arc('doctor', '--json'))
      expect(doctor.checks.map(({ name }) => name)).not.toContain('confirmations')
    },
    LIMIT_MS,
  )
})

it('G4 arc doctor reports a home without confirmation', async () => {
  askNobody(place.home)
  const { checks } = onlyJson<{ checks: { name: string; detail: string }[] }>(await arc('doctor', '--json'))
  expect(checks.find(({ name }) => name === 'confirmations')?.detail).toContain('warning')
})
