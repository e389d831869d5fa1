// What must know every host, beyond its own folder: the guard protects its settings, and its processes count as an agent.

import { expect, it } from 'vitest'
import { isAgentHost } from '../src/guard/known-programs.ts'
import { HOST_NAMES } from '../src/hosts/host.ts'
import { HOSTS } from '../src/hosts/list.ts'
import { classifyRisk } from '../src/risk/classify.ts'

const HOME = '/home/dev'
const PROJECT = '/home/dev/project'
const TARGETS = [
  { scope: 'user', dir: HOME, env: {} },
  { scope: 'project', dir: PROJECT, env: {} },
] as const

const settings = HOST_NAMES.flatMap((name) =>
  TARGETS.flatMap((target) =>
    HOSTS[name].install.files(target).map(({ path }) => ({ name, scope: target.scope, path })),
  ),
)

it('K6 every host installs into at least one file', () => {
  expect(new Set(settings.map(({ name }) => name))).toEqual(new Set(HOST_NAMES))
})

it.each(settings)('K6 the guard protects $path of $name ($scope)', ({ path }) => {
  for (const command of [`rm ${path}`, `echo x > ${path}`, `sed -i s/arc// ${path}`]) {
    const { evidence } = classifyRisk({ tool: 'shell', args: { command }, cwd: PROJECT }, { facts: { home: HOME } })
    expect([command, evidence.map(({ rule }) => rule)]).toEqual([
      command,
      expect.arrayContaining([expect.stringMatching(/^guard\//)]),
    ])
  }
})

it.each(HOST_NAMES.filter((name) => HOSTS[name].program !== undefined))(
  'K6 a process of %s counts as an agent',
  (name) => {
    const program = HOSTS[name].program ?? ''
    expect(isAgentHost({ program, exe: `/usr/local/bin/${program}`, args: [program] } as never)).toBe(true)
  },
)
