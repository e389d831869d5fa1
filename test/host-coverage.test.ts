// A host is added in its folder. Everything else that must know it follows from its facts: the guard protects its settings,
// its processes count as an agent, and its tools have a class.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { toolClass } from '../src/engine/tools.ts'
import { AGENT_VARIABLES, isAgentHost } from '../src/guard/known-programs.ts'
import { AGENT_FACTS, HOST_TOOLS } from '../src/hosts/facts/list.ts'
import { HOST_NAMES } from '../src/hosts/host.ts'
import { HOSTS } from '../src/hosts/list.ts'
import { classifyRisk } from '../src/risk/classify.ts'

const SRC = fileURLToPath(new URL('../src', import.meta.url))
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

it('K6 every folder with an adapter is registered', () => {
  const folders = readdirSync(join(SRC, 'hosts')).filter((name) => existsSync(join(SRC, 'hosts', name, 'facts.ts')))
  expect([...HOST_NAMES].sort()).toEqual(folders.sort())
  expect(Object.keys(HOSTS).sort()).toEqual(folders.sort())
})

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

it.each(AGENT_FACTS)('K6 a process of $name counts as an agent', ({ name, programs, packagePaths, variables }) => {
  expect([undefined, ...programs]).toContain(HOSTS[name].program)
  for (const program of programs) {
    expect(isAgentHost({ program, exe: `/usr/local/bin/${program}`, args: [program] } as never)).toBe(true)
  }
  for (const path of packagePaths) {
    const script = `/usr/lib/node_modules/${path}/main.js`
    expect(isAgentHost({ program: 'node', exe: '/usr/bin/node', args: ['node', script] } as never)).toBe(true)
  }
  for (const marker of variables.markers) expect(AGENT_VARIABLES).toContain(marker)
})

it.each(AGENT_FACTS)('K6 the tools of $name have a class', ({ name }) => {
  const names = Object.values(HOST_TOOLS[name]).flat()
  expect(names.filter((tool) => toolClass(tool) === undefined)).toEqual([])
  const { payload } = HOSTS[name].canary({ session: 's', dir: PROJECT, command: 'ls' })
  const read = HOSTS[name].readPayload(undefined, payload as Readonly<Record<string, unknown>>, {})
  const tool = 'data' in read ? read.data.tool : undefined
  if (tool !== undefined) expect(toolClass(String(tool))).toBe('shell')
})

it.each(AGENT_FACTS)('K6 only the folder of $name names its variables and packages', ({ packagePaths, variables }) => {
  const words = [...packagePaths, ...variables.markers, ...(variables.settingsFiles ?? [])].filter(isOwnName)
  const others = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.startsWith('hosts/'),
  )
  const found = others.flatMap((file) => {
    const text = withoutExamples(readFileSync(join(SRC, file), 'utf8'))
    return words.filter((word) => text.includes(word)).map((word) => `${file}: ${word}`)
  })
  expect(found).toEqual([])
})

// Short names occur in other names.
function isOwnName(word: string): boolean {
  return /[_/]/.test(word)
}

// Commands in the examples of rules name agents.
function withoutExamples(text: string): string {
  return text.replace(/^.*(?:npx|env) .*$/gm, '')
}
