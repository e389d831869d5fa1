// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are texts for the shell
// Placeholders where a value would become code: refused however the program is spelled, and proved on a real shell.

import { spawnSync } from 'node:child_process'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { makeTempFolder } from '../../../../test/temp-folder.ts'
import { ArcError } from '../../../engine/errors.ts'
import { commandHandler } from './command.ts'
import { compilePlaceholders } from './placeholders.ts'

const V = '{tool_input}'

const REFUSED: readonly string[] = [
  // A nested shell, after unquoting.
  `s\\h -c "${V}"`,
  `'sh' -c ${V}`,
  `"bash" -c ${V}`,
  `/bin/s''h -c ${V}`,
  `sh "-c" ${V}`,
  `sh -\\c ${V}`,
  `s\\\nh -c ${V}`,
  `env sh -c ${V}`,
  `env -i A=1 sh -c ${V}`,
  `xargs sh -c ${V}`,
  `echo ${V} | xargs -I% sh -c %`,
  `busybox sh -c ${V}`,
  `command eval ${V}`,
  `e\\val ${V}`,
  `\\eval ${V}`,
  `find . -exec sh -c "echo ${V}" \\;`,
  `docker run alpine sh -c ${V}`,
  `some-program sh -c ${V}`,
  `some-program "sh -c ${V}"`,
  `sh -c 'eval "$1"' x ${V}`,
  `sh -c 'sh -c "$1"' x ${V}`,
  // A program that is not known before it runs.
  `$SHELL -c ${V}`,
  `"$0" -c ${V}`,
  `S=sh; $S -c ${V}`,
  `sudo -u me $SHELL -c ${V}`,
  `exec "$SHELL" -c ${V}`,
  `\`which sh\` -c ${V}`,
  `$(command -v bash) -c ${V}`,
  `/bin/s[h] -c ${V}`,
  `/bin/{s,}h -c ${V}`,
  `f() { "$@"; }; f ${V}`,
  `for i in ${V}; do $i; done`,
  `${V} x`,
  `timeout 5 ${V}`,
  `sh ${V}`,
  // Code that is fed.
  `echo ${V} | sudo -u me $SHELL`,
  `cat <<E | env sh\n${V}\nE`,
  `bash /dev/stdin <<< ${V}`,
  `sh /proc/self/fd/0 <<E\n${V}\nE`,
  `. /dev/stdin <<E\n${V}\nE`,
  `bash <(echo ${V})`,
  `source <(echo ${V})`,
  `echo ${V} | python3`,
  `echo ${V} | node -`,
  `echo ${V} | docker exec -i c sh`,
  `{ echo ${V}; } | (sh)`,
  // Other programs that run a text.
  `watch ${V}`,
  `flock /tmp/x -c "echo ${V}"`,
  `tmux new "${V}"`,
  `socat - EXEC:"${V}"`,
  `env -S ${V}`,
  `make X=${V}`,
  `git -c alias.x="!${V}" x`,
  `psql -c "${V}"`,
  `python3 -c"${V}"`,
  `perl -pi -e "${V}" f`,
  `sed -e"s/x/${V}/" f`,
  `x=${V}; awk "$x" f`,
  // What the shell itself evaluates.
  `x=${V}; echo $((x))`,
  `x=${V}; echo \${!x}`,
  `x=${V}; echo "\${x@P}"`,
  `x=${V}; echo "\${y:x}"`,
  `x=${V}; echo "\${y[x]}"`,
  `x=${V}; (( x > 1 ))`,
  `x[${V}]=1`,
  `export ${V}`,
  `declare -i x=${V}`,
  `PATH=${V} ls`,
  `BASH_ENV=${V} bash x.sh`,
  `export BASH_ENV=${V}`,
  `[[ -v ${V} ]]`,
  `test -v ${V}`,
]

const TAKEN: readonly string[] = [
  'timeout 5 ./check.sh {tool_name}',
  'env X=1 ./check.sh {tool_name}',
  'sudo -u "$USER" ./check {tool_name}',
  'notify-send "ARC: {tool_name} ran"',
  "jq --arg t {tool_name} '.x == $t' f",
  'grep -c {tool_name} f',
  'find {workspace} -name {tool_name}',
  'logger -t arc "it is {tool_name}"',
  'x={tool_name}; [ "$x" = bash ] && exit 2',
  `sh -c 'echo "$1"' sh {tool_name}`,
  './hooks/{tool_name}.sh {tool_input}',
  '"$HOME/bin/check" {tool_name}',
  '~/bin/check {tool_name}',
  'export X={tool_name}; ./check.sh',
  'curl -s -d "{tool_input}" http://localhost:1/',
  'git -C {workspace} status',
  'npx eslint {workspace}',
  'printf %s {tool_input} | jq -r .command | grep -q rm',
  'node --require ./x.js check.mjs {tool_name}',
  'uv run check.py {tool_name}',
  'docker run --rm img check {tool_name}',
  'echo "tool $x {tool_name}" | tee -a log',
  'while read l; do echo "$l {tool_name}"; done < f',
  `if ! grep -q {tool_name} f; then echo "it's not: {tool_name}"; fi`,
  'ls {workspace}/*.sh',
  'echo "{tool_name}" | grep -E "^(sh|bash)$"',
]

const isRefused = (command: string | readonly string[]): boolean => {
  try {
    commandHandler({ command })
    return false
  } catch (error) {
    if (error instanceof ArcError && error.code === 'ARC_COMMAND_INVALID') return true
    throw error
  }
}

describe('a placeholder that would become code', () => {
  it.each(REFUSED)('H3 is refused in %s', (line) => expect(isRefused(line)).toBe(true))

  it.each(TAKEN)('H3 is taken where it is data: %s', (line) => expect(isRefused(line)).toBe(false))

  it.each([
    [['sh', '-c', 'eval "$1"', 'sh', V]],
    [['/usr/bin/env', 'bash', '-lc', V]],
    [['watch', V]],
    [['flock', 'x', '-c', V]],
    [[V, 'x']],
    [['sudo', 'sh', V]],
  ])('H3 is refused in the argument list %j', (command) => expect(isRefused(command)).toBe(true))
})

// Every letter of a name may be quoted in its own way.
const spelled = (name: string): fc.Arbitrary<string> =>
  fc
    .array(fc.constantFrom('', '\\', "'", '"', "''", '""'), { minLength: name.length, maxLength: name.length })
    .map((marks) =>
      [...name]
        .map((letter, at) => {
          const mark = marks[at] ?? ''
          if (mark.length === 2) return mark + letter
          return mark === "'" || mark === '"' ? mark + letter + mark : mark + letter
        })
        .join(''),
    )

const program = fc.constantFrom('sh', 'bash', '/bin/sh', 'eval', '$SHELL', '"$0"', 'p', './p', 'echo').chain((name) => {
  return /[$"]/.test(name) ? fc.constant(name) : spelled(name)
})
const before = fc.constantFrom(
  '',
  'env ',
  'exec ',
  'command ',
  'timeout 5 ',
  'env -i PATH="$PATH" ',
  'A=1 ',
  'echo x | xargs ',
)
const option = fc.constantFrom('', '-c ', '-\\c ', '"-c" ', '-ec ', '-s ', '-- ')
const value = fc.constantFrom(V, `"${V}"`, `'${V}'`, `"p ${V}"`, `'p "${V}"'`, `"$(p ${V})"`, `a${V}b`, `"\${x:-${V}}"`)
const after = fc.constantFrom('', ' | cat', ' | sh', '; p x', ' <<E\nx\nE\n', ` <<E\n${V}\nE\n`, ` | env 's'h`)
const line = fc.tuple(before, program, option, value, after).map((parts) => parts.join(' '))

const hostile = fc
  .array(
    fc.constantFrom(
      ...['touch canary', '; touch canary;', '$(touch canary)', '`touch canary`', '\ntouch canary\n', '| touch canary'],
      ...["'", '"', "'; touch canary; '", '"; touch canary; "', '\\', '\n', '\nE\ntouch canary\n', '&& touch canary #'],
      ...['a b', '*', '$HOME', '}', ')', '${x', 'é', '-c', 'a[$(touch canary)]'],
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map((parts) => parts.join(''))

it('H3 for any spelling and any value, the hook is refused or nothing of the value runs', () => {
  const folder = makeTempFolder('arc-evaluators-')
  writeFileSync(join(folder, 'p'), '#!/bin/sh\nfor a; do printf "<%s>" "$a"; done\n', { mode: 0o755 })
  const env = { PATH: `${folder}:${process.env.PATH}`, SHELL: '/bin/sh', HOME: folder }
  let taken = 0
  fc.assert(
    fc.property(line, hostile, (text, given) => {
      if (isRefused(text)) return
      taken++
      const compiled = compilePlaceholders(text)
      spawnSync('bash', ['-c', compiled], { cwd: folder, env: { ...env, ARC_TOOL_INPUT: given }, input: '' })
      expect(readdirSync(folder), `${text} with ${given}`).toEqual(['p'])
    }),
    { numRuns: 600 },
  )
  // The property would hold of a reader that refuses everything.
  expect(taken).toBeGreaterThan(50)
})

it('H3 a value arrives as exactly one argument, however the program before it is spelled', () => {
  const folder = makeTempFolder('arc-evaluators-')
  writeFileSync(join(folder, 'p'), '#!/bin/sh\nfor a; do printf "<%s>" "$a"; done\n', { mode: 0o755 })
  const env = { ...process.env, PATH: `${folder}:${process.env.PATH}` }
  const place = fc.constantFrom(V, `"${V}"`, `'${V}'`)
  fc.assert(
    fc.property(spelled('p'), place, hostile, (name, where, given) => {
      const compiled = compilePlaceholders(`${name} ${where}`)
      const ran = spawnSync('sh', ['-c', compiled], { cwd: folder, env: { ...env, ARC_TOOL_INPUT: given } })
      expect(ran.stdout.toString()).toBe(`<${given}>`)
    }),
    { numRuns: 100 },
  )
})
