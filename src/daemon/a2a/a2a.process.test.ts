// A daemon as A2A clients see it: the SDK's own client on one side, and on the other agents that work through the real
// command line, each in a separate process.

import { join } from 'node:path'
import type { Task as A2aTask, Message, StreamResponse } from '@a2a-js/sdk'
import { Role, TaskState } from '@a2a-js/sdk'
import { type Client, ClientFactory, ClientFactoryOptions, JsonRpcTransportFactory } from '@a2a-js/sdk/client'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { onlyJson, runArc } from '../../../test/run-arc.ts'
import { askNobody, makeHome, PROFILE, type SupervisedHome } from '../../../test/supervised-home.ts'
import { loadDriver } from '../../storage/sqlite/driver/load-driver.ts'
import { openTasks } from '../../tasks/service/open-tasks.ts'
import type { Task } from '../../tasks/task.ts'
import { type Daemon, startDaemon } from '../server.ts'

const SUBMITTED = TaskState.TASK_STATE_SUBMITTED
const WORKING = TaskState.TASK_STATE_WORKING
const INPUT_REQUIRED = TaskState.TASK_STATE_INPUT_REQUIRED
const COMPLETED = TaskState.TASK_STATE_COMPLETED

let at: SupervisedHome
let daemon: Daemon
let reports: string[]

async function start(port = 0): Promise<void> {
  const report = (text: string): void => void reports.push(text)
  daemon = (await startDaemon({ home: at.home, version: '1.2.3', port, report, finishMs: 1_500 })) as Daemon
}

beforeEach(async () => {
  at = makeHome()
  askNobody(at.home)
  reports = []
  at.write(PROFILE, { enforcement: 'enforce' })
  await start()
})

afterEach(async () => {
  await daemon.stop()
  at.remove()
})

const token = (): string => daemon.token

function connect(path = '/', headers: Readonly<Record<string, string>> = {}): Promise<Client> {
  const fetchImpl: typeof fetch = (input, init) => {
    const all = new Headers(init?.headers)
    all.set('authorization', `Bearer ${token()}`)
    for (const [name, value] of Object.entries(headers)) all.set(name, value)
    return fetch(input, { ...init, headers: all })
  }
  const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
    transports: [new JsonRpcTransportFactory({ fetchImpl })],
  })
  // The card itself is fetched without the token.
  return new ClientFactory(options).createFromUrl(`${daemon.url}${path}`)
}

let messages = 0

function send(text: string, { returnImmediately = true, ...more }: SendOptions = {}) {
  const part = { content: { $case: 'text', value: text }, metadata: undefined, filename: '', mediaType: '' } as const
  const base = { contextId: '', taskId: '', extensions: [], referenceTaskIds: [], metadata: undefined }
  const message: Message = { ...base, messageId: `m${++messages}`, role: Role.ROLE_USER, parts: [part], ...more }
  const configuration = { acceptedOutputModes: [], taskPushNotificationConfig: undefined, returnImmediately }
  return { tenant: '', message, configuration, metadata: undefined }
}

interface SendOptions extends Partial<Message> {
  readonly returnImmediately?: boolean
}

const EVERYTHING = { tenant: '', contextId: '', status: 0, pageToken: '', statusTimestampAfter: undefined }
const AGENTS = { from: 'lead', to: 'reviewer' } as const

async function delegated(client: Client, text = 'Review the change', more: SendOptions = {}): Promise<A2aTask> {
  return (await client.sendMessage(send(text, { metadata: AGENTS, ...more }))) as A2aTask
}

const arc = (...args: string[]) => runArc(['task', ...args, '--json'], { home: at.home })

const asReviewer = async (verb: string, id: string, ...words: string[]): Promise<Task> =>
  onlyJson<Task>(await arc(verb, id, '--as', 'reviewer', ...words))

// What a stream tells, as words.
function wordFor({ payload }: StreamResponse): string {
  if (payload?.$case === 'task') return `task ${TaskState[payload.value.status?.state ?? 0]}`
  if (payload?.$case === 'artifactUpdate') return `artifact ${textOf(payload.value.artifact?.parts)}`
  if (payload?.$case !== 'statusUpdate') return String(payload?.$case)
  const { state = 0, message } = payload.value.status ?? {}
  return `status ${TaskState[state]}${message === undefined ? '' : ` ${textOf(message.parts)}`}`
}

function textOf(parts: Message['parts'] = []): string {
  return parts.map(({ content }) => (content?.$case === 'text' ? content.value : '?')).join('')
}

function listen(events: AsyncGenerator<StreamResponse>) {
  const heard: string[] = []
  let tell: () => void = () => undefined
  const over = (async () => {
    for await (const event of events) {
      heard.push(wordFor(event))
      tell()
    }
  })()
  const until = async (count: number): Promise<void> => {
    while (heard.length < count) {
      await new Promise<void>((resolve) => {
        tell = resolve
      })
    }
  }
  return { heard, over, until }
}

describe('with the client of the SDK', () => {
  it('T1 a task goes from handing over to the result, with a question between', async () => {
    const client = await connect()
    const task = await delegated(client, 'Review the change', { metadata: { ...AGENTS, priority: 'high', pr: 7 } })
    expect(task).toMatchObject({ status: { state: SUBMITTED }, metadata: { ...AGENTS, priority: 'high' } })
    const { id, contextId } = task
    expect(contextId).not.toBe('')
    const stored = onlyJson<Task>(await arc('show', id))
    expect(stored).toMatchObject({ ...AGENTS, description: 'Review the change', metadata: { pr: 7 } })
    const look = () => client.getTask({ tenant: '', id })
    await asReviewer('accept', id)
    expect((await look()).status?.state).toBe(WORKING)
    await asReviewer('request-input', id, 'Which files?')
    const asked = await look()
    expect(asked.status?.state).toBe(INPUT_REQUIRED)
    expect(textOf(asked.status?.message?.parts)).toBe('Which files?')
    const answered = await client.sendMessage(send('Those in src', { taskId: id, contextId, metadata: AGENTS }))
    expect(answered).toMatchObject({ id, contextId, status: { state: WORKING } })
    expect(onlyJson<Task>(await arc('show', id))).toMatchObject({ answer: 'Those in src', status: 'working' })
    await asReviewer('complete', id, 'No issues found')
    const done = await look()
    expect(done.status?.state).toBe(COMPLETED)
    expect(done.artifacts.map(({ parts }) => textOf(parts))).toEqual(['No issues found'])
    expect(done.history.map(({ role, parts }) => [role, textOf(parts)])).toEqual([
      [Role.ROLE_USER, 'Review the change'],
      [Role.ROLE_AGENT, 'Which files?'],
      [Role.ROLE_USER, 'Those in src'],
    ])
    expect(
      (await client.getTask({ tenant: '', id, historyLength: 2 })).history.map(({ parts }) => textOf(parts)),
    ).toEqual(['Which files?', 'Those in src'])
    expect((await client.getTask({ tenant: '', id, historyLength: 0 })).history).toEqual([])
  })

  it('T3 a subscriber gets every transition by other processes, until the end', async () => {
    const client = await connect()
    const { id } = await delegated(client)
    const { heard, over, until } = listen(client.resubscribeTask({ tenant: '', id }))
    await until(1)
    await asReviewer('accept', id)
    await asReviewer('request-input', id, 'Which files?')
    await until(3)
    await client.sendMessage(send('Those', { taskId: id, metadata: AGENTS }))
    await asReviewer('complete', id, 'Fine')
    await over
    expect(heard).toEqual([
      'task TASK_STATE_SUBMITTED',
      'status TASK_STATE_WORKING',
      'status TASK_STATE_INPUT_REQUIRED Which files?',
      'status TASK_STATE_WORKING',
      'artifact Fine',
      'status TASK_STATE_COMPLETED',
    ])
    await expect(client.resubscribeTask({ tenant: '', id }).next()).rejects.toThrow(/is over: it is completed/)
  })

  it('T3 a message waits for its task unless returnImmediately is set, and streams on request', async () => {
    const client = await connect('/a2a/reviewer/')
    const waiting = client.sendMessage(send('Look', { returnImmediately: false }))
    const { heard, over, until } = listen(client.sendMessageStream(send('Look again')))
    await until(1)
    const { delegator, close } = await openTasks({ home: at.home })
    const ids = () => delegator.delegatedTo('reviewer').map(({ id }) => id)
    while (ids().length < 2) await new Promise((resolve) => setTimeout(resolve, 10))
    for (const id of ids()) {
      await delegator.accept(id, 'reviewer')
      if (delegator.get(id)?.description === 'Look') await delegator.requestInput(id, 'reviewer', 'Where?')
      else await delegator.fail(id, 'reviewer', 'Nothing there')
    }
    expect(await waiting).toMatchObject({ status: { state: INPUT_REQUIRED }, metadata: { from: 'a2a-client' } })
    await over
    expect(heard).toEqual([
      ...['task TASK_STATE_SUBMITTED', 'status TASK_STATE_WORKING', 'status TASK_STATE_FAILED Nothing there'],
    ])
    close()
  })

  it('T1 cancels, once and only for who delegated', async () => {
    const client = await connect()
    const { id } = await delegated(client)
    await expect(client.cancelTask({ tenant: '', id, metadata: undefined })).rejects.toMatchObject({
      name: 'UnsupportedOperationError',
      message: expect.stringContaining('that is for "lead", who delegated it, not for "a2a-client"'),
    })
    const metadata = { from: 'lead', reason: 'No longer needed' }
    const cancelled = await client.cancelTask({ tenant: '', id, metadata })
    expect(cancelled.status?.state).toBe(TaskState.TASK_STATE_CANCELED)
    expect(textOf(cancelled.status?.message?.parts)).toBe('No longer needed')
    await expect(client.cancelTask({ tenant: '', id, metadata })).rejects.toMatchObject({
      name: 'TaskNotCancelableError',
    })
    await expect(client.cancelTask({ tenant: '', id: 'none', metadata })).rejects.toMatchObject({
      name: 'TaskNotFoundError',
    })
  })

  it('T2 an unexpected answer, or an answer of another agent, is refused with the typed error', async () => {
    const client = await connect()
    const { id } = await delegated(client)
    const answer = (metadata: object) => client.sendMessage(send('So', { taskId: id, metadata }))
    await expect(answer(AGENTS)).rejects.toMatchObject({
      name: 'UnsupportedOperationError',
      message: expect.stringMatching(/it is assigned, and would have to be input-required.*\[ARC_TASK_TRANSITION\]/),
    })
    const { delegator, close } = await openTasks({ home: at.home })
    await delegator.accept(id, 'reviewer')
    await delegator.requestInput(id, 'reviewer', 'Which?')
    await expect(answer({ from: 'mallory' })).rejects.toThrow(/\[ARC_TASK_ACTOR\]/)
    const named = await connect('/', { 'x-arc-agent': 'lead' })
    expect(await named.sendMessage(send('So', { taskId: id }))).toMatchObject({ status: { state: WORKING } })
    close()
  })

  it('T2 a task that the pipeline stops comes back rejected, with hook and reason, and is not stored', async () => {
    const client = await connect()
    const rejected = await delegated(client, 'Wipe the disk of the server')
    expect(rejected.status?.state).toBe(TaskState.TASK_STATE_REJECTED)
    expect(textOf(rejected.status?.message?.parts)).toMatch(/was blocked by risk-detection: .*\[ARC_TASK_BLOCKED\]/)
    const { metadata = {} } = rejected
    expect(metadata).toMatchObject({ code: 'ARC_TASK_BLOCKED', hook: 'risk-detection' })
    expect(onlyJson(await arc('list'))).toEqual([])
    const why = await runArc(['why', String(metadata.trace)], { home: at.home })
    expect(why.stdout).toContain('risk-detection')
    const { heard, over } = listen(client.sendMessageStream(send('Wipe the disk of the server', { metadata: AGENTS })))
    await over
    expect(heard).toEqual(['task TASK_STATE_REJECTED'])
  })

  it('T2 a task that needs a person is rejected until it is approved', async () => {
    const command = `echo '{"decision":"ask","reason":"somebody should look"}'`
    at.write(PROFILE, {
      enforcement: 'enforce',
      commands: [{ name: 'look', event: 'pre:agent:spawn', command, blocking: true }],
    })
    await daemon.stop()
    await start()
    const client = await connect()
    const held = await delegated(client)
    expect(held).toMatchObject({
      status: { state: TaskState.TASK_STATE_REJECTED },
      metadata: { code: 'ARC_TASK_HELD' },
    })
    const [approval] = onlyJson<[{ id: string }]>(await runArc(['approvals', 'list', '--json'], { home: at.home }))
    await runArc(['approvals', 'approve', approval.id], { home: at.home })
    expect(await delegated(client)).toMatchObject({ status: { state: SUBMITTED } })
  })

  it('T3 a daemon that is started anew knows everything, and who subscribed can do so again', async () => {
    const client = await connect()
    const { id, contextId } = await delegated(client)
    const before = listen(client.resubscribeTask({ tenant: '', id }))
    await before.until(1)
    const { port } = new URL(daemon.url)
    await daemon.stop()
    await before.over.catch(() => undefined)
    await asReviewer('accept', id)
    await start(Number(port))
    const { heard, over, until } = listen(client.resubscribeTask({ tenant: '', id }))
    await until(1)
    await asReviewer('complete', id, 'Done meanwhile')
    await over
    expect(before.heard).toEqual(['task TASK_STATE_SUBMITTED'])
    expect(heard).toEqual(['task TASK_STATE_WORKING', 'artifact Done meanwhile', 'status TASK_STATE_COMPLETED'])
    expect(await client.getTask({ tenant: '', id })).toMatchObject({ id, contextId, status: { state: COMPLETED } })
  })

  it('T3 a client that disconnects leaves no subscriber, and a daemon that stops answers waiting requests', async () => {
    const client = await connect()
    const { id } = await delegated(client)
    const following = (): number => {
      const db = loadDriver().open(join(at.home, 'arc.db'), { isReadOnly: true })
      const count = db.prepare<[], number>('SELECT count(*) FROM bus_interest').pluck().get() ?? 0
      db.close()
      return count
    }
    const gone = new AbortController()
    const options = { signal: gone.signal }
    const streams = Array.from({ length: 12 }, () => listen(client.resubscribeTask({ tenant: '', id }, options)))
    const left = client.sendMessage(send('Look', { metadata: AGENTS, returnImmediately: false }), options)
    await Promise.all(streams.map(({ until }) => until(1)))
    while (following() === 0) await new Promise((resolve) => setTimeout(resolve, 10))
    // However many follow, one listens for them.
    expect(following()).toBe(1)
    gone.abort()
    await Promise.allSettled([left, ...streams.map(({ over }) => over)])
    while (following() > 0) await new Promise((resolve) => setTimeout(resolve, 10))
    const waiting = client.sendMessage(send('Look', { metadata: AGENTS, returnImmediately: false }))
    const stream = listen(client.resubscribeTask({ tenant: '', id }))
    await stream.until(1)
    while ((await client.listTasks(EVERYTHING)).totalSize < 3) await new Promise((resolve) => setTimeout(resolve, 10))
    await daemon.stop()
    expect(await waiting).toMatchObject({ status: { state: SUBMITTED } })
    await stream.over
    expect(stream.heard).toEqual(['task TASK_STATE_SUBMITTED'])
    expect(reports).toEqual([])
  })

  it('lists tasks page by page, the last that moved first, and by state, context and time', async () => {
    const client = await connect()
    const made: string[] = []
    for (let at = 0; at < 7; at++) {
      const to = at % 2 === 0 ? 'reviewer' : 'tester'
      made.push((await delegated(client, `Task ${at}`, { metadata: { from: 'lead', to }, contextId: `c${at % 2}` })).id)
    }
    const { delegator, close } = await openTasks({ home: at.home })
    await delegator.accept(made[0] ?? '', 'reviewer')
    await delegator.complete(made[0] ?? '', 'reviewer', 'Result')
    const query = EVERYTHING
    const pages: string[][] = []
    let pageToken = ''
    do {
      const page = await client.listTasks({ ...query, pageSize: 3, pageToken })
      expect(page).toMatchObject({ pageSize: 3, totalSize: 7 })
      pages.push(page.tasks.map(({ id }) => id))
      // What moves meanwhile shifts nothing.
      if (pageToken === '') await delegator.accept(made[6] ?? '', 'reviewer')
      pageToken = page.nextPageToken
    } while (pageToken !== '')
    expect(pages).toEqual([[made[0], made[6], made[5]], [made[4], made[3], made[2]], [made[1]]])
    const idsOf = async (more: object) => (await client.listTasks({ ...query, ...more })).tasks.map(({ id }) => id)
    expect(await idsOf({ status: COMPLETED })).toEqual([made[0]])
    expect(await idsOf({ status: SUBMITTED, contextId: 'c0' })).toEqual([made[4], made[2]])
    expect(await idsOf({ status: TaskState.TASK_STATE_REJECTED })).toEqual([])
    expect(await idsOf({ statusTimestampAfter: new Date(Date.now() + 60_000).toISOString() })).toEqual([])
    const [done] = (await client.listTasks({ ...query, status: COMPLETED, includeArtifacts: true, historyLength: 5 }))
      .tasks
    expect([done?.artifacts.length, done?.history.length]).toEqual([1, 1])
    const tester = await connect('/a2a/tester/')
    expect((await tester.listTasks(query)).totalSize).toBe(3)
    await expect(tester.getTask({ tenant: '', id: made[0] ?? '' })).rejects.toMatchObject({ name: 'TaskNotFoundError' })
    await expect(client.listTasks({ ...query, pageToken: 'nonsense' })).rejects.toThrow(/pageToken/)
    close()
  })

  it.each(['codex review', 'a/b', 'task.>.*', '../..', '100%', 'prüfer', 'a?b#c'])(
    'hands tasks to %j by its path, and to no other agent',
    async (agent) => {
      const client = await connect(`/a2a/${encodeURIComponent(agent)}/`)
      const { id } = (await client.sendMessage(send('Look'))) as A2aTask
      const { store, close } = await openTasks({ home: at.home })
      expect(store.list()).toMatchObject([{ id, to: agent, from: 'a2a-client' }])
      close()
    },
  )
})
