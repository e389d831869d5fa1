import { describe, expect, it } from 'vitest'
import { parseText } from './parse-text.ts'
import { formatProblem } from './problem.ts'
import { type FileKind, toJsonSchema } from './schema.ts'
import { validate } from './validate.ts'

const CONTRACT = `{
  // strict
  "name": "strict-profile", "tool": "claude", "enforcement": "enforce",
  "hooks": { "errorBehavior": "log", "timeout": 5000, "maxHooksPerPoint": 50,
             "risk-detection": { "enabled": true, "timeout": 10000 }, "interagent-routing": { "enabled": false } },
  "commands": [ { "name": "lint", "event": "pre_tool_use", "matcher": "bash", "command": "./check.sh {tool_name}", "timeout_secs": 10, "blocking": true, "onError": "abort" } ],
  "breaker": { "failureThreshold": 3, "cooldownMs": 60000 }, "risk": { "floor": true }, "scripts": [ "hooks.arma" ],
}`

function check(text: string, file = 'p.json', kind: FileKind = 'profile') {
  const { parsed, problems } = parseText(file, text)
  return parsed === undefined ? { problems } : validate(parsed, kind)
}

const complaints = (text: string, file = 'p.json', kind: FileKind = 'profile') =>
  (check(text, file, kind).problems ?? []).map(formatProblem)

describe('the schema', () => {
  it('C1 accepts the documented profile, comments and trailing comma included', () => {
    const { valid } = check(CONTRACT) as ReturnType<typeof validate>
    expect(valid?.settings).toMatchObject({
      enforcement: 'enforce',
      hooks: { timeout: 5000, 'risk-detection': { enabled: true, timeout: 10000 } },
      commands: [
        { name: 'lint', point: 'pre:tool', tool: 'bash', timeoutMs: 10_000, blocking: true, onError: 'abort' },
      ],
      risk: { floor: true },
    })
  })

  it('C1 accepts the hooks block of YAML as it is written in the source', () => {
    const text =
      'enforcement: off\nhooks:\n  errorBehavior: log    # skip | abort | log\n  timeout: 5000\n  maxHooksPerPoint: 50\n'
    const { valid } = check(text, 'p.yaml') as ReturnType<typeof validate>
    expect(valid?.settings).toMatchObject({ enforcement: 'off', hooks: { errorBehavior: 'log', maxHooksPerPoint: 50 } })
  })

  it('C1 takes warn as advise and fills in the defaults of a command', () => {
    const { valid } = check('{"enforcement":"warn","commands":[{"event":"PreToolUse","command":"x"}]}') as ReturnType<
      typeof validate
    >
    expect(valid?.settings.enforcement).toBe('advise')
    expect(valid?.settings.commands).toEqual([
      { command: 'x', point: 'pre:tool', tool: undefined, timeoutMs: 10_000, blocking: false, critical: false },
    ])
  })

  it.each([
    ['an unknown key', '{\n  "enforcment": "enforce"\n}', 'p.json:2:3: There is no key "enforcment" in a profile file'],
    ['its suggestion', '{ "enforcment": "x" }', 'Did you mean "enforcement"?'],
    [
      'a wrong value',
      '{\n "enforcement": "enforced" }',
      'p.json:2:17: enforcement: expected one of off, log, advise, enforce, warn, not "enforced". Did you mean "enforce"?',
    ],
    [
      'a wrong type',
      '{"hooks":{"timeout":"5000"}}',
      'p.json:1:21: hooks.timeout: expected a number, not "5000". Write it without quotes.',
    ],
    [
      'a number for a hook',
      '{"hooks":{"timeot":5000}}',
      'hooks.timeot: expected an object, not 5000. Did you mean "timeout"?',
    ],
    ['a negative limit', '{"hooks":{"timeout":-1}}', 'hooks.timeout: expected a number greater than 0, not -1.'],
    [
      'a key of a hook',
      '{"hooks":{"risk-detection":{"enable":true}}}',
      'There is no key "enable" in hooks.risk-detection; expected one of enabled, timeout, mode, onError, options, messages. Did you mean "enabled"?',
    ],
    ['a null block', '{"hooks":null}', 'hooks: expected an object, not null.'],
    ['a list as the file', '[]', 'The file: expected an object, not [].'],
    [
      'an unknown event',
      '{"commands":[{"event":"pre_tool_us","command":"x"}]}',
      'p.json:1:23: commands[0].event: expected a point, not "pre_tool_us". Did you mean "pre_tool_use"?',
    ],
    [
      'a missing command',
      '{"commands":[{"event":"pre_tool_use"}]}',
      'p.json:1:14: commands[0].command: expected a text or a list of texts, none empty, but it is missing.',
    ],
    [
      'a matcher that cannot match',
      '{"commands":[{"event":"pre:tool","matcher":"Edit|Write","command":"x"}]}',
      'commands[0].matcher: expected a tool, a class of tools or a glob, not "Edit|Write"',
    ],
    [
      'a matcher without tools',
      '{"commands":[{"event":"session_start","matcher":"bash","command":"x"}]}',
      'commands[0].matcher: expected no matcher',
    ],
    [
      'two tools',
      '{"commands":[{"event":"pre:tool:shell","matcher":"bash","command":"x"}]}',
      'the event names the tool "shell" already',
    ],
    [
      'a built-in name',
      '{"commands":[{"name":"risk-detection","event":"pre:tool","command":"x"}]}',
      '"risk-detection" is the name of a built-in hook',
    ],
    [
      'a name given twice',
      '{"commands":[{"name":"a","event":"pre:tool","command":"x"},{"name":"a","event":"pre_tool_use","command":"y"}]}',
      'commands[1].name: the name "a" is taken at pre:tool by commands[0].',
    ],
  ])('C1 reports %s with its place', (_what, text, expected) => {
    expect(complaints(text).join('\n')).toContain(expected)
  })

  it('C1 reports every problem of a file at once, and none of the file applies', () => {
    const text = 'enforcement: nope\nrisk:\n  flor: true\nbreaker:\n  failureThreshold: 0\n'
    const result = check(text, 'p.yaml')
    expect(result).not.toHaveProperty('valid')
    expect(result.problems?.map(({ line, column, key }) => [key, line, column]).sort()).toEqual([
      ['breaker.failureThreshold', 5, 21],
      ['enforcement', 1, 14],
      ['risk.flor', 3, 3],
    ])
  })

  it('C1 knows the keys of each kind of file', () => {
    expect(complaints('{"profile":"strict"}', 'c.json', 'config')).toEqual([])
    expect(complaints('{"profile":"strict"}', 'c.json', 'project').join()).toContain('There is no key "profile"')
  })

  it('C1 publishes a JSON Schema that editors can complete from', () => {
    const schema = toJsonSchema() as { properties: Record<string, { enum?: string[] }>; additionalProperties: unknown }
    expect(schema.additionalProperties).toBe(false)
    expect(schema.properties.enforcement?.enum).toEqual(['off', 'log', 'advise', 'enforce', 'warn'])
    expect(JSON.stringify(schema)).toContain('PreToolUse')
    expect(schema.properties.hooks).toMatchObject({ additionalProperties: { type: 'object' } })
    expect(JSON.parse(JSON.stringify(toJsonSchema('project')))).toHaveProperty('title', 'ARC project')
  })
})
