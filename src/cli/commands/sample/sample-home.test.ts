// Which homes get the sample session of `npm start`: a fresh one, and one with nothing but samples.

import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { makeTempFolder } from '../../../../test/temp-folder.ts'
import { addInstall } from '../../../guard/installs.ts'
import { createSupervisor } from '../../../supervisor/create-supervisor.ts'
import { hasRealRecords, SAMPLE_HOST, sampleHome } from './sample-home.ts'

afterEach(() => vi.unstubAllEnvs())

function useHome(): string {
  const home = join(makeTempFolder('arc-sample-home-'), 'home')
  vi.stubEnv('ARC_HOME', home)
  return home
}

async function record(home: string, host: string): Promise<void> {
  const supervisor = await createSupervisor({ home, askMs: 0 })
  await supervisor.dispatch('pre:tool', { tool: 'shell', args: { command: 'ls' } }, { host })
  await supervisor.close()
}

it('Q6 a sample is never played among the records of real agents', async () => {
  const home = useHome()
  expect(hasRealRecords()).toBe(false)
  await record(home, SAMPLE_HOST)
  expect(hasRealRecords()).toBe(false)
  await record(home, 'claude')
  await record(home, SAMPLE_HOST)
  expect(hasRealRecords()).toBe(true)
})

it('Q6 nor into a home with an installed agent; the home of arc sample is a separate one', () => {
  const home = useHome()
  addInstall(home, { host: 'claude', scope: 'user', dir: '/x', files: [], failClosed: false, at: '2026-01-01' })
  expect(hasRealRecords()).toBe(true)
  expect(sampleHome()).toBe(join(home, 'sample'))
})
