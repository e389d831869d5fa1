// Walks the whole command tree through the real binary: what is new is tested without an edit here.

import { expect, it } from 'vitest'
import { runArcInProcess } from '../../test/run-in-process.ts'
import { makeTempFolder } from '../../test/temp-folder.ts'

const HOME = makeTempFolder('arc-help-')
const help = (path: readonly string[]) => runArcInProcess([...path, '--help'], { home: HOME })

// The names in a help: `  set [options] <key>  …` below "Commands:"; in that of arc itself, `  trust, untrust  …`.
function subcommandsOf(text: string, isRoot: boolean): string[] {
  const lines = isRoot ? text.split('\n') : (text.split('\nCommands:\n')[1] ?? '').split('\n')
  const names = lines.flatMap((line) => /^ {2}((?:[a-z]+(?:, )?)+)(?: |$)/.exec(line)?.[1]?.split(', ') ?? [])
  return names.filter((name) => name !== 'help')
}

it('every command and subcommand has a help with an example that fits a screen of 80 by 40', async () => {
  const seen: string[] = []
  const wrong: string[] = []
  for (let paths: string[][] = [[]]; paths.length > 0; ) {
    const [batch, rest] = [paths.slice(0, 2), paths.slice(2)]
    const found = await Promise.all(batch.map(async (path) => ({ path, ran: await help(path) })))
    paths = rest
    for (const { path, ran } of found) {
      const name = ['arc', ...path].join(' ')
      seen.push(name)
      const lines = ran.stdout.trimEnd().split('\n')
      if (ran.code !== 0 || ran.stderr !== '') wrong.push(`${name} ended with ${ran.code}: ${ran.stderr}`)
      if (lines.length > 40) wrong.push(`${name} has ${lines.length} lines`)
      for (const line of lines) if (line.length > 80) wrong.push(`${name}: ${line}`)
      if (!/Example:\n {2}\$ .*\barc /.test(ran.stdout)) wrong.push(`${name} has no example`)
      if (path.length < 2) paths.push(...subcommandsOf(ran.stdout, path.length === 0).map((inner) => [...path, inner]))
    }
  }
  expect(wrong).toEqual([])
  expect(seen).toEqual(expect.arrayContaining(['arc init', 'arc profile set', 'arc untrust', 'arc approvals deny']))
  expect(seen.length).toBeGreaterThan(30)
})

it('says the same in every way of asking', async () => {
  const { stdout } = await help(['profile', 'set'])
  expect((await runArcInProcess(['help'], { home: HOME })).stdout).toBe((await help([])).stdout)
  expect((await runArcInProcess(['profile', 'help', 'set'], { home: HOME })).stdout).toBe(stdout)
  expect((await runArcInProcess(['profile', 'set', '-h'], { home: HOME })).stdout).toBe(stdout)
})
