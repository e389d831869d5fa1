import { afterEach, expect, it, vi } from 'vitest'
import { askNobody } from '../../../test/supervised-home.ts'
import { makeTempFolder } from '../../../test/temp-folder.ts'
import { ownStatus, readStatus } from './status.run.ts'

afterEach(() => vi.unstubAllEnvs())

it('a daemon tells of itself without asking itself, which takes too long where much is asked at once', async () => {
  const home = makeTempFolder('arc-status-')
  vi.stubEnv('ARC_HOME', home)
  askNobody(home)
  const loginUrl = 'http://127.0.0.1:1/login?code=c'
  const daemon = { url: 'http://127.0.0.1:1', socket: '/s' }
  const own = ownStatus({ ...daemon, newLoginUrl: () => loginUrl })
  expect(own).toMatchObject({ ...daemon, loginUrl, running: true, pid: process.pid, profile: 'default' })
  // Nobody answers here: whoever asks the socket would hear that none runs.
  expect(await readStatus(home)).toMatchObject({ running: false, loginUrl: null })
})
