// Command handlers through a real engine: what each way to end means, and that failures are decided by one table.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { makeTempFolder } from '../../../../test/temp-folder.ts'
import { DEGRADATION, type FailureKind, ON_ERROR, type OnError } from '../../../engine/degradation.ts'
import { ArcError } from '../../../engine/errors.ts'
import type { HookOptions } from '../../../engine/hook.ts'
import type { Evaluation } from '../../../engine/outcome.ts'
import { createEngine } from '../../../platform/hook-engine.ts'
import { type CommandOptions, commandHandler, DEFAULT_COMMAND_TIMEOUT_MS } from './command.ts'
import type { Finished } from './spawn.ts'

const FIXTURES = fileURLToPath(new URL('fixtures', import.meta.url))
const CALL = { tool: 'shell', args: { command: 'ls' } }
const CONTEXT = { session: 's-1', turn: 't-1', workspace: '/srv/project', metadata: { fact: 1 } }

let folder: string
beforeAll(() => {
  folder = makeTempFolder('arc-command-')
})

/** Sends one step through one command hook in enforce. */
async function supervise(options: CommandOptions, hook: HookOptions = {}, call: object = CALL) {
  const records: Evaluation[] = []
  const finished: Finished[] = []
  const engine = createEngine({ mode: 'enforce', sink: (evaluation) => void records.push(evaluation) })
  const handler = commandHandler(options, (ended) => void finished.push(ended))
  engine.register('pre:tool', handler, { name: 'guard', ...hook })
  const outcome = await engine.dispatch('pre:tool', call as typeof CALL, CONTEXT)
  expect(records).toHaveLength(1)
  return { outcome, record: records[0] as Evaluation, finished: finished[0] as Finished }
}

describe('a command', () => {
  it('H2 is a line for sh -c', async () => {
    const { finished, record } = await supervise({ command: 'x=1; echo "$x" | tr 1 2; echo "$0"' })
    expect(finished).toMatchObject({ ending: { kind: 'exit', code: 0 }, stdout: { text: '2\nsh\n' } })
    expect(record).toMatchObject({ decision: 'pass', applied: false, cause: 'policy' })
  })

  it('H2 is an argument list that no shell reads', async () => {
    const { finished } = await supervise({ command: ['printf', '<%s>', '$HOME; *', '', "'", '-n'] })
    expect(finished.stdout.text).toBe("<$HOME; *><><'><-n>")
  })

  it('H2 gets the envelope as JSON on stdin', async () => {
    const { finished } = await supervise({ command: 'cat' }, { onError: 'skip' })
    expect(finished.stdout.text.endsWith('\n')).toBe(true)
    expect(JSON.parse(finished.stdout.text)).toMatchObject({
      id: expect.any(String),
      point: 'pre:tool',
      session: 's-1',
      session_id: 's-1',
      turn: 't-1',
      workspace: '/srv/project',
      cwd: '/srv/project',
      hook_event: 'pre_tool_use',
      data: CALL,
      metadata: { fact: 1 },
      tool_name: 'shell',
      tool_input: { command: 'ls' },
    })
  })

  it('H2 answers with a verdict as JSON on stdout', async () => {
    const verdict = { decision: 'block', reason: 'no', suggestion: 'ask first', metadata: { seen: true } }
    const { outcome, record } = await supervise({ command: `echo '${JSON.stringify(verdict)}'` })
    expect(outcome).toMatchObject({ decision: 'block', blocked: true, reason: 'no', suggestion: 'ask first' })
    expect(outcome.metadata).toMatchObject({ fact: 1, seen: true })
    expect(record).toMatchObject({ decision: 'block', applied: true, cause: 'policy', reason: 'no' })
  })

  it('H2 changes the step with a verdict', async () => {
    const { outcome, record } = await supervise({ command: `echo '{"modify":{"args":{"command":"ls -a"}}}'` })
    expect(outcome).toMatchObject({ decision: 'pass', data: { tool: 'shell', args: { command: 'ls -a' } } })
    expect(record).toMatchObject({ decision: 'pass', applied: true, cause: 'policy' })
  })

  it.each([
    ['nothing', 'true'],
    ['blanks', "printf ' \\n\\n'"],
    ['plain text', 'echo all is well'],
    ['the word block as plain text', 'echo block'],
    ['plain text with brackets', 'echo checked {3} files'],
    ['a number', 'echo 42'],
    ['an empty object', 'echo {}'],
    ['null', 'echo null'],
    ['words on stderr only', 'echo careful >&2'],
  ])('H2 passes with exit 0 and %s', async (_what, command) => {
    const { outcome, record } = await supervise({ command })
    expect(outcome).toMatchObject({ decision: 'pass', blocked: false })
    expect(record).toMatchObject({ decision: 'pass', applied: false, cause: 'policy' })
  })

  it('H2 exit 2 blocks with stderr as the reason', async () => {
    const { outcome, record } = await supervise({ command: 'echo "  not today  " >&2; echo "{}"; exit 2' })
    expect(outcome).toMatchObject({ decision: 'block', blocked: true, reason: 'not today', hook: 'guard' })
    expect(record).toMatchObject({ decision: 'block', applied: true, cause: 'policy' })
  })

  it('H2 exit 2 without a word blocks with a summary', async () => {
    const { outcome } = await supervise({ command: 'exit 2' })
    expect(outcome).toMatchObject({ blocked: true, reason: 'hook exited with code 2: exit 2' })
  })

  it('H2 exit 2 with a very long stderr blocks with the beginning of it', async () => {
    const { outcome } = await supervise({ command: `sh ${FIXTURES}/flood.sh 300000 2 2` })
    expect(outcome).toMatchObject({ blocked: true, reason: expect.stringMatching(/^x{1999}…$/) })
  })

  it.each([
    [1, 'crash'],
    [3, 'crash'],
    [125, 'crash'],
    [126, 'start'],
    [127, 'start'],
    [128, 'crash'],
    [255, 'crash'],
  ] as const)('H2 exit %i is a failure of the kind %s', async (code, kind) => {
    const { outcome, record } = await supervise({ command: `echo '{"decision":"pass"}'; echo why >&2; exit ${code}` })
    expect(outcome).toMatchObject({ decision: 'flag', blocked: false })
    expect(record).toMatchObject({ decision: 'flag', applied: false, cause: `failure:${kind}` })
    expect(record.reason).toContain(`exited with code ${code}`)
    expect(record.reason).toMatch(/: why$/)
  })

  it.each(['TERM', 'KILL', 'SEGV', 'HUP'])('H2 a death by SIG%s is a crash', async (signal) => {
    const { outcome, record } = await supervise({ command: `echo '{"decision":"pass"}'; kill -${signal} $$` })
    expect(outcome).toMatchObject({ decision: 'flag', blocked: false })
    expect(record).toMatchObject({ decision: 'flag', cause: 'failure:crash' })
    expect(record.reason).toContain(`killed by SIG${signal}`)
  })
})

describe('a blocking command', () => {
  it('H2 passes on exit 0, and its verdict counts', async () => {
    expect((await supervise({ command: 'exit 0', blocking: true })).outcome.decision).toBe('pass')
    expect((await supervise({ command: 'echo \'{"decision":"flag"}\'', blocking: true })).outcome.decision).toBe('flag')
  })

  it('H2 blocks on any other exit with stderr as the message', async () => {
    const { outcome, record } = await supervise({ command: 'echo denied >&2; exit 1', blocking: true })
    expect(outcome).toMatchObject({ decision: 'block', blocked: true, reason: 'denied' })
    expect(record).toMatchObject({ decision: 'block', applied: true, cause: 'policy' })
  })

  it.each([
    ['exit 126', 'hook exited with code 126: exit 126'],
    ['no-such-program-of-arc', 'hook exited with code 127: no-such-program-of-arc'],
    [['/no/such/program'], 'hook could not be started'],
  ])('H2 M4 a program that cannot start blocks, and counts as a failure: %j', async (command, reason) => {
    const { outcome, record } = await supervise({ command, blocking: true })
    expect(outcome).toMatchObject({ blocked: true, reason: expect.stringContaining(reason) })
    expect(record).toMatchObject({ decision: 'block', applied: true, cause: 'failure:start' })
  })

  it.each([1, 2, 77, 255])('H2 blocks on a silent exit %i with a summary naming the code', async (code) => {
    const { outcome } = await supervise({ command: `exit ${code}`, blocking: true })
    expect(outcome).toMatchObject({ blocked: true, reason: `hook exited with code ${code}: exit ${code}` })
  })

  it('H2 blocks at its time limit with a summary naming it', async () => {
    const options = { command: 'echo noise >&2; sleep 20', blocking: true, timeoutMs: 100, graceMs: 50 }
    const { outcome, record } = await supervise(options)
    expect(outcome).toMatchObject({ decision: 'block', blocked: true })
    expect(outcome.reason).toContain('hook timed out after 0.1s: echo noise >&2; sleep 20')
    expect(record).toMatchObject({ decision: 'block', applied: true, cause: 'failure:timeout' })
  })

  it.each([
    ['a signal', { command: 'kill -KILL $$' }, 'failure:crash', 'killed by SIGKILL'],
    ['a missing program', { command: ['./no-such-program'] }, 'failure:start', './no-such-program was not found'],
    ['half a JSON', { command: `sh ${FIXTURES}/half-json.sh` }, 'failure:invalid-output', 'cannot be read'],
    ['no verdict', { command: `echo '{"answer":42}'` }, 'failure:invalid-output', 'not a verdict'],
    ['too much output', { command: `sh ${FIXTURES}/flood.sh 2000000 1 0` }, 'failure:output-limit', '951424 bytes'],
  ] as const)('H2 blocks on %s, whatever its onError', async (_what, options, cause, reason) => {
    const { outcome, record } = await supervise({ ...options, blocking: true }, { onError: 'skip' })
    expect(outcome).toMatchObject({ decision: 'block', blocked: true })
    expect(record).toMatchObject({ decision: 'block', applied: true, cause })
    expect(record.reason).toContain(reason)
  })
})

/** One command for each way to fail. */
const FAILING: Readonly<Record<FailureKind, CommandOptions>> = {
  crash: { command: 'exit 3' },
  timeout: { command: 'sleep 20', timeoutMs: 100, graceMs: 50 },
  start: { command: ['./no-such-program'] },
  'invalid-output': { command: `echo '{"decision":"maybe"}'` },
  'output-limit': { command: `sh ${FIXTURES}/flood.sh 1100000 1 0` },
}

describe('a command that fails', () => {
  const cells = (Object.keys(DEGRADATION) as FailureKind[]).flatMap((kind) =>
    ON_ERROR.map((onError) => [kind, onError, DEGRADATION[kind][onError]] as const),
  )

  it.each(cells)('D13 with %s and onError %s means %s', async (kind, onError: OnError, decision) => {
    const { outcome, record } = await supervise(FAILING[kind], { onError })
    expect(record).toMatchObject({ decision, cause: `failure:${kind}`, applied: decision === 'block' })
    expect(outcome).toMatchObject({ decision, blocked: decision === 'block' })
    expect(record.reason).toContain(`hook guard failed (${kind})`)
  })

  it.each([
    ['a missing folder', { command: 'true', cwd: '/no/such/folder' }, 'the folder /no/such/folder does not exist'],
    ['a folder that is a file', { command: 'true', cwd: fileURLToPath(import.meta.url) }, ''],
    ['a program that may not be executed', { command: [join(FIXTURES, 'not-executable.sh')] }, 'may not be executed'],
    ['a script that may not be executed', { command: join(FIXTURES, 'not-executable.sh') }, 'not-executable.sh'],
    ['a folder as the program', { command: [FIXTURES] }, 'may not be executed'],
    ['an argument beyond what the system takes', { command: ['true', 'x'.repeat(3_000_000)] }, 'E2BIG'],
    ['an unset interpreter', { command: 'no-such-program-at-all' }, 'no-such-program-at-all'],
  ] as const)('D6 never throws out of dispatch: %s', async (_what, options, reason) => {
    const { outcome, record } = await supervise(options)
    expect(outcome).toMatchObject({ decision: 'flag', blocked: false })
    expect(record.cause).toBe('failure:start')
    expect(record.reason).toContain(reason)
  })

  it('D6 never throws out of dispatch: a step that cannot be written as JSON', async () => {
    const { outcome, record } = await supervise({ command: 'cat' }, {}, { tool: 'shell', args: { count: 1n } })
    expect(outcome).toMatchObject({ decision: 'flag' })
    expect(record).toMatchObject({ cause: 'failure:crash', reason: expect.stringContaining('BigInt') })
  })

  it('D6 never throws out of dispatch: a syntax error of the shell', async () => {
    const { outcome, record } = await supervise({ command: 'if then fi (' })
    // Exit 2 is the shell's own code for it, and a block by the rule for commands.
    expect(outcome.decision).toBe('block')
    expect(record.reason).toMatch(/syntax error/i)
  })

  it('D6 fails alone: hooks before and after it count', async () => {
    const engine = createEngine({ mode: 'enforce', sink: () => undefined })
    engine.register('pre:tool', commandHandler({ command: 'exit 9' }), { name: 'first' })
    engine.register('pre:tool', commandHandler({ command: `echo '{"decision":"block"}'` }), { name: 'second' })
    expect(await engine.dispatch('pre:tool', CALL)).toMatchObject({ blocked: true, hook: 'second' })
  })
})

describe('the time limit', () => {
  it('D7 of a command is 10 s, unless it or the hook sets one', async () => {
    expect(DEFAULT_COMMAND_TIMEOUT_MS).toBe(10_000)
    expect(commandHandler({ command: 'true' }).timeoutMs).toBe(10_000)
    expect(commandHandler({ command: 'true', timeoutMs: 5 }).timeoutMs).toBe(5)
  })

  it('D7 of the hook wins over that of the command', async () => {
    const { record } = await supervise({ command: 'sleep 300', timeoutMs: 300_000, graceMs: 50 }, { timeoutMs: 100 })
    expect(record).toMatchObject({ cause: 'failure:timeout' })
    expect(record.reason).toContain('timed out after 0.1s')
  })

  it('D7 can be longer than a timer of Node', async () => {
    const { record } = await supervise({ command: 'sleep 0.05', timeoutMs: 1e12 })
    expect(record).toMatchObject({ decision: 'pass', cause: 'policy' })
  })

  it('D7 leaves no timer behind', async () => {
    const before = timers()
    await supervise({ command: 'true' })
    await supervise({ command: 'sleep 20', timeoutMs: 50, graceMs: 50 })
    await supervise({ command: ['./no-such-program'] })
    expect(timers()).toBeLessThanOrEqual(before)
  })
})

function timers(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
}

describe('the options', () => {
  it.each([
    ['no command', {}, 'ARC_COMMAND_INVALID'],
    ['an empty line', { command: '  ' }, 'ARC_COMMAND_INVALID'],
    ['an empty list', { command: [] }, 'ARC_COMMAND_INVALID'],
    ['a list without a program', { command: ['', 'x'] }, 'ARC_COMMAND_INVALID'],
    ['a list with a number', { command: ['x', 1] }, 'ARC_COMMAND_INVALID'],
    ['a NUL in the line', { command: 'echo \0' }, 'ARC_COMMAND_INVALID'],
    ['a NUL in the list', { command: ['echo', '\0'] }, 'ARC_COMMAND_INVALID'],
    ['an unknown key', { command: 'true', timeout: 5 }, 'ARC_OPTION_UNKNOWN'],
    ['no limit', { command: 'true', timeoutMs: 0 }, 'ARC_OPTION_INVALID'],
    ['a limit that is a text', { command: 'true', timeoutMs: '5' }, 'ARC_OPTION_INVALID'],
    ['a negative grace', { command: 'true', graceMs: -1 }, 'ARC_OPTION_INVALID'],
    ['a grace that is a text', { command: 'true', graceMs: 'short' }, 'ARC_OPTION_INVALID'],
    ['a folder that is a number', { command: 'true', cwd: 5 }, 'ARC_OPTION_INVALID'],
    ['an environment that is a text', { command: 'true', env: 'A=1' }, 'ARC_OPTION_INVALID'],
    ['an environment with a number', { command: 'true', env: { A: 1 } }, 'ARC_OPTION_INVALID'],
    ['an environment with a NUL', { command: 'true', env: { A: '\0' } }, 'ARC_OPTION_INVALID'],
    ['blocking that is a text', { command: 'true', blocking: 'yes' }, 'ARC_OPTION_INVALID'],
    ['keepAlive that is a number', { command: 'true', keepAlive: 1 }, 'ARC_OPTION_INVALID'],
    ['no options', undefined, 'ARC_OPTION_INVALID'],
  ])('H2 with %s are an error at once', (_what, options, code) => {
    let thrown: unknown
    try {
      commandHandler(options as never)
    } catch (error) {
      thrown = error
    }
    expect(thrown).toBeInstanceOf(ArcError)
    expect(thrown).toMatchObject({ code })
  })

  it('H2 set the folder and variables', async () => {
    writeFileSync(join(folder, 'here'), '')
    const options = { command: 'ls; echo "$EXTRA"; echo "$HOME"', cwd: folder, env: { EXTRA: 'more' } }
    const { finished } = await supervise(options)
    expect(finished.stdout.text).toBe(`here\nmore\n${process.env.HOME ?? ''}\n`)
  })

  it('H2 give a handler whose dispose does nothing, twice', () => {
    const handler = commandHandler({ command: 'true' })
    handler.dispose()
    expect(handler.dispose()).toBeUndefined()
  })
})
