// `arc allow` beside a running daemon, which answers the agent's calls from its open supervisors.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { runArcInProcess } from '../../../test/run-in-process.ts'
import { type ServedHome, serveHome } from '../../../test/served-home.ts'

let served: ServedHome
let project: string
let other: string

beforeAll(async () => {
  served = await serveHome()
  project = served.project('project', {})
  other = served.project('other', {})
})
afterAll(() => served.stop())

const arc = (...args: string[]) => runArcInProcess(args, { home: served.home, cwd: project })
const FORCE = 'git push --force'

it('Q2 the daemon lets an allowed call pass: once, always in its project, and no longer after it is removed', async () => {
  expect(await served.decide(project, FORCE)).toBe('deny')
  expect(await arc('allow', 'last')).toMatchObject({ code: 0 })
  expect(await served.decide(other, FORCE)).toBe('deny')
  expect(await served.decide(project, FORCE)).toBe('none')
  expect(await served.decide(project, FORCE)).toBe('deny')
  expect(await arc('allow', 'last', '--always')).toMatchObject({ code: 0 })
  // The daemon reads a changed file within a moment.
  while ((await served.decide(project, FORCE)) !== 'none');
  expect(await served.decide(project, FORCE)).toBe('none')
  expect(await served.decide(other, FORCE)).toBe('deny')
  const [row] = JSON.parse((await arc('allow', 'list', '--json')).stdout) as [{ hits: number }]
  expect(row.hits).toBe(2)
  expect(await arc('allow', 'remove', '1')).toMatchObject({ code: 0 })
  while ((await served.decide(project, FORCE)) !== 'deny');
  expect(await served.decide(project, FORCE)).toBe('deny')
})
