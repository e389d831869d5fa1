import { createHmac } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { Approvals, toHeldStep } from '../../approvals/approvals.ts'
import type { SupervisionEvent } from '../../hooks/builtin/services.ts'
import { MemoryStateStore } from '../../storage/memory/state-store.ts'
import { FakeClock } from '../../testing/fake-clock.ts'
import { canonicalize } from '../../trace/canonical.ts'
import { Announcer } from './announcer.ts'
import { postMessage } from './webhook.ts'

interface Received {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

const SECRET = 'a-secret-of-the-user'
const STEP = toHeldStep({
  point: 'pre:tool',
  data: { tool: 'Bash', args: { command: 'npm publish' } },
  workspace: '/w',
})

let server: Server
let url = ''
let received: Received[] = []
let statuses: number[] = []

beforeEach(async () => {
  received = []
  statuses = []
  server = createServer((request, response) => {
    let body = ''
    request.on('data', (part) => {
      body += part
    })
    request.on('end', () => {
      received.push({ headers: request.headers, body })
      response.writeHead(statuses.shift() ?? 204).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
})
afterEach(() => new Promise((resolve) => server.close(resolve)))

function open() {
  let ids = 0
  const events: SupervisionEvent[] = []
  const services = { state: new MemoryStateStore(), clock: new FakeClock(), newId: () => `id-${++ids}`, canonicalize }
  const approvals = new Approvals(services)
  const record = (event: SupervisionEvent): void => void events.push(event)
  return { approvals, events, about: { approvals, record, targets: [{ url, secret: SECRET }] } }
}

it('Q4 a webhook gets one signed message per held step, and a second one when it is answered', async () => {
  const { approvals, events, about } = open()
  const announcer = new Announcer()
  const { id } = approvals.request(STEP, { reason: 'It publishes.' })
  for (let at = 0; at < 3; at++) await announcer.send({ ...about, approval: approvals.open(id) })
  expect(received).toHaveLength(1)
  approvals.answer(id, 'deny', { by: 'ada', message: 'not today' })
  const approval = approvals.get(id)
  if (approval === undefined) throw new Error('the approval is gone')
  for (let at = 0; at < 3; at++) await announcer.send({ ...about, approval })
  expect(received.map(({ body }) => JSON.parse(body))).toMatchObject([
    { type: 'approval:waiting', approval: { id, command: 'npm publish', status: 'pending', reason: 'It publishes.' } },
    { type: 'approval:over', approval: { id, status: 'denied', answeredBy: 'ada', message: 'not today' } },
  ])
  for (const { headers, body } of received) {
    const expected = createHmac('sha256', SECRET).update(`${headers['x-arc-timestamp']}.${body}`).digest('hex')
    expect(headers['x-arc-signature']).toBe(`sha256=${expected}`)
  }
  expect(events).toEqual([])
})

it('Q4 a step that was answered before its first message brings no message at all', async () => {
  const { approvals, about } = open()
  const { id } = approvals.request(STEP, {})
  const approval = approvals.answer(id, 'approve')
  await new Announcer().send({ ...about, approval })
  expect(received).toEqual([])
})

// Advances the clock to each pause, once the attempt before it has failed.
async function runPauses(clock: FakeClock, isDone: () => boolean): Promise<number[]> {
  const pauses: number[] = []
  while (!isDone()) {
    await new Promise((resolve) => setImmediate(resolve))
    if (clock.timers === 0) continue
    const [before, start] = [clock.timers, clock.now()]
    while (clock.timers === before && clock.timers > 0) clock.advance(1_000)
    pauses.push(clock.now() - start)
  }
  return pauses
}

it('Q4 a webhook that fails is tried again with growing pauses, and not forever', async () => {
  statuses = [500, 503, 429, 500, 500, 500]
  const clock = new FakeClock()
  let failure: unknown
  const posted = postMessage({ url }, '{}', { signal: new AbortController().signal, isDue: () => true, clock })
  const done = posted.catch((error) => {
    failure = error
  })
  const pauses = await runPauses(clock, () => failure !== undefined)
  await done
  expect(String(failure)).toContain('it answered with status 500 (attempt 5)')
  expect(pauses).toEqual([1_000, 3_000, 9_000, 27_000])
  expect(received).toHaveLength(5)
})

it('Q4 a refusal of a webhook is not repeated, and is recorded without the path of the address', async () => {
  statuses = [401]
  const { approvals, events, about } = open()
  const approval = approvals.request(STEP, {})
  await new Announcer().send({ ...about, approval })
  expect(received).toHaveLength(1)
  expect(events).toMatchObject([{ action: 'notify:failed', level: 'warn', data: { approval: { id: approval.id } } }])
  expect(events[0]?.message).toContain('it answered with status 401')
  expect(events[0]?.message).not.toContain('/hook')
})

it('Q4 a message that is out of date is not repeated', async () => {
  statuses = [500]
  const clock = new FakeClock()
  let isDone = false
  const options = { signal: new AbortController().signal, isDue: () => false, clock }
  const posted = postMessage({ url }, '{}', options).then(() => {
    isDone = true
  })
  await runPauses(clock, () => isDone)
  await posted
  expect(received).toHaveLength(1)
})
