// `arc task`: T1 starts the real program, the others run in process; hooks are child processes.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { jsonLines, onlyJson, runArc } from '../../../test/run-arc.ts'
import { runArcInProcess } from '../../../test/run-in-process.ts'
import { askNobody } from '../../../test/supervised-home.ts'
import { makeTempFolder } from '../../../test/temp-folder.ts'
import { openTasks } from '../../tasks/service/open-tasks.ts'
import type { Task } from '../../tasks/task.ts'

const newHome = (): string => makeTempFolder('arc-home-')
const HOME = newHome()
const arc = (...args: string[]) => runArcInProcess(['task', ...args], { home: HOME })
const AGENTS = ['--from', 'claude-work', '--to', 'codex-review'] as const

async function delegated(home = HOME): Promise<string> {
  return onlyJson<Task>(await runArcInProcess(['task', 'delegate', ...AGENTS, 'Review it', '--json'], { home })).id
}

it('T1 a task goes from one agent to the other and back, each in a separate process', async () => {
  const arc = (...args: string[]) => runArc(['task', ...args], { home: HOME })
  const ran = await arc('delegate', ...AGENTS, '--priority', 'high', 'Review auth refactor PR', '--json')
  expect(ran).toMatchObject({ code: 0, stderr: '' })
  const task = onlyJson<Task>(ran)
  expect(task).toMatchObject({
    ...{ from: 'claude-work', to: 'codex-review', description: 'Review auth refactor PR' },
    ...{ status: 'assigned', priority: 'high', createdAt: expect.stringMatching(/^\d{4}-.*Z$/) },
  })
  const { id } = task
  const move = async (...args: string[]) => onlyJson<Task>(await arc(...args, '--json'))
  expect(await move('accept', id, '--as', 'codex-review')).toMatchObject({ id, status: 'working', attempts: 1 })
  expect(await move('request-input', id, '--as', 'codex-review', 'Which files?')).toMatchObject({
    status: 'input-required',
    question: 'Which files?',
  })
  expect(await move('provide-input', id, '--as', 'claude-work', 'Those', 'in', 'src')).toMatchObject({
    status: 'working',
    answer: 'Those in src',
  })
  expect(await move('complete', id, '--as', 'codex-review', 'LGTM')).toMatchObject({
    status: 'completed',
    output: 'LGTM',
  })
  const shown = onlyJson<Task & { history: { to: string }[] }>(await arc('show', id, '--json'))
  expect(shown.history.map(({ to }) => to)).toEqual([
    ...['created', 'assigned', 'working', 'input-required', 'working', 'completed'],
  ])
  expect(onlyJson<Task[]>(await arc('list', '--status', 'completed', '--json')).map((one) => one.id)).toEqual([id])
  expect(onlyJson<Task[]>(await arc('list', '--status', 'working', '--json'))).toEqual([])
  const { stdout } = await runArcInProcess(['logs', '--component', 'tasks', '--json'], { home: HOME })
  expect(jsonLines(stdout).map(({ action }) => action)).toEqual([
    ...['task:assign', 'task:accept', 'task:request-input', 'task:provide-input', 'task:complete'],
  ])
})

it('T2 a wrong actor, an invalid transition and self-delegation exit with 1 and the typed error, and change nothing', async () => {
  const id = await delegated()
  for (const [args, code] of [
    [['accept', id, '--as', 'claude-work'], 'ARC_TASK_ACTOR'],
    [['accept', id, '--as', 'mallory'], 'ARC_TASK_ACTOR'],
    [['complete', id, '--as', 'codex-review', 'x'], 'ARC_TASK_TRANSITION'],
    [['cancel', id, '--as', 'codex-review'], 'ARC_TASK_ACTOR'],
    [['accept', 'nothing', '--as', 'codex-review'], 'ARC_TASK_UNKNOWN'],
    [['show', ''], 'ARC_TASK_UNKNOWN'],
    [['delegate', '--from', 'a', '--to', 'A', 'x'], 'ARC_TASK_SELF'],
    [['delegate', '--from', 'a\nb', '--to', 'c', 'x'], 'ARC_OPTION_INVALID'],
  ] as const) {
    const ran = await arc(...args, '--json')
    expect([args, ran.code, ran.stdout]).toEqual([args, 1, ''])
    expect(ran.stderr).toContain(`[${code}]`)
  }
  expect(onlyJson<Task>(await arc('show', id, '--json'))).toMatchObject({ status: 'assigned', version: 2 })
})

it('T3 a listener in a program is notified of a task completed on the command line', async () => {
  const { delegator, close } = await openTasks({ home: HOME })
  const done = new Promise<Task>((resolve) => {
    const draft = { from: 'claude-work', to: 'codex-review', description: 'x', onComplete: resolve }
    void delegator.delegate(draft).then(async ({ task }) => {
      await arc('accept', task.id, '--as', 'codex-review')
      await arc('complete', task.id, '--as', 'codex-review', 'from elsewhere')
    })
  })
  const alive = setInterval(() => undefined, 1_000)
  expect(await done).toMatchObject({ output: 'from elsewhere' })
  clearInterval(alive)
  close()
})

const profile = (home: string, blocked: object): void => {
  mkdirSync(join(home, 'profiles'), { recursive: true })
  const file = { name: 'default', enforcement: 'enforce', ...blocked }
  writeFileSync(join(home, 'profiles', 'default.json'), JSON.stringify(file))
}

it('T2 a new task passes the pipeline first: blocked, it ends with 2 and is not stored', async () => {
  const home = newHome()
  profile(home, {
    commands: [
      {
        name: 'no-prod',
        event: 'pre:agent:spawn',
        command: 'grep -q production && { echo no production >&2; exit 2; }; exit 0',
        blocking: true,
      },
    ],
  })
  const blocked = await runArcInProcess(['task', 'delegate', ...AGENTS, 'Drop the production database', '--json'], {
    home,
  })
  expect(blocked).toMatchObject({ code: 2, stdout: '' })
  expect(blocked.stderr).toMatch(/blocked by no-prod: .*no production.*\[ARC_TASK_BLOCKED\]/)
  expect(onlyJson(await runArcInProcess(['task', 'list', '--json'], { home }))).toEqual([])
  const { stdout } = await runArcInProcess(['logs', '--component', 'hooks', '--decision', 'block', '--json'], { home })
  expect(jsonLines(stdout)).toMatchObject([{ hook: 'no-prod', point: 'pre:agent:spawn' }])
  await delegated(home)
  expect(onlyJson<Task[]>(await runArcInProcess(['task', 'list', '--json'], { home }))).toHaveLength(1)
})

it('T2 a task whose text asks for destruction does not get through in enforce', async () => {
  const home = newHome()
  profile(home, {})
  const blocked = await runArcInProcess(['task', 'delegate', ...AGENTS, 'Wipe the disk of the server'], { home })
  expect(blocked).toMatchObject({ code: 2 })
  expect(blocked.stderr).toMatch(/blocked by risk-detection/)
  expect(onlyJson(await runArcInProcess(['task', 'list', '--json'], { home }))).toEqual([])
})

it('T2 a task that needs a person ends with 3 and is stored once it is approved', async () => {
  const home = newHome()
  const command = `echo '{"decision":"ask","reason":"somebody should look"}'`
  profile(home, { commands: [{ name: 'look', event: 'pre:agent:spawn', command, blocking: true }] })
  const delegate = () => runArcInProcess(['task', 'delegate', ...AGENTS, 'Tidy it', '--json'], { home })
  const held = await delegate()
  expect(held).toMatchObject({ code: 3, stdout: '' })
  expect(held.stderr).toMatch(/needs approval .*asked by look: somebody should look.*\[ARC_TASK_HELD\]/)
  const [approval] = onlyJson<[{ id: string }]>(await runArcInProcess(['approvals', 'list', '--json'], { home }))
  expect(onlyJson(await runArcInProcess(['task', 'list', '--json'], { home }))).toEqual([])
  askNobody(home)
  await runArcInProcess(['approvals', 'approve', approval.id], { home })
  expect(onlyJson<Task>(await delegate())).toMatchObject({ status: 'assigned', description: 'Tidy it' })
  // One yes is for one task.
  expect(await delegate()).toMatchObject({ code: 3 })
})

it('T2 rules for spawned agents reach the one who gets the task', async () => {
  const home = newHome()
  profile(home, { hooks: { 'subagent-inject': { options: { rules: ['never delete in cascade'] } } } })
  const { stdout } = await runArcInProcess(['task', 'delegate', ...AGENTS, 'Tidy up', '--json'], { home })
  expect(JSON.parse(stdout)).toMatchObject({
    description: expect.stringMatching(/never delete in cascade[\s\S]*Tidy up$/),
  })
})

it('shows what people need, and nothing that a terminal would obey', async () => {
  const home = newHome()
  expect(await runArcInProcess(['task', 'list'], { home })).toMatchObject({ code: 0, stdout: '' })
  await runArcInProcess(['task', 'delegate', ...AGENTS, 'Look at \u001b[2K this'], { home })
  const { stdout } = await runArcInProcess(['task', 'list'], { home })
  expect(stdout).toMatch(/assigned .*medium .*claude-work → codex-review .*Look at \\u\{1b\}\[2K this/)
  expect(stdout).not.toContain('\u001b')
  const id = /[0-9A-Z]{26}/.exec(stdout)?.[0] ?? ''
  const shown = await runArcInProcess(['task', 'show', id.slice(0, 20)], { home })
  expect(shown.stdout).toMatch(/created → assigned {2}by claude-work/)
  expect(await runArcInProcess(['task', 'list', '--limit', '0'], { home })).toMatchObject({ code: 2 })
  expect(await runArcInProcess(['task', 'list', '--status', 'odd'], { home })).toMatchObject({ code: 2, stdout: '' })
  expect(await runArcInProcess(['task', 'delegate', 'x'], { home })).toMatchObject({ code: 2, stdout: '' })
})
