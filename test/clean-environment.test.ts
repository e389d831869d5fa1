import { expect, it } from 'vitest'
import { buildEnvironment } from './clean-environment.ts'

const FOLDERS = { folder: '/tmp/t', home: '/tmp/t/home', node: '/opt/node/bin/node' }

const USER = {
  ...{
    HOME: '/root',
    PATH: '/root/bin:/usr/bin',
    TMPDIR: '/root/tmp',
    SHELL: '/bin/zsh',
    LANG: 'de_DE',
    TZ: 'Asia/Tokyo',
  },
  ...{
    ARC_HOME: '/root/.arc',
    ARC_PROFILE: 'mine',
    ARC_DAEMON: 'ask',
    XDG_STATE_HOME: '/root/s',
    XDG_CONFIG_HOME: '/root/c',
  },
  ...{ CI: '1', NO_COLOR: '1', FORCE_COLOR: '3', CLAUDECODE: '1', GEMINI_CLI: '1', CODEX_SANDBOX: 'seatbelt' },
  ...{
    GIT_DIR: '/root/.git',
    GIT_CONFIG_GLOBAL: '/root/g',
    npm_config_prefix: '/root/n',
    NODE_OPTIONS: '--inspect',
    NODE_ENV: 'production',
  },
}

it('nothing of the user remains in the environment of the tests', () => {
  const environment = buildEnvironment(USER, FOLDERS)
  expect(environment).toEqual({
    ...{ HOME: '/tmp/t/home', TMPDIR: '/tmp/t', XDG_STATE_HOME: '/tmp/t/state' },
    ...{ LANG: 'C.UTF-8', NODE_ENV: 'test', TZ: 'UTC', SHELL: '/bin/sh' },
    PATH: '/opt/node/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  })
})

it('the switches of the tests themselves pass', () => {
  const switches = { ARC_ADVERSARY: 'daemon', FUZZ_CASES: '10', CHROME_PATH: '/opt/chrome', VITEST: 'true' }
  expect(buildEnvironment(switches, FOLDERS)).toMatchObject(switches)
})

it('this test runs in that environment', () => {
  const folder = process.env.TMPDIR ?? ''
  const home = process.env.HOME ?? ''
  const node = process.execPath
  expect(process.env).toMatchObject(buildEnvironment(process.env, { folder, home, node }))
  expect(home.startsWith(folder)).toBe(true)
})
