// Parsers at the edges that are functions: what hosts, hooks, files and agents send. None may throw anything but an error
// of the table, and what they return must keep its promises.

import assert from 'node:assert/strict'
import fc from 'fast-check'
import { buildSubject, isUnder, readPattern, readSubject } from '../../src/bus/subject.ts'
import { compileArma, fill } from '../../src/config/arma/compile-script.ts'
import { DEFAULTS } from '../../src/config/config.ts'
import { editText } from '../../src/config/edit/edit-file.ts'
import { readKeyPath } from '../../src/config/edit/key-path.ts'
import { override, tighten } from '../../src/config/layers.ts'
import { parseText } from '../../src/config/parse-text.ts'
import { validate } from '../../src/config/validate.ts'
import { Failure } from '../../src/engine/degradation.ts'
import { ArcError } from '../../src/engine/errors.ts'
import { compileGlob } from '../../src/engine/glob.ts'
import { compileMatch, type Match, type MatchFacts } from '../../src/engine/matcher.ts'
import { isAtLeast, MODES } from '../../src/engine/mode.ts'
import { BUILT_IN_POINTS } from '../../src/engine/point-names.ts'
import { POINTS, type PointSpec } from '../../src/engine/points.ts'
import { DECISIONS, readVerdict } from '../../src/engine/verdict.ts'
import { readAnswerText } from '../../src/hooks/handlers/handler.ts'
import { Malformed, readModelVerdict } from '../../src/hooks/handlers/prompt/model-verdict.ts'
import { WIRE_FORMATS } from '../../src/hooks/handlers/prompt/wire.ts'
import { failureOutcome } from '../../src/hosts/failure.ts'
import { HOST_NAMES, type HostName, isUnreadable } from '../../src/hosts/host.ts'
import { readToml } from '../../src/hosts/install/toml-text.ts'
import { HOSTS, readHostPayload } from '../../src/hosts/list.ts'
import { linearRegex } from '../../src/platform/engine-services.ts'
import { decodeReply, encodeReply, SEPARATOR } from '../../src/protocol/hook-wire.ts'
import { MAX_AGENTS, MAX_ROUNDS, parseRoundtable } from '../../src/roundtable/parse-request.ts'
import { MemoryTraceStore } from '../../src/storage/memory/trace-store.ts'
import { TracedEngine } from '../../src/supervisor/traced-engine.ts'
import { readDraft } from '../../src/tasks/task.ts'
import { canonicalize } from '../../src/trace/canonical.ts'
import { verifyExport } from '../../src/trace/export.ts'
import { SUBJECTS } from '../host-subjects.ts'
import { hostileJson, hostileRecord, hostileText, jsonText, longText, mutated } from './arbitraries.ts'
import { type FuzzTarget, plainTarget } from './target.ts'

const PAYLOAD_FIELDS = [
  ...[
    'session_id',
    'sessionId',
    'cwd',
    'hook_event_name',
    'hookName',
    'tool_name',
    'tool_input',
    'toolName',
    'toolArgs',
  ],
  ...['tool_response', 'tool_use_id', 'prompt', 'timestamp', 'transcript_path', 'permission_mode', 'stop_reason'],
  ...['conversation_id', 'cursor_version', 'workspace_roots', 'command', 'preToolUse', 'postToolUse', 'parameters'],
  ...['taskId', 'workspaceRoots', 'tool', 'args', 'sessionID', 'callID', 'output', 'event', 'properties', 'error'],
  ...['llm_request', 'agent_type', 'agent_id', 'edits', 'file_path', 'attachments', 'stop_hook_active', 'reason'],
]

interface HostInput {
  readonly host: HostName
  readonly event: string | undefined
  readonly payload: string
}

const hostInput: fc.Arbitrary<HostInput> = fc.constantFrom(...HOST_NAMES).chain((host) => {
  const events = Object.keys(HOSTS[host].events)
  const good = events.map((event) => SUBJECTS[host].payloadFor(event))
  return fc.record({
    host: fc.constant(host),
    event: fc.oneof(fc.constantFrom(undefined, ...events), hostileText),
    payload: fc.oneof(mutated(good), jsonText(hostileRecord(PAYLOAD_FIELDS)), jsonText(hostileJson)),
  })
})

// A host gets an answer that it can read, whatever it sent; and in enforce what could not be read is stopped where the
// event can be.
/** Agents that take what a hook prints as text. */
const TEXT_REPLIES: ReadonlySet<string> = new Set(['gemini', 'kiro'])

function checkHost({ host, event, payload }: HostInput): void {
  const read = readHostPayload(host, event, payload, {})
  const step = isUnreadable(read) ? read.step : read
  assert.ok(Object.hasOwn(POINTS, step.point), `no point ${step.point}`)
  assert.equal(typeof step.event, 'string')
  for (const [name, fact] of Object.entries(step.context)) {
    if (name !== 'metadata') assert.ok(fact === undefined || typeof fact === 'string', `${name} is ${typeof fact}`)
  }
  for (const mode of ['enforce', 'log'] as const) {
    const outcome = failureOutcome(step, 'fuzz', mode)
    const reply = HOSTS[step.host].reply(step, outcome, { traceId: 't' })
    assert.ok([0, 1, 2].includes(reply.exitCode), `exit code ${reply.exitCode}`)
    if (reply.stdout !== '' && !TEXT_REPLIES.has(step.host)) JSON.parse(reply.stdout)
  }
}

const specs: fc.Arbitrary<PointSpec> = fc.constantFrom<PointSpec>(...Object.values(POINTS))
const VERDICT_FIELDS = [
  ...[
    'decision',
    'abort',
    'control',
    'reason',
    'suggestion',
    'modify',
    'metadata',
    'additional_context',
    'stop_reason',
  ],
  ...['is_error', 'result', 'args', 'input', 'prompt', 'output', 'config', 'tool'],
]
const verdictValue = fc.oneof(
  hostileRecord(VERDICT_FIELDS),
  hostileJson,
  fc.record({ decision: fc.constantFrom(...DECISIONS, 'allow'), reason: hostileJson, modify: hostileJson }),
  fc.record({
    control: fc.constantFrom('veto', 'skip', 'break', 'continue', 'proceed', null, 'Veto'),
    args: hostileJson,
  }),
)

function checkVerdict([value, spec]: [unknown, PointSpec]): void {
  const read = readVerdict(value, spec)
  if (read instanceof Failure) return
  assert.ok(DECISIONS.includes(read.decision))
  for (const text of [read.reason, read.suggestion, read.stopReason]) {
    assert.ok(text === undefined || typeof text === 'string')
  }
  assertClean()
}

// No input may have changed Object.prototype.
function assertClean(): void {
  assert.deepEqual(Object.keys(Object.prototype), [])
  assert.equal(({} as { polluted?: unknown }).polluted, undefined)
}

function checkAnswerText([text, spec]: [string, PointSpec]): void {
  checkVerdict([readAnswerText(text), spec])
  const model = readModelVerdict(text)
  if (!(model instanceof Malformed)) checkVerdict([model, spec])
}

function checkWire(body: unknown): void {
  for (const format of Object.values(WIRE_FORMATS)) {
    const read = format.read(body)
    assert.ok(read === undefined || typeof (read.kind === 'refusal' ? read.why : read.text) === 'string')
  }
}

const CONFIGURATIONS = [
  '{ "enforcement": "enforce", // why\n "hooks": { "timeout": 5000, "risk-detection": { "enabled": true, "timeout": 10000 } } }',
  '{"commands":[{"name":"lint","event":"pre_tool_use","matcher":"bash","command":"./check.sh {tool_name}","timeout_secs":10,"blocking":true}]}',
  '{"extends":["base"],"breaker":{"failureThreshold":3,"cooldownMs":60000},"risk":{"floor":true},"scripts":["hooks.arma"]}',
  'enforcement: enforce\nhooks:\n  timeout: 5000\n  risk-detection: &a\n    enabled: true\n  audit-score: *a\n',
  'commands:\n  - name: lint\n    event: pre_tool_use\n    command: "./check.sh"\n# the end\n',
  '%YAML 1.2\n---\nenforcement: |\n  log\n...\n',
]
const SETTING_NAMES = [
  ...[
    'enforcement',
    'hooks',
    'commands',
    'breaker',
    'risk',
    'scripts',
    'profile',
    'extends',
    'name',
    'tool',
    'timeout',
  ],
  ...['errorBehavior', 'maxHooksPerPoint', 'risk-detection', 'supervision-gate', 'failureThreshold', 'floor'],
]
const configText = fc.oneof(mutated(CONFIGURATIONS), jsonText(hostileRecord(SETTING_NAMES)), longText)
const configFile = fc.constantFrom('profile.json', 'profile.yaml')
const fileKind = fc.constantFrom('profile', 'config', 'project' as const)

// A file applies completely or not at all; each problem has a position in the text; a project never loosens.
function checkConfig([file, text, kind]: [string, string, 'profile' | 'config' | 'project']): void {
  const { parsed, problems } = parseText(file, text)
  const lines = text.split(/\r\n|\r|\n/).length
  for (const { line, column } of problems ?? []) {
    assert.ok(line >= 1 && line <= lines && column >= 1, `a problem at ${line}:${column} of ${lines} lines`)
  }
  assertClean()
  if (parsed === undefined) return
  const { valid } = validate(parsed, kind)
  if (valid === undefined) return
  const user = override(DEFAULTS, { file: valid, scripts: [] })
  assert.ok(Object.hasOwn(MODES, user.enforcement))
  const base = { ...DEFAULTS, enforcement: 'advise' as const }
  const { config } = tighten(base, { file: valid, scripts: [] })
  assert.ok(isAtLeast(config.enforcement, 'advise'), 'a project lowered the mode')
  assert.ok(config.timeoutMs <= base.timeoutMs, 'a project raised a limit')
}

// An edit leaves a text that can be read and says what was asked, or it is refused.
function checkEdit([file, text, key, value]: [string, string, string, unknown]): void {
  const path = arcErrorOr(() => readKeyPath(key))
  if (path === undefined) return
  const edited = editText(file, text, { path, value }, 'profile')
  if (edited.problems !== undefined) return
  assert.equal(parseText(file, edited.text).problems, undefined)
}

const ARMA = [
  'hook pre:message /log debug "Sending: $prompt"\nhook pre:tool:shell /perms check shellExec\n',
  `/set $who "ada"\nhook post:agent:complete /notify "Agent $who \${agent.name}" # note\n`,
  'hook pre:tool \\\n  /block \'never\' \nhook pre:tool:shell /run ./check.sh "$tool"\nhook pre_tool_use /set args x',
]

function checkArma(text: string): void {
  const { ok, hooks, errors } = compileArma(text)
  assert.equal(ok, errors.length === 0)
  const lines = text.split('\n').length
  for (const { line, column, message } of errors) {
    assert.ok(line >= 1 && line <= lines && column >= 1, `an error at ${line}:${column} of ${lines} lines: ${message}`)
  }
  for (const { args, point } of hooks) {
    assert.ok(Object.hasOwn(POINTS, point))
    for (const template of args) assert.equal(typeof fill(template, (name) => name), 'string')
  }
}

const patternText = fc.oneof(
  hostileText,
  fc
    .array(
      fc.constantFrom('*', '**', '?', '[', ']', '{', '}', ',', 'a', '/', '!', '\\', '-', '.', '(', '|', ')', '+', '$'),
      {
        maxLength: 30,
      },
    )
    .map((all) => all.join('')),
  fc.string({ maxLength: 20 }).map((source) => `/${source}/i`),
  fc.constantFrom(
    '/(a+)+$/',
    '/(a|a)*b/',
    '/\\1/',
    '/[/',
    '{a,b}{c,d}'.repeat(30),
    '**/'.repeat(200),
    '[!'.repeat(200),
  ),
)
const facts: fc.Arbitrary<MatchFacts> = fc.record({
  data: hostileRecord(['tool', 'args', 'path']),
  metadata: hostileRecord(['risk', 'riskTier', 'tier']),
  context: fc.record({
    agent: fc.option(longText, { nil: undefined }),
    workspace: fc.option(hostileText, { nil: undefined }),
  }),
})

function checkPattern([pattern, text, step]: [string, string, MatchFacts]): void {
  const glob = arcErrorOr(() => compileGlob(pattern))
  if (glob !== undefined) assert.equal(typeof glob(text), 'boolean')
  for (const match of [{ tool: pattern }, { path: pattern }, { args: pattern }, { agent: [pattern] }] as Match[]) {
    const test = arcErrorOr(() => compileMatch(match, linearRegex))
    if (test !== undefined) assert.equal(typeof test(step), 'boolean')
  }
  arcErrorOr(() => BUILT_IN_POINTS.resolve(pattern))
}

function checkSubject([parts, pattern]: [string[], string]): void {
  const subject = arcErrorOr(() => buildSubject(...parts))
  const words = subject === undefined ? undefined : arcErrorOr(() => readSubject(subject))
  if (words !== undefined && parts.length > 0) assert.equal(words.length, parts.length, 'a part reached into the next')
  const read = arcErrorOr(() => readPattern(pattern))
  if (words === undefined || read === undefined) return
  assert.equal(typeof isUnder(words, read), 'boolean')
  assert.ok(isUnder(words, words) && isUnder(words, ['>']))
}

function checkTask(draft: unknown): void {
  const read = arcErrorOr(() => readDraft(draft as never))
  if (read === undefined) return
  assert.ok(read.from !== read.to && read.description.trim() !== '')
  JSON.stringify(read)
}

function checkRoundtable(text: string): void {
  const request = parseRoundtable(text, { agents: ['here'] })
  if (request === undefined) return
  assert.ok(request.rounds >= 1 && request.rounds <= MAX_ROUNDS, `${request.rounds} rounds`)
  assert.ok(request.agents.length <= MAX_AGENTS)
  assert.equal(new Set(request.agents.map((name) => name.toLowerCase())).size, request.agents.length)
}

const EXPORTED = exportedLines(4)

function exportedLines(count: number): readonly string[] {
  const store = new MemoryTraceStore()
  for (let at = 0; at < count; at++) {
    const what = { component: 'daemon', action: 'fuzz', level: 'info', reason: `record ${at} é` } as const
    void store.append({ ...what, id: `id-${at}`, time: 1_700_000_000_000 + at, profile: 'default' })
  }
  return [...store.export()]
}

interface Tampering {
  readonly line: number
  readonly text: (line: string) => string
}

const tampering: fc.Arbitrary<Tampering> = fc.record({
  line: fc.nat(EXPORTED.length - 1),
  text: fc.oneof(
    fc.tuple(fc.nat(2_000), fc.integer({ min: 1, max: 255 })).map(([place, by]) => (line: string) => {
      const bytes = Buffer.from(line)
      const at = place % bytes.length
      bytes[at] = (bytes[at] ?? 0) ^ by
      return bytes.toString('utf8')
    }),
    jsonText(hostileRecord(['cut', 'hash', 'record', 'seq'])).map((text) => () => text.replaceAll(/[\r\n]/g, ' ')),
  ),
})

// The first record that is not what it was is named, or the change did not change the record.
function checkTampering({ line, text }: Tampering): void {
  const lines = [...EXPORTED]
  const before = lines[line] ?? ''
  lines[line] = text(before)
  const { ok, firstBad } = verifyExport(lines, headOf(EXPORTED))
  if (lines[line].trim() !== '' && meaning(lines[line]) === meaning(before))
    assert.ok(ok, 'the same record is not taken')
  else assert.ok(!ok && firstBad !== undefined && firstBad !== null, `tampering with line ${line} went unseen`)
}

function meaning(line: string): string | undefined {
  try {
    const { hash, record, seq, cut } = JSON.parse(line) as Record<string, unknown>
    return cut === undefined ? canonicalize({ hash: String(hash), record, seq: Number(seq) }) : undefined
  } catch {
    return undefined
  }
}

function headOf(lines: readonly string[]) {
  const { seq, hash } = JSON.parse(lines.at(-1) ?? '') as { seq: number; hash: string }
  return { seq, hash }
}

function checkWireAnswer(text: string): void {
  const read = decodeReply(text)
  assert.ok(read === undefined || typeof read === 'object')
  for (const exitCode of [0, 2]) {
    const answer = { exitCode, stdout: text, stderr: text }
    // A shell keeps no NUL.
    if (!text.includes(SEPARATOR) && !text.includes('\0')) assert.deepEqual(decodeReply(encodeReply(answer)), answer)
  }
}

// Every checked step is in the trace, and the chain is intact.
function checkTraced([data, reason, session]: [Record<string, unknown>, string, string]): void {
  const store = new MemoryTraceStore()
  const engine = new TracedEngine(store, { mode: 'enforce' })
  engine.register('pre:tool', () => ({ decision: 'flag', reason, metadata: data }), { name: 'any' })
  let outcome: unknown
  arcErrorOr(() => {
    outcome = engine.dispatch('pre:tool', { tool: 'shell', args: data }, { session })
  })
  if (outcome === undefined) return
  assert.equal(store.query().length, 1, 'judged and not on record')
  assert.ok(store.verify().ok && verifyExport(store.export()).ok)
}

function checkCanonical(value: unknown): void {
  let text: string
  try {
    text = canonicalize(value)
  } catch (error) {
    assert.ok(error instanceof TypeError || error instanceof RangeError)
    return
  }
  assert.equal(canonicalize(JSON.parse(text)), text)
}

// What it gives, or undefined where it refuses with an error of the table. Anything else is a finding.
function arcErrorOr<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    if (error instanceof ArcError) return undefined
    throw error
  }
}

const ROUNDTABLES = [
  'roundtable: Tabs or spaces? agents: claude, codex rounds: 3',
  '/roundtable agents: "a b", c and d\nrounds: 99999999999999999999 what now?',
]
const DRAFT_FIELDS = ['from', 'to', 'description', 'priority', 'metadata', 'riskTier']

export const PARSERS: readonly FuzzTarget[] = [
  plainTarget('host payload', hostInput, checkHost, 2),
  plainTarget('verdict', fc.tuple(verdictValue, specs), checkVerdict),
  plainTarget('answer text', fc.tuple(fc.oneof(jsonText(verdictValue), longText), specs), checkAnswerText),
  plainTarget(
    'model answer',
    fc.oneof(hostileRecord(['content', 'choices', 'output', 'type']), hostileJson),
    checkWire,
  ),
  plainTarget('configuration', fc.tuple(configFile, configText, fileKind), checkConfig, 4),
  plainTarget(
    'configuration edit',
    fc.tuple(
      configFile,
      configText,
      fc.oneof(fc.constantFrom(...SETTING_NAMES, 'hooks.timeout'), hostileText),
      hostileJson,
    ),
    checkEdit,
    8,
  ),
  plainTarget('.arma script', fc.oneof(mutated(ARMA), longText), checkArma),
  plainTarget(
    'toml',
    fc.oneof(mutated(['[hooks]\na = "b" # c\n[[x.y]]\n"q.r" = [1, 2]\n']), longText),
    (text) => void readToml(text),
  ),
  plainTarget('patterns', fc.tuple(patternText, longText, facts), checkPattern, 2),
  plainTarget('bus subject', fc.tuple(fc.array(hostileText, { maxLength: 4 }), hostileText), checkSubject),
  plainTarget('task', fc.oneof(hostileRecord(DRAFT_FIELDS), hostileJson), checkTask),
  plainTarget(
    'roundtable',
    fc.oneof(
      mutated(ROUNDTABLES),
      longText.map((text) => `roundtable: ${text}`),
    ),
    checkRoundtable,
  ),
  plainTarget('trace export', tampering, checkTampering),
  plainTarget(
    'traced step',
    fc.tuple(hostileRecord(['command', 'path', 'token']), longText, hostileText),
    checkTraced,
    4,
  ),
  plainTarget('hook wire', longText, checkWireAnswer),
  plainTarget('canonical JSON', hostileJson, checkCanonical),
]
