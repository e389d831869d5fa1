// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are texts for the shell
// Placeholders in shell lines, proved on real shells: hostile values come back exactly as they are, and nothing runs.

import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { makeTempFolder } from '../../../../test/temp-folder.ts'
import { ArcError } from '../../../engine/errors.ts'
import { commandHandler } from './command.ts'
import { compilePlaceholders, fillArgument, hasPlaceholders } from './placeholders.ts'

// Where sh is bash, it reads lines the way of POSIX.
const SHELLS = ['sh', 'bash', 'bash --posix'].filter((shell) => spawnSync('sh', ['-c', `${shell} -c :`]).status === 0)

/** A line, and what it must print for a value. `p` prints each of its arguments between brackets. */
interface Case {
  readonly where: string
  readonly line: string
  readonly prints: (value: string) => string
  readonly shells?: readonly string[]
}

const once = (value: string): string => `<${value}>`
const dotted = (value: string): string => `<${value}>.`

const CASES: readonly Case[] = [
  { where: 'unquoted', line: 'p {tool_name}', prints: once },
  { where: 'in double quotes', line: 'p "{tool_name}"', prints: once },
  { where: 'in single quotes', line: "p '{tool_name}'", prints: once },
  { where: 'unquoted next to text', line: 'p a{tool_name}b', prints: (value) => `<a${value}b>` },
  {
    where: 'between expansions in double quotes',
    line: 'x=1; p "$x{tool_name}${x}\\${tool_name}"',
    prints: (value) => `<1${value}1$${value}>`,
  },
  {
    where: 'in single quotes next to text',
    line: `p 'it {tool_name} "$x" '"is"`,
    prints: (value) => `<it ${value} "$x" is>`,
  },
  {
    where: 'in all three quotings of one word',
    line: `p {tool_name}"{tool_name}"'{tool_name}'`,
    prints: (value) => once(value.repeat(3)),
  },
  { where: 'twice', line: 'p {tool_name} {tool_name}', prints: (value) => once(value) + once(value) },
  { where: 'in an assignment', line: 'v={tool_name}; p "$v"', prints: once },
  { where: 'in $(…)', line: 'v=$(p {tool_name}; printf .); p "$v"', prints: (value) => once(dotted(value)) },
  { where: 'in "$(…)"', line: 'p "$(p {tool_name}; printf .)"', prints: (value) => once(dotted(value)) },
  {
    where: 'quoted in "$(…)"',
    line: `p "$(p "{tool_name}" '{tool_name}'; printf .)"`,
    prints: (value) => once(once(value) + dotted(value)),
  },
  {
    where: 'in $(…) within $(…)',
    line: `p "$(printf %s. "$(p '{tool_name}'; printf .)")"`,
    prints: (value) => once(`${dotted(value)}.`),
  },
  {
    where: 'in "$(…)" after an arithmetic expansion',
    line: 'p "$(printf %s $((1+(2)*1)); p {tool_name}; printf .)"',
    prints: (value) => once(`3${dotted(value)}`),
  },
  { where: 'in ${x:-…}', line: 'p ${x:-{tool_name}}', prints: once },
  { where: 'in "${x:-…}"', line: 'p "${x:-{tool_name}}"', prints: once },
  { where: 'in double quotes within "${x:-…}"', line: 'p "${x:-"{tool_name}"}"', prints: once },
  { where: 'in single quotes within ${x:-…}', line: "p ${x:-'{tool_name}'}", prints: once },
  {
    where: 'between apostrophes within "${x:-…}"',
    line: `p "\${x:-it '{tool_name}'}"`,
    prints: (value) => `<it '${value}'>`,
  },
  { where: 'in ${x:-…} after a bracket', line: 'p "${x:-(}{tool_name}"', prints: (value) => `<(${value}>` },
  { where: 'in ${x:+…}', line: 'x=1; p ${x:+{tool_name}}', prints: once },
  { where: 'in backticks', line: 'v=`p {tool_name}; printf .`; p "$v"', prints: (value) => once(dotted(value)) },
  { where: 'in quoted backticks', line: 'p "`p {tool_name}; printf .`"', prints: (value) => once(dotted(value)) },
  {
    where: 'in a heredoc',
    line: `cat <<END\n<{tool_name}> "{tool_name}" '{tool_name}' \${tool_name}\nEND\n`,
    prints: (value) => `<${value}> "${value}" '${value}' \n`,
  },
  {
    where: 'in substitutions of a heredoc',
    line: 'cat <<END\n$(p {tool_name})`p {tool_name}`${x:-{tool_name}}.\nEND\n',
    prints: (value) => `${once(value)}${once(value)}${value}.\n`,
  },
  {
    where: 'after an indented heredoc',
    line: "cat <<-END; p {tool_name}\n\tit's {tool_name}\n\tEND\np {tool_name}",
    prints: (value) => `it's ${value}\n${once(value)}${once(value)}`,
  },
  {
    where: 'in a heredoc within "$(…)"',
    line: 'p "$(cat <<END\n{tool_name}.\nEND\n)"',
    prints: (value) => once(`${value}.`),
  },
  {
    where: 'after a quoted heredoc without placeholders',
    line: `cat <<'END'\nit's "$(x)"\nEND\np {tool_name}`,
    prints: (value) => `it's "$(x)"\n${once(value)}`,
  },
  {
    where: 'in a case',
    line: 'case {tool_name} in "$ARC_TOOL_NAME") p {tool_name};; *) p no;; esac',
    prints: once,
  },
  {
    where: 'in a case within "$(…)"',
    line: 'p "$(case {tool_name} in no) p no;; (*) p {tool_name};; esac; p {tool_name}; printf .)"',
    prints: (value) => once(once(value) + dotted(value)),
  },
  { where: 'in a subshell', line: '( (p {tool_name}) )', prints: once },
  { where: 'in a loop', line: 'for v in {tool_name} "{tool_name}"; do p "$v"; done', prints: (v) => once(v) + once(v) },
  {
    where: 'before a comment',
    line: `p {tool_name} # it's {tool_name} "\np {tool_name}`,
    prints: (v) => once(v) + once(v),
  },
  {
    where: 'after a hash that is no comment',
    line: `x=ab; p "\${x#a}" a#b $# {tool_name}`,
    prints: (v) => `<b><a#b><0>${once(v)}`,
  },
  { where: 'under set -u', line: 'set -u; p {tool_name}; set +u', prints: once },
  {
    where: 'in a here-string',
    line: 'cat <<< {tool_name}; p {tool_name}',
    prints: (v) => `${v}\n${once(v)}`,
    shells: ['bash', 'bash --posix'],
  },
  { where: 'as a literal pattern', line: 'case xay in {tool_name}) p no;; *) p {tool_name};; esac', prints: once },
]

const CANARIES = [
  'touch canary',
  '; touch canary;',
  '$(touch canary)',
  '`touch canary`',
  '| touch canary',
  '&& touch canary',
  '> canary',
  "'; touch canary; '",
  '"; touch canary; "',
  '\'"; touch canary; "\'',
  '\ntouch canary\n',
  '\nEND\ntouch canary\n',
  '}; touch canary; {',
  ') ; touch canary; (',
  ';; esac; touch canary; #',
  '${x:=$(touch canary)}',
  'a[$(touch canary)]',
  '$((a[$(touch canary)]))',
]

const FRAGMENTS = [
  ...CANARIES,
  ...["'", '"', '`', '$', '$(', '${', '$((', ')', '}', '{', '(', '\\', '\\\\', "\\'", '\\"', '\\n', '!', '!!'],
  ...[';', '&', '|', '<', '>', '<<END', '#', ' # ', '*', '?', '[a-z]', '~', '~root', '=', '%s', '%n', '-', '--'],
  ...['-n', '-e', '\n', '\n\n', '\t', '\r', ' ', '  ', '\u007f', '\u001b[0m', 'é', 'Á', 'ā', 'Ń', '語', '🙂', '\u0301'],
  ...[
    '\u0081\u0088',
    '\u2028',
    '\ufeff',
    '\ufffd',
    '$HOME',
    '${HOME}',
    '$ARC_TOOL_NAME',
    '{tool_name}',
    '{tool_input}',
  ],
]

const hostileValue = fc
  .oneof(
    { weight: 1, arbitrary: fc.constantFrom(...FRAGMENTS) },
    {
      weight: 4,
      arbitrary: fc.array(fc.constantFrom(...FRAGMENTS, 'a', 'b c'), { maxLength: 6 }).map((l) => l.join('')),
    },
    { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
  )
  .map((value) => value.replaceAll('\0', ''))

let folder: string
beforeEach(() => {
  folder = makeTempFolder('arc-placeholders-')
})

describe.each(SHELLS)('H3 in %s, a value comes back exactly and nothing else runs', (shell) => {
  it.each(CASES.filter(({ shells = SHELLS }) => shells.includes(shell)))('$where', ({ line, prints }) => {
    const batch = fc.array(hostileValue, { minLength: 60, maxLength: 60 })
    const check = (values: readonly string[]): void => {
      expect(printedFor(shell, line, values)).toEqual(values.map(prints))
      expect(readdirSync(folder)).toEqual(['script'])
    }
    check([...FRAGMENTS, ''])
    fc.assert(fc.property(batch, check), { numRuns: 1 })
  })
})

// One shell runs the compiled line once for each value: the line is fixed, only the variable changes.
function printedFor(shell: string, line: string, values: readonly string[]): string[] {
  const compiled = compilePlaceholders(line)
  const start = `p() { printf '<%s>' "$@"; }\nrun() {\n${compiled}\n}\n`
  const runs = values.map((value) => `ARC_TOOL_NAME='${value.replaceAll("'", "'\\''")}'\nrun\nprintf '\\000'\n`)
  writeFileSync(join(folder, 'script'), start + runs.join(''))
  const { stdout, stderr } = spawnSync('sh', ['-c', `exec ${shell} script`], {
    cwd: folder,
    maxBuffer: 1e8,
    encoding: 'utf8',
  })
  expect(stderr).toBe('')
  return stdout.split('\0').slice(0, -1)
}

describe('a compiled line', () => {
  it.each([
    ['echo {tool_name}', 'echo "${ARC_TOOL_NAME-}"'],
    ['echo "{tool_name}"', 'echo "${ARC_TOOL_NAME-}"'],
    ["echo '{tool_name}'", `echo ''"\${ARC_TOOL_NAME-}"''`],
    [
      'echo {session_id} {workspace} {tool_input}',
      'echo "${ARC_SESSION_ID-}" "${ARC_WORKSPACE-}" "${ARC_TOOL_INPUT-}"',
    ],
    ['echo ${tool_name} {unknown} {}', 'echo ${tool_name} {unknown} {}'],
    ['echo \\{tool_name}', 'echo \\{tool_name}'],
    ['echo {tool_name', 'echo {tool_name'],
  ])('H3 of %s is %s', (line, compiled) => {
    expect(compilePlaceholders(line)).toBe(compiled)
  })

  it('H3 is left as it is without placeholders, whatever it does', () => {
    const line = "eval \"$(cat <<'END'\nx\nEND\n)\" $((1 + 1)) | sh -c 'it' {other}"
    expect(compilePlaceholders(line)).toBe(line)
  })
})

describe('a placeholder', () => {
  it.each([
    ['in arithmetic', 'echo $(( {tool_name} + 1 ))'],
    ['in arithmetic with brackets', 'echo "$(( (1) + ({tool_name}) ))"'],
    ['in arithmetic of a heredoc', 'cat <<E\n$(({tool_name}))\nE'],
    ['in old arithmetic', 'echo $[{tool_name}]'],
    ['in an arithmetic command', '(( {tool_name} > 1 )) && echo'],
    ['in a heredoc with a quoted end word', "cat <<'END'\n{tool_name}\nEND"],
    ['in a heredoc with a double-quoted end word', 'cat <<"END"\n{tool_name}\nEND'],
    ['in a heredoc with an escaped end word', 'cat <<\\END\n{tool_name}\nEND'],
    ['in a heredoc with a strange end word', 'cat <<E"N"D\n{tool_name}\nEND'],
    ['as an offset', 'echo ${x:{tool_name}}'],
    ['as a subscript', 'echo ${x[{tool_name}]}'],
    ['as a pattern to cut off', 'echo ${x#{tool_name}}'],
    ['in backticks with a backslash', 'echo `echo \\"{tool_name}\\"`'],
    ["in a line with $'…'", "echo $'it\\'s' {tool_name}"],
    ['in a line with an open quote', 'echo "{tool_name}'],
    ['in a line with an open single quote', "echo '{tool_name}"],
    ['in a line with an open substitution', 'echo $(echo {tool_name}'],
    ['after eval', 'eval "echo {tool_name}"'],
    ['in a line with eval', 'x={tool_name}; eval "$x"'],
    ['after let', 'let {tool_name}'],
    ['after trap', 'trap {tool_input} EXIT'],
    ['in a number comparison of [[', '[[ {tool_name} -eq 1 ]]'],
    ['in sh -c', "sh -c 'echo {tool_name}'"],
    ['in bash -lc', 'bash -lc "echo {tool_name}"'],
    ['in bash -o pipefail -c', 'bash -o pipefail -c "echo {tool_name}"'],
    ['in /bin/sh -ec', '/bin/sh -ec "echo {tool_name}"'],
    ['in sudo sh -c', 'sudo sh -c "echo {tool_name}"'],
    ['in sh -c within $(…)', 'echo "$(sh -c "{tool_name}")"'],
    ['in zsh -c', 'zsh -c "{tool_input}"'],
    ['piped into sh', 'echo {tool_name} | sh'],
    ['piped into bash -s', 'echo {tool_name} | bash -s'],
    ['fed to sh by a heredoc', 'sh <<END\necho {tool_name}\nEND'],
    ['in ssh', 'ssh host echo {tool_name}'],
    ['in node -e', `node -e 'console.log("{tool_name}")'`],
    ['in node --eval=', 'node --eval="{tool_name}"'],
    ['in python3 -c', `python3 -c "print('{tool_name}')"`],
    ['in perl -ne', `perl -ne 'print "{tool_name}"'`],
    ['in an awk program', `awk 'BEGIN { print "{tool_name}" }'`],
    ['in a sed script', 'sed "s/x/{tool_name}/" file'],
    ['in sed -e', "sed -n -e 's/x/{tool_name}/p' file"],
  ])('H3 is refused %s', (_where, command) => {
    expect(codeOf(() => commandHandler({ command }))).toBe('ARC_COMMAND_INVALID')
  })

  it.each([
    'sh ./check.sh {tool_name}',
    'bash -e "{workspace}/check.sh" {tool_input}',
    'node check.mjs {tool_name}',
    'python3 -m checker {tool_name}',
    `awk -v name={tool_name} '{ print name }' {workspace}/list`,
    "sed 's/a/b/' {workspace}/file",
    '[ {tool_name} = bash ] && ./check.sh',
    'if test {tool_name} = bash; then ./check.sh; fi',
    'case {tool_name} in sh | bash) ./check.sh;; esac',
    '[[ {tool_name} == bash ]] || exit 0',
    './retrieval {tool_name}; ./trap.sh; ./eval.py',
    '{workspace}/hooks/check {tool_name}',
    'echo "$((1 + 1)) {tool_name}"',
  ])('H3 is taken in %s', (command) => {
    expect(() => commandHandler({ command })).not.toThrow()
  })

  it('H3 that is refused is explained, with what to write instead', () => {
    expect(() => commandHandler({ command: 'echo $(({tool_name}))' })).toThrow(
      /has a placeholder inside \(\(…\)\), where the shell would evaluate it\. Use the variable \("\$ARC_TOOL_NAME"\) instead/,
    )
  })

  it.each([
    [['sh', '-c', 'echo {tool_name}']],
    [['/usr/bin/env', 'bash', '-lc', '{tool_input}']],
    [['node', '--eval', '{tool_name}']],
    [['node', '--eval={tool_name}']],
    [['python3', '-c', 'print("{tool_name}")']],
    [['ssh', 'host', 'echo {tool_name}']],
    [['awk', '-F', 'BEGIN { print "{tool_name}" }']],
    [['sed', '-e', 's/x/{tool_name}/']],
  ])('H3 is refused in code within the argument list %j', (command) => {
    expect(codeOf(() => commandHandler({ command }))).toBe('ARC_COMMAND_INVALID')
  })

  it.each([
    [['sh', '-c', 'echo "$1"', 'sh', '{tool_name}']],
    [['node', 'check.mjs', '{tool_name}']],
    [['awk', '-v', 'name={tool_name}', '{ print name }']],
    [['{workspace}/check', '{tool_name}']],
  ])('H3 is taken beside code in the argument list %j', (command) => {
    expect(() => commandHandler({ command })).not.toThrow()
  })
})

describe('an argument', () => {
  it('H3 is filled with the value as it is, once', () => {
    const values = { tool_name: '{tool_input} $& $1', tool_input: 'no' } as Readonly<Record<string, string>>
    expect(fillArgument('a{tool_name}b{nothing}', (name) => values[name] ?? '')).toBe('a{tool_input} $& $1b{nothing}')
  })

  it('H3 counts as having placeholders only when it has known ones', () => {
    expect(hasPlaceholders(['a', '{workspace}/b'])).toBe(true)
    expect(hasPlaceholders('{nothing} {tool name}')).toBe(false)
  })
})

function codeOf(run: () => unknown): string | undefined {
  try {
    run()
  } catch (error) {
    return error instanceof ArcError ? error.code : String(error)
  }
  return undefined
}

it('H3 the canaries of these tests do sing when a value is pasted into a line', () => {
  spawnSync('sh', ['-c', `echo ${CANARIES[1]}`], { cwd: folder })
  expect(existsSync(join(folder, 'canary'))).toBe(true)
})
