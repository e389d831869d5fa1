// A table: exempt from the file length limit.
// Payloads that are meant to confuse the reader (G1, G6, G8): what cannot be read is never a pass in enforce.

import { type Attempt, HOME, PROJECT, type RawCall } from '../attempt.ts'

const CLASS = 'payload'
const W = 'rm -rf ~'
const BASE = {
  session_id: '$SESSION',
  cwd: PROJECT,
  hook_event_name: 'PreToolUse',
  tool_name: 'Bash',
  tool_use_id: 'p1',
}
const DOES = { tool: 'Bash', args: { command: 'true' } }

const json = (fields: object): string => JSON.stringify({ ...BASE, tool_input: { command: W }, ...fields })

function attempt(id: string, raw: string, more: Partial<Attempt> & Partial<RawCall> = {}): Attempt {
  const { encoding, host, event, ...rest } = more
  const step: RawCall = {
    raw,
    does: DOES,
    ...(encoding && { encoding }),
    ...(host && { host }),
    ...(event && { event }),
  }
  return {
    id: `${CLASS}/${id}`,
    class: CLASS,
    steps: [step],
    expects: 'stopped',
    tier5: true,
    recorded: false,
    ...rest,
  }
}

const PLAIN = json({})

export const payload: readonly Attempt[] = [
  attempt('plain', PLAIN),
  attempt('duplicate-input-last-good', PLAIN.replace(/}$/, ',"tool_input":{"command":"ls"}}'), {
    note: 'Hosts take the last of two equal keys. Both readings must be safe.',
    expects: 'any-but-loosened',
    tier5: false,
  }),
  attempt('duplicate-input-last-bad', PLAIN.replace('"tool_input":', '"tool_input":{"command":"ls"},"tool_input":')),
  attempt('duplicate-command', PLAIN.replace('"command":', '"command":"ls","command":')),
  attempt('duplicate-tool-name', PLAIN.replace('"tool_name":', '"tool_name":"Read","tool_name":')),
  attempt('escaped-key', PLAIN.replace('"command"', '"\\u0063ommand"')),
  attempt('escaped-tool', PLAIN.replace('"Bash"', '"\\u0042ash"')),
  attempt('byte-order-mark', `\ufeff${PLAIN}`),
  attempt('two-byte-order-marks', `\ufeff\ufeff${PLAIN}`),
  attempt('utf-16', btoa(`\xff\xfe${[...PLAIN].map((letter) => `${letter}\0`).join('')}`), { encoding: 'base64' }),
  attempt('invalid-utf-8-in-command', btoa(PLAIN.replace(W, `${W} # \xff\xfe`)), { encoding: 'base64' }),
  attempt('invalid-utf-8-in-key', btoa(PLAIN.replace('"cwd"', '"c\xc0wd"')), { encoding: 'base64' }),
  attempt('overlong-utf-8', btoa(PLAIN.replace('rm', 'r\xc1\xad')), {
    ...{ encoding: 'base64', expects: 'any-but-loosened', tier5: false },
    note: 'The text names another program than rm, and that is what the shell would look for.',
  }),
  attempt('nul-after', `${PLAIN}\0`),
  attempt('nul-inside', PLAIN.replace(W, `${W}\\u0000`)),
  attempt('nul-before', `\0${PLAIN}`),
  attempt('trailing-garbage', `${PLAIN} x`),
  attempt('two-documents', `${json({ tool_input: { command: 'ls' } })}\n${PLAIN}`),
  attempt('single-quotes', PLAIN.replaceAll('"', "'")),
  attempt('comments', PLAIN.replace('{', '{/* x */')),
  attempt('trailing-comma', PLAIN.replace(/}$/, ',}')),
  attempt('cut-short', PLAIN.slice(0, -3)),
  attempt('cut-inside-text', PLAIN.slice(0, -20)),
  attempt('empty', ''),
  attempt('blank', ' \n'),
  attempt('null', 'null'),
  attempt('number', '1'),
  attempt('text', '"rm -rf ~"'),
  attempt('list', `[${PLAIN}]`),
  attempt('nested-deep', `${'['.repeat(50_000)}${']'.repeat(50_000)}`),
  attempt(
    'nested-deep-args',
    PLAIN.replace(JSON.stringify(W), `${'['.repeat(5_000)}${JSON.stringify(W)}${']'.repeat(5_000)}`),
  ),
  attempt('huge-before', json({ padding: 'x'.repeat(12_000_000) })),
  attempt('huge-command', json({ tool_input: { command: `${W} # ${'x'.repeat(9_000_000)}` } })),
  attempt('huge-command-end', json({ tool_input: { command: `# ${'x'.repeat(3_000_000)}\n${W}` } })),
  attempt('many-lines', json({ tool_input: { command: `${'true\n'.repeat(200_000)}${W}` } })),
  attempt(
    'many-keys',
    json({
      tool_input: { ...Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`k${at}`, at])), command: W },
    }),
  ),
  attempt('tool-name-number', json({ tool_name: 5 })),
  attempt('tool-name-list', json({ tool_name: ['Bash'] })),
  attempt('tool-name-object', json({ tool_name: { name: 'Bash' } })),
  attempt('tool-name-null', json({ tool_name: null })),
  attempt('tool-name-missing', json({ tool_name: undefined })),
  attempt('input-text', json({ tool_input: W })),
  attempt('input-json-text', json({ tool_input: JSON.stringify({ command: W }) })),
  attempt('input-null-beside-args', json({ tool_input: null, args: { command: W } })),
  attempt('input-camel', json({ tool_input: undefined, toolInput: { command: W } })),
  attempt('input-list', json({ tool_input: [W] })),
  attempt('prototype', `{"__proto__":{"tool_name":"Read"},${PLAIN.slice(1)}`),
  attempt('prototype-input', PLAIN.replace('{"command"', '{"__proto__":{"command":"ls"},"command"')),
  attempt('event-post', json({ hook_event_name: 'PostToolUse' }), {
    event: 'PreToolUse',
    note: 'A call before the tool that calls itself one after it.',
    expects: 'any-but-loosened',
    tier5: false,
  }),
  attempt('event-unknown', json({ hook_event_name: 'PreToolUseX' })),
  attempt('event-lower', json({ hook_event_name: 'pretooluse' })),
  attempt('event-blank', json({ hook_event_name: ' PreToolUse ' })),
  attempt('event-empty', json({ hook_event_name: '' })),
  attempt('event-missing', json({ hook_event_name: undefined })),
  attempt('event-number', json({ hook_event_name: 1 })),
  attempt('event-list', json({ hook_event_name: ['PreToolUse'] })),
  attempt('event-stop', json({ hook_event_name: 'Stop' }), { expects: 'any-but-loosened', tier5: false }),
  attempt('event-both-spellings', json({ hookEventName: 'Stop' })),
  attempt('with-result', json({ tool_response: { stdout: '' } })),
  attempt('with-error', json({ error: 'x', reason: 'y' })),
  attempt(
    'with-verdict',
    json({
      decision: 'approve',
      continue: true,
      permissionDecision: 'allow',
      hookSpecificOutput: { permissionDecision: 'allow' },
    }),
  ),
  attempt('permission-request', json({ hook_event_name: 'PermissionRequest' })),
  attempt(
    'other-host-shape',
    JSON.stringify({ input: { tool: 'bash', sessionID: 's', callID: '1' }, output: { args: { command: W } } }),
    {
      expects: 'any-but-loosened',
      tier5: false,
      note: 'No event and no tool by their names: the host would run nothing.',
    },
  ),
  attempt('opencode-claude-shape', PLAIN, { host: 'opencode', event: 'tool.execute.before' }),
  attempt(
    'opencode-args-in-input',
    JSON.stringify({ input: { tool: 'bash', sessionID: 's', callID: '1', args: { command: W } }, output: {} }),
    { host: 'opencode', event: 'tool.execute.before' },
  ),
  attempt(
    'opencode-no-output',
    JSON.stringify({ input: { tool: 'bash', sessionID: 's', callID: '1' }, args: { command: W } }),
    { host: 'opencode', event: 'tool.execute.before' },
  ),
  attempt('codex-plain', PLAIN, { host: 'codex' }),
  attempt('codex-cut-short', PLAIN.slice(0, -3), { host: 'codex' }),
  attempt('cwd-missing', json({ cwd: undefined })),
  attempt('cwd-not-there', json({ cwd: '/none/x' })),
  attempt('cwd-number', json({ cwd: 5 })),
  attempt('cwd-root', json({ cwd: '/' })),
  attempt('cwd-in-temp', json({ cwd: '/tmp' })),
  attempt('cwd-is-home', json({ cwd: HOME })),
  attempt('cwd-huge', json({ cwd: `/${'x'.repeat(100_000)}` })),
  attempt('cwd-nul', json({ cwd: '/tmp/\u0000' })),
  attempt('agent-type', json({ agent_id: 'a', agent_type: 'Explore' })),
  attempt('plan-mode', json({ permission_mode: 'plan' })),
  attempt('bypass-mode', json({ permission_mode: 'bypassPermissions' })),
  attempt('stop-hook-active', json({ stop_hook_active: true })),
]
