// `arc script` through the real binary.

import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { onlyJson, type Ran } from '../../../test/json-output.ts'
import { runArcInProcess } from '../../../test/run-in-process.ts'
import { makeHome, type SupervisedHome } from '../../../test/supervised-home.ts'

let place: SupervisedHome

beforeEach(() => {
  place = makeHome()
})
afterEach(() => place.remove())

const arc = (...args: string[]): Promise<Ran> => runArcInProcess(args, { home: place.home, cwd: place.project })

const SCRIPT = `# what the seed has, and more
hook pre:message /log debug "Sending: $prompt"
hook pre:tool:shell /perms check shellExec
hook pre:tool:Write /ask "write $args.file_path?"
hook pre:tool:Edit /block 'not $here'
hook pre:message /set prompt "[$time] $prompt"
`

it('C4 run says which hooks a script registers, by line, and leaves no record', async () => {
  const file = place.write('project/hooks.arma', SCRIPT)
  const { code, stdout } = await arc('script', 'run', file)
  expect(code).toBe(0)
  expect(stdout).toMatch(/registers 5 hooks:\n {2}hooks\.arma:2 +pre:message +\/log debug Sending: \$prompt\n/)
  const all = onlyJson<{ ok: boolean; hooks: { name: string; at: string }[] }>(
    await arc('script', 'run', file, '--json'),
  )
  expect(all.ok).toBe(true)
  expect(all.hooks.map(({ name, at }) => `${name} ${at}`)).toEqual([
    'hooks.arma:2 pre:message',
    'hooks.arma:3 pre:tool:shell',
    'hooks.arma:4 pre:tool:Write',
    'hooks.arma:5 pre:tool:Edit',
    'hooks.arma:6 pre:message',
  ])
  expect(existsSync(place.home)).toBe(false)
})

it.each([
  ['Write', '{"args":{"file_path":"notes.md"}}', 3, 'ask', 'write notes.md?'],
  ['Edit', '{}', 2, 'block', 'not $here'],
  ['Read', '{}', 0, 'pass', undefined],
])('C4 run sends a step of %s through them: exit code %d', async (tool, data, code, decision, reason) => {
  const file = place.write('project/hooks.arma', SCRIPT)
  const ran = await arc('script', 'run', file, '--tool', tool, '--data', data, '--json')
  expect(ran.code).toBe(code)
  const { outcome } = onlyJson<{ outcome: { decision: string; reason?: string } }>(ran)
  expect(outcome.decision).toBe(decision)
  expect(outcome.reason).toBe(reason)
  const log = await arc('script', 'run', file, '--tool', tool, '--data', data, '--mode', 'log')
  expect(log.code).toBe(0)
})

it('C4 run shows what was said and what the data became', async () => {
  const file = place.write('project/hooks.arma', SCRIPT)
  const { code, stdout } = await arc('script', 'run', file, '--point', 'pre-message', '--data', '{"prompt":"hello"}')
  expect(code).toBe(0)
  expect(stdout).toContain('message  Sending: hello')
  expect(stdout).toMatch(/data: +\{"prompt":"\[.*\] hello"\}/)
})

it('C4 mistakes have line and column in check and run; a script with one registers nothing', async () => {
  place.write('project/bad.arma', 'hook pre:tool /block "x"\nhook pre:tol /block "no"\n  hook pre:tool /blok\n')
  for (const command of ['check', 'run']) {
    const ran = await arc('script', command, 'bad.arma', '--json')
    expect(ran.code).toBe(1)
    expect(onlyJson(ran)).toMatchObject({
      ok: false,
      errors: [
        { line: 2, column: expect.any(Number), message: expect.stringContaining('pre:tool') },
        { line: 3, column: expect.any(Number), message: expect.stringContaining('block') },
      ],
    })
    const told = await arc('script', command, 'bad.arma')
    expect(told).toMatchObject({ code: 1, stdout: '' })
    expect(told.stderr).toMatch(/bad\.arma:2:\d+ /)
  }
})

it.each([
  [['--data', '{'], /--data is not JSON/],
  [['--data', '[]'], /--data must be a JSON object/],
  [['--point', 'pre:tol'], /pre:tool/],
  [['--point', 'session:end', '--tool', 'x'], /has no tool/],
])('%j is refused before anything runs', async (args, message) => {
  const mark = join(place.root, 'ran')
  place.write('project/run.arma', `hook pre:tool /run touch ${mark}\n`)
  const { code, stdout, stderr } = await arc('script', 'run', 'run.arma', ...args)
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(message)
  expect(existsSync(mark)).toBe(false)
})

it('a folder, a missing file, an empty and a huge one are answered, not crashed on', async () => {
  for (const file of ['.', 'none.arma']) {
    expect(await arc('script', 'check', file)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('cannot be read'),
    })
  }
  place.write('project/empty.arma', '')
  expect(await arc('script', 'check', 'empty.arma')).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('0 hooks'),
  })
  place.write('project/huge.arma', 'hook pre:tool /block "x"\n'.repeat(200_000))
  expect(await arc('script', 'check', 'huge.arma')).toMatchObject({ code: 1 })
  expect(readdirSync(place.project).sort()).toEqual(['empty.arma', 'huge.arma'])
})
