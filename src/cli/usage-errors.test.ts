// Usage errors of the command line, and the exit codes of scripts with errors.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runArcInProcess } from '../../test/run-in-process.ts'
import { makeTempFolder } from '../../test/temp-folder.ts'

const HOME = makeTempFolder('arc-home-')
const arc = (...args: string[]) => runArcInProcess(args, { home: HOME })

it.each([
  [['smaple'], /unknown command 'smaple'[\s\S]*Did you mean sample\?/],
  [['sample', '--mode', 'strict'], /'strict' is invalid[\s\S]*off, log, advise, enforce/],
  [['sample', '--colour'], /unknown option '--colour'/],
  [['sample', '--jsn'], /unknown option '--jsn'\n\(Did you mean --json\?\)\nUsage: arc sample /],
  [['profile', 'shwo'], /unknown command 'shwo'\n\(Did you mean show\?\)\nUsage: arc profile /],
  [['profile', 'set', 'enforcement'], /missing required argument 'value'\nUsage: arc profile set .*<key> <value>/],
  [['instal', 'claude'], /unknown command 'instal'[\s\S]*Did you mean install\?/],
  [['check', '--jsn', 'ls'], /unknown option '--jsn'\n\(Did you mean --json\?\)\nUsage: arc check \[options\] COMMAND/],
  [['check'], /expected a command, as in: arc check git push --force/],
  [['trust', 'a', 'b'], /too many arguments[\s\S]*Usage: arc trust /],
  [['logs', '--decision', 'blok'], /'blok' is invalid[\s\S]*pass, flag, ask, block/],
  [['completion', 'tcsh'], /'tcsh' is invalid[\s\S]*bash, zsh, fish/],
  [[], /^Usage: arc COMMAND/],
  [['profile'], /^Usage: arc profile/],
])('%j is a usage error with exit code 2', async (args, message) => {
  const { code, stdout, stderr } = await arc(...args)
  expect(code).toBe(2)
  expect(stdout).toBe('')
  expect(stderr).toMatch(message)
})

it('C4 script check names every mistake with its place, and leaves a good script alone', async () => {
  const folder = makeTempFolder('arc-script-')
  const good = join(folder, 'good.arma')
  const bad = join(folder, 'bad.arma')
  writeFileSync(good, 'hook pre:message /log debug "Sending: $prompt"\nhook pre:tool:shell /perms check shellExec\n')
  writeFileSync(bad, '# a comment\nhook pre:tol /block "no"\nhook pre:tool /blok\n')
  expect(await arc('script', 'check', good, '--json')).toMatchObject({ code: 0, stdout: '{"ok":true,"errors":[]}\n' })
  const { code, stdout } = await arc('script', 'check', bad, '--json')
  expect(code).toBe(1)
  const { errors } = JSON.parse(stdout) as { errors: { line: number; column: number; message: string }[] }
  expect(errors.map(({ line }) => line)).toEqual([2, 3])
  expect(errors[0]?.message).toContain('pre:tool')
  const missing = await arc('script', 'check', join(folder, 'none.arma'))
  expect(missing).toMatchObject({ code: 1, stdout: '' })
  expect(missing.stderr).toContain('cannot be read')
})
