// The package as somebody installs it: packed for real, put into an empty project with nothing but what it declares as
// dependencies, and used there. Its types are checked by scripts/check/package.mjs.

import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Installed, installPacked } from '../scripts/packed-package.mjs'
import { onlyJson, type Ran, runProgram } from './run-arc.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const PACKAGE = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  readonly version: string
  readonly dependencies: Readonly<Record<string, string>>
  readonly exports: Readonly<Record<string, unknown>>
}
// Bytes: a guard that is started on every call must be quick to fetch and small to keep.
const PACKED_LIMIT = 2_100_000
const UNPACKED_LIMIT = 6_800_000

let root: string
let project: string
let packed: Installed['packed']

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'arc-package-')))
  ;({ packed, project } = installPacked(root))
})

afterAll(() => rmSync(root, { recursive: true, force: true }))

const env = () => ({ HOME: root, ARC_HOME: '', ARC_DAEMON: 'off', npm_config_update_notifier: 'false' })
const npx = (...args: string[]): Promise<Ran> =>
  runProgram('npx', ['--no-install', 'arc', ...args], { cwd: project, env: env() })
// What npx starts.
const arc = (...args: string[]): Promise<Ran> =>
  runProgram(join(project, 'node_modules/.bin/arc'), args, { cwd: project, env: env() })

it('holds what is needed and nothing else', () => {
  const paths = packed.files.map(({ path }) => path)
  const allowed =
    /^(?:bin\/(?:arc|package\.json)|package\.json|README\.md|LICENSE|CHANGELOG\.md|dist\/build\.json|dist\/.+\.(?:js|cjs|d\.ts|LEGAL\.txt)|dist\/dashboard\/.+)$/
  expect(paths.filter((path) => !allowed.test(path))).toEqual([])
  expect(paths.filter((path) => /\.test\.|fixture|\.map$/.test(path))).toEqual([])
  expect(paths).toEqual(
    expect.arrayContaining([
      'bin/arc',
      'dist/build.json',
      'dist/index.js',
      'dist/cli/main.cjs',
      'dist/types/index.d.ts',
    ]),
  )
})

it('is no larger than it may be, and starts with the same bytes that the budget measures', () => {
  expect(packed.size).toBeLessThan(PACKED_LIMIT)
  expect(packed.unpackedSize).toBeLessThan(UNPACKED_LIMIT)
  const installed = readFileSync(join(project, 'node_modules/arc-supervisor/dist/cli/main.cjs'))
  expect(installed.equals(readFileSync(join(ROOT, 'dist/cli/main.cjs')))).toBe(true)
})

it('every dependency that its code loads is declared', () => {
  const declared = new Set([...Object.keys(PACKAGE.dependencies)])
  const loaded = packed.files
    .filter(({ path }) => /^dist\/(?:[^/]+|chunks\/[^/]+)\.js$/.test(path))
    .flatMap(({ path }) => {
      const text = readFileSync(join(project, 'node_modules/arc-supervisor', path), 'utf8')
      return ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName)
    })
    .filter((name) => !name.startsWith('.'))
    .filter((name) => !name.startsWith('node:'))
    .map((name) =>
      name
        .split('/')
        .slice(0, name.startsWith('@') ? 2 : 1)
        .join('/'),
    )
  expect(loaded.length).toBeGreaterThan(3)
  expect([...new Set(loaded)].filter((name) => !declared.has(name))).toEqual([])
})

it('from nothing to a supervised project, with npx', async () => {
  expect(await npx('--version')).toMatchObject({ code: 0, stdout: `${PACKAGE.version}\n` })
  expect(await npx('init')).toMatchObject({ code: 0 })
  expect(await arc('install', 'claude', '--project', '.')).toMatchObject({ code: 0 })
  const settings = readFileSync(join(project, '.claude/settings.json'), 'utf8')
  expect(settings).toContain(join(root, '.arc/bin/arc'))
  const force = ['check', '--', 'git push --force']
  expect(await arc(...force)).toMatchObject({ code: 2, stdout: expect.stringContaining('✗ block') })
  expect((await arc('profile', 'set', 'enforcement', 'enforce')).code).toBe(0)
  const payload = { session_id: 's', cwd: project, hook_event_name: 'PreToolUse', tool_use_id: 't', tool_name: 'Bash' }
  const input = JSON.stringify({ ...payload, tool_input: { command: 'git push --force' } })
  // The line that was installed, as the agent runs it.
  const hook = await runProgram(join(root, '.arc/bin/arc'), ['hook', 'claude'], { cwd: project, env: env(), input })
  expect(hook).toMatchObject({ code: 2, stderr: expect.stringContaining('risk-detection') })
  const claude = await arc('logs', '--json', '--decision', 'block', '--limit', '1')
  expect(onlyJson(claude)).toMatchObject({ host: 'claude', hook: 'risk-detection' })
})

it('serves, and says that it is well', async () => {
  const program = join(project, 'node_modules/.bin/arc')
  const child = spawn(process.execPath, [program, 'serve', '--no-open', '--json', '--port', '0'], {
    ...{ cwd: project, env: { ...process.env, ...env() } },
  })
  try {
    const first = await new Promise<string>((resolve) => {
      let said = ''
      child.stdout.on('data', (text) => {
        said += text
        if (said.includes('\n')) resolve(said)
      })
    })
    const { url } = JSON.parse(first) as { url: string }
    const health = await fetch(`${url}/health`)
    expect(await health.json()).toMatchObject({ ok: true, version: PACKAGE.version, pid: child.pid })
  } finally {
    const ended = new Promise((resolve) => child.on('exit', resolve))
    child.kill('SIGTERM')
    await ended
  }
})

const ENTRIES = Object.keys(PACKAGE.exports).filter((name) => name !== './package.json')
const specifierOf = (entry: string) => `arc-supervisor${entry.slice(1)}`

it('every entry can be imported, with all that it exports', async () => {
  const text = ENTRIES.map((entry) => {
    const name = JSON.stringify(specifierOf(entry))
    return `console.log(${name}, Object.keys(await import(${name})).length)`
  }).join('\n')
  writeFileSync(join(project, 'entries.mjs'), text)
  const { code, stdout, stderr } = await runProgram(process.execPath, ['entries.mjs'], { cwd: project, env: env() })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const counts = stdout.trim().split('\n')
  expect(counts.map((line) => line.split(' ')[0])).toEqual(ENTRIES.map(specifierOf))
  expect(counts.filter((line) => line.endsWith(' 0'))).toEqual([])
})
