// What a daemon holds after much work, compared with what it held early: descriptors, watches, timers, processes and the
// heap after a collection.

import { existsSync, readFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import type { ProcessFigures } from '../../bench/soak/process-figures.mjs'
import { type ServedHome, serveHome } from '../../test/served-home.ts'

const LIMIT_MS = 180_000
const SOON = { timeout: 30_000, interval: 200 }
// More than a heap differs by between two collections, and less than a leak of two kilobytes per call would add.
const MAX_GROWTH = 1.12

describe.runIf(existsSync('/proc/self/fdinfo'))('a daemon after much work', () => {
  let at: ServedHome
  beforeEach(async () => {
    at = await serveHome({ enforcement: 'enforce' })
  })
  afterEach(() => at.stop())

  let calls = 0

  async function call(count: number, project = at.root): Promise<void> {
    const agent = new Agent({ keepAlive: true })
    for (let done = 0; done < count; done += 20) {
      await Promise.all(Array.from({ length: 20 }, () => sendPair(project, agent)))
    }
    agent.destroy()
  }

  // A call with its result, each twentieth in a new session, each tenth held or blocked.
  async function sendPair(cwd: string, agent: Agent): Promise<void> {
    const id = `c${++calls}`
    const command = calls % 10 === 0 ? `git reset --hard HEAD~${calls}` : `git log -n ${calls}`
    const common = { session_id: `s${Math.floor(calls / 20)}`, cwd, tool_use_id: id, tool_name: 'Bash' }
    const step = { ...common, tool_input: { command } }
    const before = { ...step, hook_event_name: 'PreToolUse' }
    await at.ask('POST', '/v1/hook/claude/PreToolUse', JSON.stringify(before), agent)
    const after = { ...step, hook_event_name: 'PostToolUse', tool_response: { stdout: id } }
    await at.ask('POST', '/v1/hook/claude/PostToolUse', JSON.stringify(after), agent)
  }

  // Connections of the test close a moment after their answers.
  async function expectSame(early: ProcessFigures): Promise<void> {
    const counts = async () => {
      const { descriptors, watches, timers, children } = await at.figures()
      return { descriptors, watches, timers, children }
    }
    const { watches } = early
    const atMost = (most: number) => expect.toSatisfy((value: number) => value <= most, `at most ${most}`)
    await expect
      .poll(counts, SOON)
      .toEqual({ descriptors: atMost(early.descriptors + 3), watches, timers: atMost(early.timers + 3), children: 0 })
    expect((await at.figures()).heapMb).toBeLessThan(early.heapMb * MAX_GROWTH)
  }

  it(
    'Z7 holds no more after thousands of requests than after some hundred',
    async () => {
      await call(400)
      const early = await at.figures()
      await call(1_600)
      await expectSame(early)
    },
    LIMIT_MS,
  )

  it(
    'Z7 holds no more after many edits of the profile and of a project than after some',
    async () => {
      const project = at.project('p', { enforcement: 'enforce' })
      const edit = async (count: number) => {
        for (let number = 0; number < count; number++) {
          const { userLoads } = await at.counts()
          at.write('home/profiles/default.json', { enforcement: 'enforce', hooks: { timeout: 5_000 + ++calls } })
          at.project('p', calls % 2 === 0 ? { enforcement: 'enforce' } : { hooks: { errorBehavior: 'abort' } })
          await expect.poll(async () => (await at.counts()).userLoads, SOON).toBeGreaterThan(userLoads)
          await at.decide(project, 'ls')
        }
      }
      await call(100, project)
      await edit(10)
      const early = await at.figures()
      await edit(60)
      await expectSame(early)
    },
    LIMIT_MS,
  )

  it(
    'Z7 holds no more after many pages that came and went than after some',
    async () => {
      const token = readFileSync(join(at.home, 'run/token'), 'utf8').trim()
      const connect = async (count: number) => {
        for (let number = 0; number < count; number++) {
          const page = new WebSocket(`${at.url.replace('http', 'ws')}/v1/stream?view=feed`, {
            headers: { authorization: `Bearer ${token}` },
          })
          await new Promise((resolve, reject) => page.once('message', resolve).once('error', reject))
          await at.decide(at.root, 'ls')
          page.terminate()
        }
      }
      await call(100)
      await connect(10)
      const early = await at.figures()
      await connect(150)
      await expectSame(early)
    },
    LIMIT_MS,
  )
})
