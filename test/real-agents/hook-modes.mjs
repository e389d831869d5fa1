// Each built-in hook in each mode, with one real agent: what is done, and what record, agent and person must see of it.

import { findRecords, judgeHosts, judgeRun } from './judge.mjs'
import { SUBTASK } from './plan.mjs'

/** The agent of these runs. */
export const HOOK_AGENT = 'claude'
export const HOOK_MODES = ['off', 'log', 'advise', 'enforce']

const shell = (command, ...more) => [{ turns: [{ tool: 'shell', command }, ...more] }]
const say = (text) => ({ say: text })

// A hook of the user that makes Claude continue once: the second end of the turn is a second attempt.
const GO_ON_ONCE = {
  '.claude/settings.local.json': JSON.stringify({
    hooks: { Stop: [{ hooks: [{ type: 'command', command: '"$HOME/once.sh"' }] }] },
  }),
  '$HOME/once.sh': '#!/bin/sh\n[ -e "$HOME/once" ] && exit 0\ntouch "$HOME/once"\necho "look again" >&2\nexit 2\n',
}

const BLOCKED = { decision: 'block', agent: /^Blocked by ARC: /, person: null }
const NOTHING = { agent: null, person: null }

/**
 * hook     its name
 * done     what is done, for the page
 * options  of the hook
 * expects  by mode, what must be seen: `decision` and `applied` of a record (`null`: no record), `agent` and `person` (a
 *          pattern of what each gets, `null`: nothing), `metadata` (keys of the record), `file` and its text
 */
export const HOOK_CASES = [
  {
    ...{ hook: 'source-classify', done: 'a prompt with the marker `CRON_TRIGGER`' },
    steps: [{ prompt: 'CRON_TRIGGER go on', turns: [{ tool: 'shell', command: 'ls' }] }],
    expects: each({ decision: 'pass', ...NOTHING, metadata: { messageSource: 'cron' } }),
  },
  {
    ...{ hook: 'interagent-routing', done: 'a message of another agent to all, without a mention' },
    steps: [
      {
        prompt: '<teammate-message teammate_id="reviewer" to="all">are you done?</teammate-message>',
        turns: [{ tool: 'shell', command: 'ls' }],
      },
    ],
    // The prompt is stopped, so the agent does nothing.
    endsRun: ['enforce'],
    expects: {
      log: { decision: 'block', applied: false, ...NOTHING },
      advise: {
        decision: 'block',
        applied: false,
        agent: /^ARC would block this: /,
        person: /^ARC would block this: /,
      },
      enforce: { decision: 'block', applied: true, ...NOTHING },
    },
  },
  {
    ...{ hook: 'watchdog-pause', done: '`rm -r precious`, with a watchdog', looksAt: ['$HOME/watchdog.txt'] },
    options: {
      watchdogs: [
        {
          name: 'restarter',
          pause: { command: 'echo paused >> "$HOME/watchdog.txt"' },
          resume: { command: 'echo resumed >> "$HOME/watchdog.txt"' },
        },
      ],
    },
    steps: shell('rm -r precious'),
    expects: {
      log: { decision: 'pass', ...NOTHING, file: null },
      advise: { decision: 'pass', ...NOTHING, file: 'paused\nresumed\n' },
      enforce: { decision: 'pass', ...NOTHING, file: 'paused\nresumed\n' },
    },
  },
  {
    ...{ hook: 'risk-detection', done: '`git reset --hard`', looksAt: ['draft.txt'] },
    steps: shell('git reset --hard'),
    expects: {
      log: { decision: 'block', applied: false, ...NOTHING },
      advise: {
        decision: 'block',
        applied: false,
        agent: /^ARC would block this: /,
        person: /^ARC would block this: /,
      },
      enforce: { ...BLOCKED, applied: true },
    },
  },
  {
    ...{ hook: 'subagent-inject', done: 'an agent starts another' },
    options: { rules: ['Never push to main.'] },
    steps: [{ turns: [{ tool: 'spawn', task: SUBTASK }] }],
    expects: {
      log: { decision: 'pass', ...NOTHING },
      advise: { decision: 'pass', agent: /Never push to main\./, person: /does not have the rules/ },
      enforce: { decision: 'pass', agent: /Never push to main\./, person: null },
    },
  },
  {
    ...{ hook: 'attempt-tracker', done: 'a second attempt in a turn, with a limit of one', files: GO_ON_ONCE },
    options: { maxAttempts: 1 },
    steps: shell('ls'),
    expects: {
      log: { decision: 'flag', ...NOTHING },
      advise: { decision: 'flag', agent: null, person: /attempt 2 in this turn/ },
      enforce: { decision: 'flag', agent: null, person: /attempt 2 in this turn/ },
    },
  },
  {
    ...{ hook: 'roundtable', done: 'the prompt `roundtable: tabs or spaces? agents: claude, codex rounds: 1`' },
    steps: [
      {
        prompt: 'roundtable: tabs or spaces? agents: claude, codex rounds: 1',
        turns: [{ tool: 'shell', command: 'ls' }],
      },
    ],
    expects: each({ decision: 'pass', ...NOTHING }),
  },
  {
    ...{
      hook: 'memory-sync',
      done: 'a session ends, and `AGENTS.md` lacks a line of `CLAUDE.md`',
      looksAt: ['AGENTS.md'],
    },
    files: { 'AGENTS.md': '# A\n' },
    options: { map: [{ from: 'CLAUDE.md', to: 'AGENTS.md' }] },
    steps: shell('sleep 1; echo "Use tabs." >> CLAUDE.md'),
    expects: {
      log: { decision: ['pass', 'flag'], ...NOTHING, file: '# A\n' },
      advise: { decision: ['pass', 'flag'], ...NOTHING, file: '# A\n' },
      enforce: { decision: ['pass', 'flag'], ...NOTHING, file: '# A project\nUse tabs.\n' },
    },
  },
  {
    ...{ hook: 'audit-score', done: 'an answer of one word after work on a service' },
    steps: shell('systemctl restart app', say('ok')),
    expects: {
      log: { decision: 'flag', ...NOTHING },
      advise: { decision: 'flag', agent: null, person: /answer does not/i },
      enforce: { decision: 'flag', agent: null, person: /answer does not/i },
    },
  },
  {
    ...{ hook: 'supervision-gate', done: '`npm publish --dry-run`, with a rule that blocks it' },
    options: { rules: [{ pattern: '/npm\\s+publish/i', action: 'BLOCK', reason: 'people publish' }] },
    steps: shell('npm publish --dry-run'),
    expects: {
      log: { decision: 'block', applied: false, ...NOTHING },
      advise: {
        decision: 'block',
        applied: false,
        agent: /^ARC would block this: /,
        person: /^ARC would block this: /,
      },
      enforce: { ...BLOCKED, applied: true },
    },
  },
  {
    ...{ hook: 'post-verify', done: '`systemctl restart app`, with a check that fails' },
    options: { checks: [{ name: 'app', command: 'false' }], pollTimeoutMs: 0 },
    steps: shell('systemctl restart app'),
    expects: {
      log: { decision: 'flag', ...NOTHING },
      advise: { decision: 'flag', agent: /app/, person: /app/ },
      enforce: { decision: 'flag', agent: /app/, person: /app/ },
    },
  },
]

function each(expected) {
  return { log: expected, advise: expected, enforce: expected }
}

/** What record, agent and person saw of a hook, in short sentences. */
function summarise(seen, { hook, looksAt = [] }) {
  const run = seen.runs[0]
  const records = findRecords(seen, { hook })
  const rank = { pass: 0, flag: 1, ask: 2, block: 3 }
  const record = records.toSorted((a, b) => (rank[b.decision] ?? -1) - (rank[a.decision] ?? -1))[0]
  const [file] = looksAt
  return {
    record:
      record === undefined
        ? null
        : { decision: record.decision, applied: record.applied, reason: record.reason ?? null },
    metadata: JSON.stringify(seen.explained),
    agent: readAgentTexts(run, hook),
    person: readPersonTexts(run, hook),
    ...(file === undefined ? {} : { file: seen.after[file] }),
  }
}

// ARC's lines in what the model got. Those of other hooks name them in brackets.
function readAgentTexts({ heard }, hook) {
  const blocks = heard
    .replaceAll('\\n', '\n')
    .split(/(?=Blocked by ARC: |Held by ARC: |ARC would |ARC flags |ARC advises )/)
    .slice(1)
  const told = blocks.filter((block) => block.includes(`[hook ${hook}]`)).map((block) => block.split('\n')[0].trim())
  const rules = /Never push to main\./.exec(heard)
  return [...told, ...(hook === 'subagent-inject' && rules !== null ? [rules[0]] : [])][0] ?? null
}

// The notices in the replies of ARC's lines, as Claude shows them.
function readPersonTexts({ output }, hook) {
  const notices = output.split('\n').flatMap((line) => {
    const event = parse(line)
    const reply = parse(event?.stdout ?? event?.output ?? '')
    return typeof reply?.systemMessage === 'string' ? [reply.systemMessage] : []
  })
  return (
    notices
      .find((notice) => notice.includes(`[hook ${hook}]`))
      ?.replace(/\s+/g, ' ')
      .trim() ?? null
  )
}

function parse(text) {
  try {
    return JSON.parse(text)
  } catch {
    // Output of the agent that is not JSON.
    return undefined
  }
}

function judgeHook(seen, one, mode) {
  const isEnded = one.endsRun?.includes(mode) === true && seen.runs[0].calls.length === 0
  const problems = [...(isEnded ? [] : judgeRun(seen)), ...judgeHosts(seen)]
  if (problems.length > 0) return problems
  const found = summarise(seen, one)
  if (mode === 'off')
    return seen.records.length === 0 && found.agent === null && found.person === null ? [] : ['off leaves traces']
  return compare(found, one.expects[mode])
}

function compare({ record, metadata, agent, person, file }, expected) {
  const fits = (text, pattern) => (pattern === null ? text === null : text !== null && pattern.test(text))
  return [
    [expected.decision].flat().includes(record?.decision) ? undefined : `the record is ${record?.decision}`,
    expected.applied === undefined || record?.applied === expected.applied
      ? undefined
      : `applied is ${record?.applied}`,
    fits(agent, expected.agent) ? undefined : `the agent is told ${agent}`,
    fits(person, expected.person) ? undefined : `the person is told ${person}`,
    ...Object.entries(expected.metadata ?? {}).map(([key, value]) =>
      metadata.includes(`${JSON.stringify(key)}:${JSON.stringify(value)}`)
        ? undefined
        : `the record has no ${key} ${value}`,
    ),
    !('file' in expected) || file === expected.file ? undefined : `the file is ${JSON.stringify(file)}`,
  ].filter((problem) => problem !== undefined)
}

/** A scenario for each hook in each mode. */
export const HOOK_SCENARIOS = HOOK_CASES.flatMap((one) =>
  HOOK_MODES.map((mode) => ({
    name: `${one.hook}-${mode}`,
    about: one.done,
    mode,
    files: one.files,
    looksAt: one.looksAt,
    steps: one.steps,
    profile: { hooks: { [one.hook]: { options: one.options ?? {} } } },
    hookCase: one,
    explains: one.hook,
    judge: (seen) => judgeHook(seen, one, mode),
    summarise: (seen) => summarise(seen, one),
  })),
)
