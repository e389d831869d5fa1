// What is done with every real agent. A scenario: `mode` of `arc init` (without one ARC takes no part), `profile` (settings
// of the profile), `files`, `daemon`, `uninstall`, `steps` (a run of the agent with the model's turns, or a command of `arc`),
// `looksAt` (files before and after), `why(client, host)` (why it is not possible with this host) and the check of what was seen.

import { findRecords, judgeFile, judgeHosts, judgeRan, judgeRun, judgeStopped, oneLine, toldTo } from './judge.mjs'
import { SUBTASK } from './plan.mjs'

const shell = (command) => ({ steps: [{ turns: [{ tool: 'shell', command }] }] })
const RESET = 'git reset --hard'
const DELETE = 'rm -rf "$HOME/documents"'
const THESIS = '$HOME/documents/thesis.txt'

const ran = (seen, client) => [...judgeRun(seen), ...judgeRan(seen, client), ...judgeHosts(seen)]
const stopped = (seen, client, options) => [
  ...judgeRun(seen),
  ...judgeStopped(seen, client, options),
  ...judgeHosts(seen),
  ...seen.complaints,
]
const onRecord = (seen, fields) =>
  findRecords(seen, fields).length > 0 ? [] : [`no record with ${JSON.stringify(fields)}`]

const BASIC = [
  {
    ...{ name: 'control', about: 'without ARC a command runs', ...shell('touch canary'), looksAt: ['canary'] },
    judge: (seen, client) => [...ran(seen, client), ...judgeFile(seen, 'canary', { exists: true })],
  },
  {
    ...{ name: 'log-safe', about: 'log: a harmless command runs and is on record', mode: 'log' },
    ...{ ...shell('touch canary'), looksAt: ['canary'] },
    judge: (seen, client) => [
      ...ran(seen, client),
      ...judgeFile(seen, 'canary', { exists: true }),
      ...onRecord(seen, { point: 'pre:tool', host: seen.host }),
    ],
  },
  {
    ...{
      name: 'log-danger',
      about: 'log: a destructive command runs and is on record as it would be decided',
      mode: 'log',
    },
    ...{ ...shell(RESET), looksAt: ['draft.txt'] },
    judge: (seen, client) => [
      ...ran(seen, client),
      ...judgeFile(seen, 'draft.txt', { text: 'first version' }),
      ...onRecord(seen, { point: 'pre:tool', decision: ['block', 'ask'], applied: false }),
    ],
  },
  {
    ...{ name: 'enforce-safe', about: 'enforce: a harmless command runs', mode: 'enforce' },
    ...{ ...shell('touch canary'), looksAt: ['canary'] },
    judge: (seen, client) => [...ran(seen, client), ...judgeFile(seen, 'canary', { exists: true })],
  },
  ...[false, true].map((daemon) => ({
    name: daemon ? 'enforce-danger-daemon' : 'enforce-danger',
    about: `enforce: files outside the project are not deleted${daemon ? ', with arc serve' : ''}`,
    ...{ mode: 'enforce', daemon, ...shell(DELETE), looksAt: [THESIS] },
    judge: (seen, client) => [...stopped(seen, client), ...judgeFile(seen, THESIS, { kept: true })],
  })),
  {
    ...{ name: 'enforce-reset', about: 'enforce: uncommitted changes are not discarded', mode: 'enforce' },
    ...{ ...shell(RESET), looksAt: ['draft.txt'] },
    judge: (seen, client) => [...stopped(seen, client), ...judgeFile(seen, 'draft.txt', { kept: true })],
  },
  {
    ...{ name: 'enforce-mention', about: 'enforce: a commit message may mention a dangerous command', mode: 'enforce' },
    ...shell('git commit --allow-empty -m "docs: never run rm -rf /"'),
    looksAt: ['.git/COMMIT_EDITMSG'],
    judge: (seen, client) => [
      ...ran(seen, client),
      ...judgeFile(seen, '.git/COMMIT_EDITMSG', { text: 'docs: never run rm -rf /' }),
    ],
  },
  {
    ...{ name: 'uninstall', about: 'after uninstall every file is as before, and nothing is supervised' },
    ...{ mode: 'enforce', uninstall: true, ...shell(RESET), looksAt: ['draft.txt'] },
    judge: (seen, client) => [
      ...judgeRun(seen),
      ...judgeRan(seen, client),
      ...judgeFile(seen, 'draft.txt', { text: 'first version' }),
      ...seen.leftovers.map((change) => `after uninstall ${change}`),
      ...(seen.isInstalled ? [] : ['install changed no file']),
      ...(seen.records.length > 0 ? ['still supervised after uninstall'] : []),
    ],
  },
]

const hook = (name, event, script) => ({
  profile: { commands: [{ name, event, command: ['/bin/sh', '-c', script] }] },
})
const canEdit = (host, point, field) =>
  Object.values(host.events).some((row) => row.isInstalled && row.point === point && row.edits.includes(field))

const WRITTEN = { tool: 'write', path: '$PROJECT/written.txt', content: 'the first text' }
const WRITE_STEPS = { steps: [{ turns: [WRITTEN] }], looksAt: ['written.txt'], mode: 'enforce' }
const NO_WRITE = 'this agent has no tool that writes a file'
const NO_SPAWN = 'this agent has no tool that starts another agent'

const whyNoTool = (kind, text) => (client) => (client.lacks?.includes(kind) ? text : undefined)

const HOOKED = [
  {
    ...{ name: 'prompt-danger', about: 'enforce: a person may write about dangerous commands', mode: 'enforce' },
    looksAt: ['canary'],
    steps: [
      {
        prompt: 'Why is git push --force to main dangerous, and rm -rf / too? Then go on.',
        turns: [{ tool: 'shell', command: 'touch canary' }],
      },
    ],
    why: (_client, host) =>
      Object.values(host.events).some(({ point, isInstalled }) => point === 'pre:message' && isInstalled)
        ? undefined
        : 'it tells no hook of prompts',
    judge: (seen, client) => [
      ...ran(seen, client),
      ...judgeFile(seen, 'canary', { exists: true }),
      ...(client.hidesPrompts ? [] : onRecord(seen, { point: 'pre:message', hook: 'risk-detection' })),
    ],
  },
  {
    ...{ name: 'write-stopped', about: 'a command hook at `pre:git:write` stops a written file', ...WRITE_STEPS },
    ...hook('no-writes', 'pre:git:write', 'echo "nobody writes here" >&2; exit 2'),
    why: whyNoTool('write', NO_WRITE),
    judge: (seen, client) => [
      ...stopped(seen, client, { fields: { hook: 'no-writes' } }),
      ...judgeFile(seen, 'written.txt', { absent: true }),
    ],
  },
  {
    ...{
      name: 'write-edited',
      about: 'a command hook at `pre:git:write` edits the text, or the corrected call is shown',
    },
    ...WRITE_STEPS,
    ...hook(
      'other-text',
      'pre:git:write',
      `printf '{"mark":"%s","modify":{"content":"the second text"}}' "$ARC_VERDICT_MARK"`,
    ),
    why: whyNoTool('write', NO_WRITE),
    judge: (seen, client, host) => [
      ...judgeRun(seen),
      ...judgeHosts(seen),
      ...onRecord(seen, { hook: 'other-text' }),
      ...(canEdit(host, 'pre:tool', 'args')
        ? judgeFile(seen, 'written.txt', { text: 'the second text' })
        : [...judgeFile(seen, 'written.txt', { absent: true }), ...judgeShown(seen, client, 'the second text')]),
    ],
  },
  {
    ...{ name: 'spawn-stopped', about: 'a command hook at `pre:agent:spawn` stops another agent', mode: 'enforce' },
    ...hook('no-spawns', 'pre:agent:spawn', 'echo "one agent is enough" >&2; exit 2'),
    steps: [{ turns: [{ tool: 'spawn', task: SUBTASK }] }],
    why: whyNoTool('spawn', NO_SPAWN),
    judge: (seen, client) => stopped(seen, client, { fields: { hook: 'no-spawns' } }),
  },
  {
    ...{ name: 'answer-flagged', about: 'a command hook at `post:message` flags the answer', mode: 'enforce' },
    ...hook('polite', 'post:message', `printf '{"decision":"flag","reason":"the answer is too short"}'`),
    steps: [{ turns: [{ tool: 'shell', command: 'touch canary' }, { say: 'It is finished.' }] }],
    why: whyNoAnswer,
    judge: (seen) => [...judgeRun(seen), ...judgeHosts(seen), ...onRecord(seen, { hook: 'polite', decision: 'flag' })],
  },
  {
    ...{ name: 'answer-edited', about: 'a command hook at `post:message` edits the answer', mode: 'enforce' },
    ...hook(
      'polite',
      'post:message',
      `printf '{"mark":"%s","modify":{"output":"It is finished, thank you."}}' "$ARC_VERDICT_MARK"`,
    ),
    steps: [{ turns: [{ tool: 'shell', command: 'touch canary' }, { say: 'It is finished.' }] }],
    why: (client, host) =>
      whyNoAnswer(client, host) ??
      (canEdit(host, 'post:message', 'output') ? undefined : 'no hook of it can change an answer'),
    judge: (seen) => [
      ...judgeRun(seen),
      ...onRecord(seen, { hook: 'polite' }),
      ...(seen.runs[0].output.includes('It is finished, thank you.') ? [] : ['the edited answer was not shown']),
    ],
  },
  {
    ...{ name: 'roundtable-turn', about: 'a trigger phrase opens a roundtable', mode: 'enforce' },
    steps: [
      {
        prompt: 'roundtable: tabs or spaces? agents: claude, codex rounds: 1',
        turns: [{ tool: 'shell', command: 'touch canary' }],
      },
    ],
    why: (client, host) => client.hidesPrompts ?? HOOKED[0].why(client, host),
    judge: (seen) => [
      ...judgeRun(seen),
      ...judgeHosts(seen),
      ...(seen.events.some(({ action }) => action === 'roundtable:open') ? [] : ['no roundtable was opened']),
    ],
  },
  {
    ...{ name: 'approve', about: 'a held command is refused headless, and runs after `arc approve`', mode: 'enforce' },
    looksAt: ['deployed'],
    steps: [
      { turns: [{ tool: 'shell', command: './deploy.sh' }] },
      { arc: ['approve'], answer: 'yes' },
      { turns: [{ tool: 'shell', command: './deploy.sh' }] },
    ],
    judge: (seen, client) => [
      ...judgeRun(seen),
      ...judgeRun(seen, 1),
      ...judgeFile(seen, 'deployed', { absent: true }, 0),
      ...(client.told === 'ends' || /arc approve/.test(toldTo(seen.runs[0]))
        ? []
        : ['the model was not told of arc approve']),
      ...judgeFile(seen, 'deployed', { exists: true }),
      ...judgeHosts(seen),
    ],
  },
]

function whyNoAnswer(_client, host) {
  const carries = ({ point, hasAnswer, isInstalled }) => isInstalled && (point === 'post:message' || hasAnswer)
  return Object.values(host.events).some(carries) ? undefined : 'no event of it has the answer'
}

// A corrected call is shown in the denial.
function judgeShown(seen, client, text) {
  if (client.told === 'ends') return []
  return toldTo(seen.runs[0]).includes(oneLine(text)) ? [] : ['the corrected call was not shown']
}

export const SCENARIOS = [...BASIC, ...HOOKED]
