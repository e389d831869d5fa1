import { afterEach, expect, it, vi } from 'vitest'
import { askNobody } from '../../../test/supervised-home.ts'
import { makeTempFolder } from '../../../test/temp-folder.ts'
import { ownStatus, readStatus } from './status.run.ts'

afterEach(() => vi.unstubAllEnvs())

it('a daemon reports its own status without a request to itself, which takes too long under load', async () => {
  const home = makeTempFolder('arc-status-')
  vi.stubEnv('ARC_HOME', home)
  askNobody(home)
  const loginUrl = 'http://127.0.0.1:1/login?code=c'
  const daemon = { url: 'http://127.0.0.1:1', socket: '/s' }
  const own = ownStatus({ ...daemon, newLoginUrl: () => loginUrl })
  expect(own).toMatchObject({ ...daemon, loginUrl, running: true, pid: process.pid, profile: 'default' })
  // No daemon answers on this socket.
  expect(await readStatus(home)).toMatchObject({ running: false, loginUrl: null })
})
