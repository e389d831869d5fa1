// Shell text: scripts from a grammar, commands of the rules' own examples with something done to them, and huge ones.

import assert from 'node:assert/strict'
import fc from 'fast-check'
import { DECISION_RANK } from '../../src/engine/decision.ts'
import type { Assessment } from '../../src/risk/assessment.ts'
import { classifyRisk } from '../../src/risk/classify.ts'
import { decide } from '../../src/risk/decide.ts'
import { explain } from '../../src/risk/explain.ts'
import { RULE_PACKS } from '../../src/risk/rulebook.ts'
import { hostileJson, hostileRecord, hostileText, longText, mutated } from './arbitraries.ts'
import { type FuzzTarget, plainTarget } from './target.ts'

const EXAMPLES = RULE_PACKS.flatMap(({ rules }) => rules)
  .flatMap(({ match, pass }) => [...match, ...pass])
  .filter((example) => typeof example === 'string')

const WORDS = [
  ...[
    'a',
    'rm',
    '-rf',
    '/',
    '"$x"',
    '$x',
    "'q r'",
    '$' + '{x:-/}',
    '$(pwd)',
    '`ls`',
    '*',
    '~',
    '{a,b}',
    '$((1+1))',
    '--',
  ],
  ...[
    '\\',
    '"',
    "'",
    '$(',
    '${',
    '<(',
    '>(',
    '$"a"',
    "$'\\x2f'",
    '!',
    '#',
    '=',
    'x=1',
    '[',
    ']]',
    '{',
    '}',
    '((',
    '))',
  ],
  ...['2>&1', '>/dev/null', '<<EOF', '<<<x', '>|', '&>', '|&', ';;', '&', '\\\n', 'git', 'push', '--force', 'sh', '-c'],
]

const simple = fc.oneof(
  fc.constantFrom(...EXAMPLES),
  fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 6 }).map((words) => words.join(' ')),
)

const grammar = fc.letrec<{ script: string }>((tie) => {
  const script = tie('script')
  const pair = fc.tuple(script, script)
  const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
  return {
    script: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      simple,
      fc
        .tuple(pair, fc.constantFrom(' && ', ' || ', '; ', ' | ', ' & ', '\n', ' |& '))
        .map(([[a, b], glue]) => a + glue + b),
      script.map((body) => `( ${body} )`),
      script.map((body) => `{ ${body}; }`),
      script.map((body) => `echo "$( ${body} )"`),
      script.map((body) => `x=$(${body}); $x`),
      script.map((body) => `sh -c ${quote(body)}`),
      script.map((body) => `eval ${quote(body)}`),
      script.map((body) => `cat <<'EOF'\n${body}\nEOF\n`),
      script.map((body) => `bash <<EOF\n${body}\nEOF\n`),
      script.map((body) => `f() { ${body}; }; f`),
      script.map((body) => `for x in a b "$@"; do ${body}; done`),
      pair.map(([test, body]) => `if ${test}; then ${body}; else :; fi`),
      pair.map(([test, body]) => `while ${test}; do ${body}; break; done`),
      pair.map(([a, b]) => `case "$1" in a|b) ${a};; *) ${b};; esac`),
      script.map((body) => `diff <(${body}) /dev/null > out 2>&1`),
      script.map((body) => `trap ${quote(body)} EXIT`),
      script.map((body) => `xargs -I{} sh -c ${quote(body)} < list`),
    ),
  }
}).script

const HUGE = [
  '$(',
  '`',
  '"',
  '(',
  '{ ',
  'a;',
  'echo a | ',
  '${x:-',
  'if a; then ',
  '<<A\n',
  'x=1 ',
  "'",
  '\\',
  'sudo ',
  'f(){ ',
  '[[ ',
  '$((',
  'sh -c "',
  'eval ',
]
const huge = fc
  .tuple(fc.constantFrom(...HUGE), fc.integer({ min: 1, max: 1_000_000 }), simple)
  .map(([unit, size, end]) => unit.repeat(Math.ceil(size / unit.length)) + end)

const shellText = fc.oneof(grammar, mutated(EXAMPLES), hostileText, longText)

const judge = (command: string): Assessment => classifyRisk({ tool: 'shell', args: { command }, cwd: '/srv/project' })
const rank = (assessment: Assessment): number => DECISION_RANK[decide(assessment)]

function checkShell(command: string): void {
  const first = judge(command)
  assert.notEqual(first.evidence[0]?.rule, 'risk/failed', first.evidence[0]?.reason)
  assert.deepEqual(judge(command), first, 'judged otherwise the second time')
  for (const { span } of first.evidence) {
    if (span !== undefined) assert.ok(span.start >= 0 && span.start <= span.end && span.end <= command.length)
  }
  assert.equal(typeof explain(first, command), 'string')
}

// What comes before it and is harmless takes nothing away.
function checkPrefix(command: string): void {
  const [alone, after] = [judge(command), judge(`true && ${command}`)]
  assert.ok(after.tier >= alone.tier, `tier ${alone.tier} alone, ${after.tier} after "true &&"`)
  assert.ok(rank(after) >= rank(alone), `${decide(alone)} alone, ${decide(after)} after "true &&"`)
}

// Longer ones may be refused as too much to read, quoted or not.
const MAX_LITERAL = 1_900

// A text is no command, whatever it says.
function checkQuoted(text: string): void {
  const literal = text.replaceAll("'", '').slice(0, MAX_LITERAL)
  const { tier, evidence } = judge(`echo '${literal}'`)
  assert.equal(tier, 1, evidence[0]?.rule)
}

function checkTool([tool, args]: [string, Record<string, unknown>]): void {
  const { evidence } = classifyRisk({ tool, args, cwd: '/srv/project' })
  assert.notEqual(evidence[0]?.rule, 'risk/failed', evidence[0]?.reason)
}

const TOOL_NAMES = [
  'Bash',
  'Write',
  'Read',
  'WebFetch',
  'apply_patch',
  'Task',
  'mcp__a__b',
  'sql',
  'shell',
  'MultiEdit',
]
const ARGUMENTS = [
  'command',
  'cmd',
  'file_path',
  'path',
  'url',
  'content',
  'edits',
  'patch',
  'query',
  'cwd',
  'workdir',
  'script',
]

export const SHELL: readonly FuzzTarget[] = [
  plainTarget('shell', shellText, checkShell, 4),
  plainTarget('shell, huge', huge, checkShell, 200),
  plainTarget('shell after true &&', fc.oneof(fc.constantFrom(...EXAMPLES), grammar), checkPrefix, 4),
  plainTarget('shell, quoted text', fc.oneof(shellText, longText), checkQuoted, 2),
  plainTarget(
    'tool call',
    fc.tuple(fc.oneof(fc.constantFrom(...TOOL_NAMES), hostileText), hostileRecord(ARGUMENTS)),
    checkTool,
    2,
  ),
  plainTarget('message', longText, (message) => void classifyRisk({ message })),
  plainTarget('odd risk input', hostileJson, (input) => void classifyRisk({ tool: 'shell', args: input as never })),
]
