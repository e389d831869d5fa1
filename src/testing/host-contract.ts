// The contract of every host adapter, as cases for any test runner. The subject's model of the agent checks replies.

import assert from 'node:assert/strict'
import type { Outcome } from '../engine/outcome.ts'
import { POINTS, type PointName, type PointSpec } from '../engine/points.ts'
import { failureOutcome } from '../hosts/failure.ts'
import { type Host, type HostEvent, type HostReply, type HostStep, isUnreadable } from '../hosts/host.ts'
import type { InstallTarget } from '../hosts/install/install-file.ts'
import { planInstall, planUninstall } from '../hosts/install/plan.ts'
import { hostilePayloads } from './hostile-payloads.ts'

/** What an agent does with a reply, by its own rules. */
export interface HostEffect {
  /** The action does not happen, or at a turn's end the agent continues. */
  readonly stopped: boolean
  /** A person is asked first. */
  readonly prompted?: boolean
  /** The message to the model or the user. */
  readonly message?: string
  /** The arguments that the tool would run with. */
  readonly args?: unknown
  readonly context?: string
  readonly notice?: string
  /** The agent cannot read the reply, or it says more than it should, such as an allow that skips prompts. */
  readonly fault?: string
}

/** A payload that was captured from the real program. */
export interface CapturedPayload {
  readonly name: string
  /** The event on the command line, if the line names it. */
  readonly event?: string | undefined
  readonly payload: string
  readonly point: PointName
  readonly tool?: string
}

/** An adapter under test. */
export interface HostSubject {
  readonly host: Host
  readonly captured: readonly CapturedPayload[]
  /** A full payload of this event, with a shell call `touch a` where it carries a tool. */
  payloadFor(event: string): string
  /** The agent's rules. */
  interpret(event: string, reply: HostReply): HostEffect
  /** Texts of a configuration file as users have them; undefined for no file. */
  readonly configurations: readonly (string | undefined)[]
}

/** One case of the contract. */
export interface HostCase {
  readonly title: string
  /** Throws when the adapter breaks the contract. */
  run(subject: HostSubject): void
}

/**
 * The contract.
 * @example
 * for (const { title, run } of hostContract) it(title, () => run(subject))
 */
export const hostContract: readonly HostCase[] = [
  { title: 'P2 reads every captured payload to its point and tool', run: readsCaptured },
  { title: 'P2 reads an unknown event as a marked step, and can still stop it', run: readsUnknown },
  { title: 'P3 shows a shell command to hooks as the text in args.command', run: normalisesShell },
  { title: 'says nothing when nothing is to be said', run: passesInSilence },
  { title: 'L2 Q5 stops what is blocked, and says what, who, why, what instead and where to look', run: blocks },
  { title: 'asks a person where the agent really asks, and else stops with instructions', run: asks },
  { title: 'does not ask where the agent would answer its own prompt', run: neverAsksTheAgent },
  { title: 'has changed arguments used, or stops the call and shows the corrected one', run: edits },
  { title: 'Q5 tells the user and the agent once what was flagged, where there is a way to', run: flags },
  { title: "puts text into the agent's context, where there is a way to", run: addsContext },
  { title: 'never takes its own failure for consent in enforce, and stops nothing in log', run: fails },
  { title: 'survives every payload', run: survives },
  { title: 'installs once, however often it is run', run: installsOnce },
  { title: 'uninstalls to the byte', run: uninstalls },
]

const [TRACE, APPROVAL] = ['01TRACE', 'A-7']
const FACTS = { traceId: TRACE, approvalId: APPROVAL }

function readsCaptured({ host, captured }: HostSubject): void {
  for (const { name, event, payload, point, tool } of captured) {
    const read = host.readPayload(event, payload, {})
    assert.ok(!isUnreadable(read), `${name} cannot be read`)
    assert.deepEqual([read.point, read.data.tool], [point, tool], name)
    assert.equal(read.context.host, host.name, name)
    assert.equal(read.isUnknown, false, name)
    assert.equal(typeof read.context.session, 'string', name)
  }
}

function readsUnknown({ host, payloadFor, interpret }: HostSubject): void {
  const known = eventsAt(host, 'pre:tool')[0] ?? ''
  const payload = payloadFor(known).replaceAll(known, 'BrandNewEvent')
  const step = readStep(host, 'BrandNewEvent', payload)
  assert.equal(step.isUnknown, true)
  assert.equal(step.context.metadata?.unknownEvent, true)
  assert.equal(step.point, 'pre:tool')
  const reply = host.reply(step, blocked(step), FACTS)
  const effect = interpret('BrandNewEvent', reply)
  assert.ok(effect.stopped || reply.stderr !== '', 'a block of an unknown event leaves no sign')
}

function normalisesShell({ host, payloadFor }: HostSubject): void {
  const calls = eventsAt(host, 'pre:tool').map((event) => readStep(host, event, payloadFor(event)))
  const shell = calls.filter(({ data }) => (data.args as { command?: unknown }).command !== undefined)
  assert.ok(shell.length > 0)
  for (const { data, event } of shell) assert.equal((data.args as { command: unknown }).command, 'touch a', event)
}

function passesInSilence(subject: HostSubject): void {
  forEachEvent(subject, (step, _spec, readEffect) => {
    const effect = readEffect(buildOutcome(step, {}))
    assert.equal(effect.stopped, false, step.event)
    assert.equal(effect.prompted ?? false, false, step.event)
    assert.deepEqual(
      [effect.message, effect.args, effect.notice, effect.context],
      [undefined, undefined, undefined, undefined],
    )
  })
}

function blocks(subject: HostSubject): void {
  forEachEvent(subject, (step, spec, readEffect, reply) => {
    if (!POINTS[step.point].canAbort) return
    const effect = readEffect(blocked(step))
    if (spec.block === 'none') {
      assert.equal(effect.stopped, false, step.event)
      assert.ok(reply(blocked(step)).unsupported.includes('block'), step.event)
      return
    }
    assert.equal(effect.stopped, true, `${step.event} is not stopped`)
    for (const part of ['guard', 'it destroys work', 'use the safe way', TRACE]) {
      assert.ok(effect.message?.includes(part), `${step.event} does not tell ${part}`)
    }
    if (POINTS[step.point].blockMeans === undefined) checkDenial(step, effect.message ?? '')
  })
}

// What, why, what instead, not in another form, and what the user can do.
function checkDenial(step: HostStep, message: string): void {
  const [what, why, other, warning, user, ...more] = message.trimEnd().split('\n')
  assert.match(what ?? '', /^Blocked by ARC: \S/, step.event)
  assert.equal(why, 'Why: it destroys work [hook guard]', step.event)
  assert.equal(other, 'Instead: use the safe way', step.event)
  assert.equal(warning, 'Do not try it in another form.', step.event)
  assert.ok(user?.startsWith('The user can '), step.event)
  assert.deepEqual(more, [], step.event)
}

function asks(subject: HostSubject): void {
  forEachEvent(subject, (step, spec, readEffect) => {
    if (!isStoppable(step.point)) return
    const effect = readEffect(held(step))
    const expected = spec.block === 'none' || spec.ask === 'prompting' ? 'go' : spec.ask
    assert.equal(effect.prompted ?? false, expected === 'prompt', step.event)
    assert.equal(effect.stopped, expected === 'deny', step.event)
    if (expected === 'deny') assert.ok(effect.message?.includes(`arc approve ${APPROVAL}`), step.event)
  })
}

function neverAsksTheAgent(subject: HostSubject): void {
  forEachEvent(subject, (step, spec) => {
    if (spec.ask !== 'prompt') return
    const unattended = { ...step, canPrompt: false }
    const effect = subject.interpret(step.event, subject.host.reply(unattended, held(step), FACTS))
    assert.deepEqual([effect.stopped, effect.prompted ?? false], [true, false], step.event)
  })
}

function edits(subject: HostSubject): void {
  forEachEvent(subject, (step, spec, readEffect) => {
    if (step.point !== 'pre:tool' || step.hostArgs === undefined || step.data.tool === undefined) return
    const before = step.data.args as Record<string, unknown>
    const args = { ...before, ...(before.command === undefined ? { extra: 'touch b' } : { command: 'touch b' }) }
    const effect = readEffect(buildOutcome(step, { data: { ...step.data, args } }))
    if (spec.edits.includes('args')) {
      assert.equal(effect.stopped, false, step.event)
      const text = JSON.stringify(effect.args)
      assert.ok(text.includes('touch b') && !text.includes('touch a'), `${step.event}: ${text}`)
    } else if (spec.block !== 'none') {
      assert.equal(effect.stopped, true, `${step.event} lets the uncorrected call run`)
      assert.ok(effect.message?.includes('touch b'), step.event)
    }
  })
}

const ADVISED: readonly PointName[] = ['pre:tool', 'post:tool', 'post:tool:failure', 'pre:message']

function flags(subject: HostSubject): void {
  forEachEvent(subject, (step, spec, readEffect, reply) => {
    const metadata = { suggestions: [{ hook: 'guard', decision: 'block', reason: 'it destroys work' }] }
    const outcome = buildOutcome(step, { decision: 'flag', reason: 'it destroys work', hook: 'guard', metadata })
    const effect = readEffect(outcome)
    assert.equal(effect.stopped, false, step.event)
    const advice = /ARC would block this: .*\nWhy: it destroys work \[hook guard\]/
    if (spec.notice) assert.match(effect.notice ?? '', advice, step.event)
    else assert.ok(reply(outcome).unsupported.includes('notice'), step.event)
    if (spec.context && ADVISED.includes(step.point)) assert.match(effect.context ?? '', advice, step.event)
    else assert.equal(effect.context, undefined, step.event)
  })
}

function addsContext(subject: HostSubject): void {
  forEachEvent(subject, (step, spec, readEffect, reply) => {
    const outcome = buildOutcome(step, { metadata: { additionalContext: ['one', 'two'] } })
    const effect = readEffect(outcome)
    assert.equal(effect.stopped, false, step.event)
    if (spec.context) assert.equal(effect.context, 'one\ntwo', step.event)
    else assert.ok(reply(outcome).unsupported.includes('context'), step.event)
  })
}

function fails(subject: HostSubject): void {
  forEachEvent(subject, (step, spec, readEffect) => {
    const enforced = readEffect(failureOutcome(step, 'the database is locked', 'enforce'))
    assert.equal(enforced.stopped, spec.block !== 'none' && isStoppable(step.point), step.event)
    if (enforced.stopped) assert.match(enforced.message ?? '', /the database is locked/)
    assert.equal(readEffect(failureOutcome(step, 'the database is locked', 'log')).stopped, false, step.event)
  })
}

function survives({ host, payloadFor, interpret }: HostSubject): void {
  const [gate = ''] = eventsAt(host, 'pre:tool').filter((name) => host.events[name]?.isInstalled)
  for (const payload of hostilePayloads(payloadFor(gate))) {
    for (const event of [gate, undefined, 'constructor', '__proto__', '']) {
      const read = host.readPayload(event, payload, {})
      const step = isUnreadable(read) ? read.step : read
      const outcome = isUnreadable(read) ? failureOutcome(step, read.unreadable, 'enforce') : blocked(step)
      const reply = host.reply(step, outcome, FACTS)
      assert.equal(typeof reply.stdout, 'string')
      if (isUnreadable(read) && event === gate)
        assert.ok(interpret(gate, reply).stopped, `let pass: ${payload.slice(0, 60)}`)
    }
  }
  assert.deepEqual(Object.keys(Object.prototype), [], 'a payload reached the prototype of all objects')
}

function installsOnce({ host, configurations }: HostSubject): void {
  for (const scope of scopesOf(host)) {
    for (const before of configurations) {
      const once = install(host, makeTarget(scope), textsWith(host, makeTarget(scope), before))
      assert.deepEqual(planInstall(host, makeTarget(scope), once, COMMAND).files, [], `${scope} ${before}`)
    }
  }
}

function uninstalls({ host, configurations }: HostSubject): void {
  for (const scope of scopesOf(host)) {
    for (const before of configurations) {
      const target = makeTarget(scope)
      const texts = textsWith(host, target, before)
      const after = install(host, target, texts)
      assert.notDeepEqual(onlyFiles(after), onlyFiles(texts), 'install changed nothing')
      const restored = applied(after, planUninstall(host, target, after))
      assert.deepEqual(onlyFiles(restored), onlyFiles(texts), `${scope} ${before}`)
    }
  }
}

// Some agents have no hooks in projects.
const scopesOf = ({ install: { files } }: Host): InstallTarget['scope'][] =>
  (['user', 'project'] as const).filter((scope) => files(makeTarget(scope)).length > 0)

/** Path to text; undefined for no file. */
type Texts = ReadonlyMap<string, string | undefined>

const COMMAND = { command: '/opt/arc tools/bin/arc' }

const makeTarget = (scope: InstallTarget['scope']): InstallTarget => ({ scope, dir: '/home/dev', env: {} })

// Every file of the kind that the first one is; ARC's own files are never there before.
function textsWith(host: Host, target: InstallTarget, text: string | undefined): Texts {
  const [first] = host.install.files(target)
  const isShared = first?.commandIn !== undefined
  return new Map(isShared && first !== undefined ? [[first.path, text]] : [])
}

function install(host: Host, target: InstallTarget, texts: Texts): Texts {
  const plan = planInstall(host, target, texts, COMMAND)
  assert.deepEqual(plan.problems, [])
  return applied(texts, plan)
}

function applied(texts: Texts, plan: ReturnType<typeof planInstall>): Texts {
  const result = new Map(texts)
  for (const { path, before, after } of plan.files) {
    assert.equal(result.get(path), before)
    result.set(path, after)
  }
  return result
}

function onlyFiles(texts: Texts): object {
  return Object.fromEntries([...texts].filter(([, text]) => text !== undefined))
}

type EventCheck = (
  step: HostStep,
  spec: HostEvent,
  readEffect: (outcome: Outcome) => HostEffect,
  reply: (outcome: Outcome) => HostReply,
) => void

function forEachEvent({ host, payloadFor, interpret }: HostSubject, check: EventCheck): void {
  for (const [name, spec] of Object.entries(host.events)) {
    const step = readStep(host, name, payloadFor(name))
    assert.equal(step.point, spec.point, name)
    const reply = (outcome: Outcome): HostReply => host.reply(step, outcome, FACTS)
    const readEffect = (outcome: Outcome): HostEffect => {
      const effect = interpret(name, reply(outcome))
      assert.equal(effect.fault, undefined, name)
      return effect
    }
    check(step, spec, readEffect, reply)
  }
}

const eventsAt = (host: Host, point: PointName): string[] =>
  Object.keys(host.events).filter((name) => host.events[name]?.point === point)

function readStep(host: Host, event: string, payload: string): HostStep {
  const read = host.readPayload(event, payload, {})
  if (isUnreadable(read)) assert.fail(`${event}: ${read.unreadable}`)
  return read
}

function isStoppable(point: PointName): boolean {
  const spec: PointSpec = POINTS[point]
  return spec.canAbort && spec.blockMeans === undefined
}

function blocked(step: HostStep): Outcome {
  const spec: PointSpec = POINTS[step.point]
  const control = spec.blockMeans ?? 'stop'
  const texts = { hook: 'guard', reason: 'it destroys work', suggestion: 'use the safe way' }
  return buildOutcome(step, { decision: 'block', blocked: true, control, ...texts })
}

function held(step: HostStep): Outcome {
  return { ...blocked(step), decision: 'ask', control: 'stop' }
}

function buildOutcome(step: HostStep, fields: Partial<Outcome>): Outcome {
  return { decision: 'pass', blocked: false, control: 'proceed', data: step.data, metadata: {}, ...fields }
}
