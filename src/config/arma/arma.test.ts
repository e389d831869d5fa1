import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { COMMANDS, compileArma, fill } from './compile-script.ts'

const SEED = `hook pre:message /log debug "Sending: $prompt"
hook pre:tool:shell /perms check shellExec
hook post:agent:complete /notify "Agent $agent finished"
`

const errors = (text: string) =>
  compileArma(text).errors.map(({ line, column, message }) => `${line}:${column} ${message}`)
const args = (text: string) => compileArma(text).hooks[0]?.args.map((template) => fill(template, (name) => `<${name}>`))

describe('.arma', () => {
  it("C4 compiles the source's three lines", () => {
    const { ok, hooks } = compileArma(SEED)
    expect(ok).toBe(true)
    expect(hooks.map(({ point, tool, command, position }) => [point, tool, command, position.line])).toEqual([
      ['pre:message', undefined, 'log', 1],
      ['pre:tool', 'shell', 'perms', 2],
      ['post:agent:complete', undefined, 'notify', 3],
    ])
    expect(hooks[0]?.args).toEqual([[{ text: 'debug' }], [{ text: 'Sending: ' }, { variable: 'prompt' }]])
    expect(fill(hooks[2]?.args[0] ?? [], (name) => (name === 'agent' ? 'ada' : undefined))).toBe('Agent ada finished')
  })

  it.each([
    ['double quotes with variables', 'hook pre:message /log "a $b c"', ['a <b> c']],
    ['single quotes as they are', `hook pre:message /log 'a $b "c" \\n'`, ['a $b "c" \\n']],
    ['escapes', 'hook pre:message /log "\\"q\\" \\$b \\\\ \\n"', ['"q" $b \\ \n']],
    ['escapes outside quotes', 'hook pre:message /log a\\ b \\#c', ['a b', '#c']],
    ['dotted and braced variables', `hook pre:message /log $agent.name $\{a.b}c`, ['<agent.name>', '<a.b>c']],
    ['a dollar that names nothing', 'hook pre:message /log $5 $ a$', ['$5', '$', 'a$']],
    ['a channel', 'hook pre:message /notify #alerts "hi"', ['#alerts', 'hi']],
    ['a comment after the words', 'hook pre:message /log hi # note "', ['hi']],
    ['pieces of a word', `hook pre:message /log a"b c"'d'`, ['ab cd']],
    ['an empty argument', 'hook pre:message /log ""', ['']],
    ['a continued line', 'hook pre:message \\\n  /log "a \\\nb"', ['a b']],
    ['lines of Windows', 'hook pre:message /log hi\r\n', ['hi']],
    ['a program', 'hook pre:tool /run ./check.sh "$tool"', ['./check.sh', '<tool>']],
  ])('C4 reads %s', (_what, text, expected) => {
    expect(errors(text)).toEqual([])
    expect(args(text)).toEqual(expected)
  })

  it('C4 refuses more variables than a script can need, at the place of the first one too many', () => {
    const script = '/set $a b\nhook pre:tool /log x\n'
    expect(errors(script.repeat(500))).toEqual([])
    expect(errors(script.repeat(7_000))).toEqual(['1001:1 A script may /set at most 500 variables.'])
  })

  it('C4 knows every command that is documented', () => {
    const lines = [
      '/log x',
      '/notify x',
      '/perms check x',
      '/block',
      '/flag why',
      '/ask "sure?"',
      '/set args x',
      '/run x',
    ]
    const { hooks } = compileArma(lines.map((line) => `hook pre_tool_use ${line}`).join('\n'))
    expect(hooks.map(({ command }) => command)).toEqual(Object.keys(COMMANDS))
  })

  it('C4 gives variables a value for the lines after it', () => {
    const { hooks } = compileArma('hook pre:message /log $c\n/set $c "#ops" now\nhook pre:message /notify $c hi')
    expect(hooks.map(({ variables }) => variables.map(({ name, value }) => [name, fill(value, () => '')]))).toEqual([
      [],
      [['c', '#ops now']],
    ])
  })

  it.each([
    ['hook pre:mesage /log x', '1:6 There is no point "pre:mesage". Did you mean "pre:message"?'],
    [
      '\n  hook pre:tool /lgo x',
      '2:17 Expected one of /log /notify /perms /block /flag /ask /set /run, not "/lgo". Did you mean "/log"?',
    ],
    [
      'hok pre:tool /log x',
      '1:1 Expected hook <point> /command … or /set $name value, not "hok". Did you mean "hook"?',
    ],
    ['hook', '1:1 Expected a point after hook'],
    ['hook pre:tool', '1:6 Expected a /command after the point'],
    ['hook pre:tool /log', '1:15 Expected /log [debug|info|warn|error] message.'],
    ['hook pre:tool /log "open', '1:20 Expected a closing " before the end of the line.'],
    ["hook pre:tool /log 'open\nhook pre:tool /log x", "1:20 Expected a closing ' before the end of the line."],
    ['hook pre:tool /log ${a', '1:20 Expected a name in braces'],
    ['hook pre:tool /log x\\', '1:21 Expected a character after the backslash.'],
    ['hook $point /log x', '1:6 Expected the name of a point, not "$point".'],
    ['hook pre:tool /perms grant x', '1:22 Expected check, not "grant"'],
    [
      'hook pre:tool /set arg x',
      '1:20 "arg" cannot be changed at pre:tool; there can be changed: args. Did you mean "args"?',
    ],
    ['hook post:git:write /set content x', 'there nothing can be changed.'],
    [
      'hook pre:tool /set $permissions shellExec',
      '1:20 A hook cannot grant permissions to other hooks; as a line without hook, /set $permissions NAME adds',
    ],
    ['/log hi', '1:1 A command belongs to a hook: expected hook <point> /log ….'],
    ['/set x 1', '1:6 Expected a variable after /set'],
    ['/set $x', '1:6 Expected a value for $x.'],
  ])('C4 says where %j is wrong', (text, expected) => {
    expect(errors(text).join('\n')).toContain(expected)
  })

  it('C4 reports every error in order, and a script with errors has no hooks', () => {
    const result = compileArma(`${SEED}hook nowhere /log x\nhook pre:tool /log "\nhook pre:tool /nope`)
    expect(result).toMatchObject({ ok: false, hooks: [] })
    expect(result.errors.map(({ line }) => line)).toEqual([4, 5, 6])
  })

  it('C4 never throws, and every place is inside the text', () => {
    const piece = fc.constantFrom(
      ...[
        'hook',
        ' ',
        ' ',
        '\n',
        'pre:tool',
        ':shell',
        '/log',
        '/set',
        '/perms check',
        '$x',
        '${',
        '}',
        '"',
        "'",
        '\\',
        '#',
        '\r',
        'é',
        '/run',
        '__proto__',
      ],
    )
    const script = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(piece, { maxLength: 30 }).map((parts) => parts.join('')),
    )
    fc.assert(
      fc.property(script, (text) => {
        const result = compileArma(text)
        const lines = text.split('\n')
        for (const { line, column } of [...result.errors, ...result.hooks.map(({ position }) => position)]) {
          expect(line >= 1 && line <= lines.length).toBe(true)
          expect(column >= 1 && column <= (lines[line - 1] ?? '').length + 1).toBe(true)
        }
        expect(result.ok).toBe(result.errors.length === 0)
      }),
      { numRuns: 1_500 },
    )
  })

  it('C4 reads a long script in a moment', () => {
    expect(compileArma(SEED.repeat(5_000)).hooks).toHaveLength(15_000)
  })
})
