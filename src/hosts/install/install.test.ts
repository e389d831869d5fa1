// Edits of other people's files: as text, with properties over all kinds of layout, and on a real disk.

import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { parse } from 'jsonc-parser'
import { describe, expect, it } from 'vitest'
import { makeTempFolder } from '../../../test/temp-folder.ts'
import { HOSTS } from '../list.ts'
import { applyChanges, readTexts } from './apply.ts'
import { commandInLine, hookLine } from './command-line.ts'
import { unifiedDiff } from './diff.ts'
import type { InstallFile, InstallTarget } from './install-file.ts'
import { backupPath, type InstallPlan, pathsToRead, planInstall, planUninstall } from './plan.ts'
import { readToml } from './toml-text.ts'

const OPTIONS = { command: '/opt/arc/bin/arc' }
const PLACE: InstallTarget = { scope: 'project', dir: '/p', env: {} }

function fileOf(host: keyof typeof HOSTS, index = 0): InstallFile {
  return HOSTS[host].install.files(PLACE)[index] as InstallFile
}

function added(file: InstallFile, text: string | undefined, command = OPTIONS.command): string {
  const after = file.add(text, { command })
  if (typeof after !== 'string') throw new Error(after.message)
  return after
}

// JSON as people lay it out: comments, trailing commas, tabs, any spacing.
const gap = fc.constantFrom('', ' ', '\n', '\n\t', '\r\n  ', ' /* a */ ', ' // b\n')
const scalar = fc
  .oneof(fc.integer(), fc.string(), fc.boolean(), fc.constant(null))
  .map((value) => JSON.stringify(value))

function listOf(items: fc.Arbitrary<string>, open: string, close: string): fc.Arbitrary<string> {
  return fc
    .tuple(fc.array(fc.tuple(gap, items, gap), { maxLength: 3 }), gap, fc.boolean())
    .map(([parts, last, trailing]) => {
      const body = parts.map(([a, item, b]) => `${a}${item}${b}`).join(',')
      return `${open}${body}${trailing && parts.length > 0 ? ',' : ''}${last}${close}`
    })
}

const group = fc.constantFrom(
  '{"hooks":[{"type":"command","command":"own.sh"}]}',
  '{ "matcher": "Bash", "hooks": [ ] }',
)
const eventName = fc.constantFrom('"PreToolUse"', '"Stop"', '"Custom"')
const nonEmptyGroups = fc.tuple(gap, group, gap).map(([a, item, b]) => `[${a}${item}${b}]`)
const document = fc
  .tuple(
    gap,
    fc
      .uniqueArray(eventName, { maxLength: 3 })
      .chain((names) =>
        fc.tuple(
          ...names.map((name) =>
            fc.tuple(gap, fc.oneof(listOf(group, '[', ']'), nonEmptyGroups)).map(([a, list]) => `${name}:${a}${list}`),
          ),
        ),
      ),
    fc.option(scalar, { nil: undefined }),
    gap,
  )
  .map(([a, events, other, b]) => {
    const hooks = `"hooks": {${a}${(events as string[]).join(`,${b}`)}${a}}`
    return `${a}{${b}${[other === undefined ? undefined : `"other": ${other}`, hooks].filter(Boolean).join(`,${a}`)}${b}}${a}`
  })

describe('a JSON file', () => {
  const file = fileOf('claude')

  it('keeps every byte that was there, in order, and gains only what is ARC’s', () => {
    fc.assert(
      fc.property(document, (text) => {
        const after = added(file, text)
        let at = 0
        for (const char of after) if (char === text[at]) at++
        expect(at).toBe(text.length)
        const value = parse(after) as { hooks: Record<string, { hooks: { command: string }[] }[]> }
        expect(value.hooks.PreToolUse?.at(-1)?.hooks[0]?.command).toBe('/opt/arc/bin/arc hook claude')
      }),
    )
  })

  it('is the same after a second installation', () => {
    fc.assert(fc.property(document, (text) => added(file, added(file, text)) === added(file, text)))
  })

  it('is restored to the byte with its backup', () => {
    fc.assert(
      fc.property(document, (text) => {
        const texts = new Map([
          [file.path, added(file, text)],
          [backupPath(file.path), text],
        ])
        const plan = planUninstall(HOSTS.claude, PLACE, texts)
        expect(plan.files).toContainEqual({ path: file.path, before: texts.get(file.path), after: text })
      }),
    )
  })

  it("keeps the user's meaning without a backup, and is free of ARC", () => {
    fc.assert(
      fc.property(document, (text) => {
        const rest = file.remove(added(file, text))
        if (typeof rest !== 'string') return rest === undefined
        expect(file.has(rest)).toBe(false)
        expect(withoutEmpty(parse(rest))).toEqual(withoutEmpty(parse(text)))
        return true
      }),
    )
  })

  it('keeps what the user changed since, when ARC leaves', () => {
    const mine = '{\n  "hooks": {\n    "Stop": [{ "hooks": [{ "type": "command", "command": "mine" }] }]\n  }\n}\n'
    const edited = added(file, mine).replace('"mine"', '"mine --louder"')
    const texts = new Map([
      [file.path, edited],
      [backupPath(file.path), mine],
    ])
    const [change, backup] = planUninstall(HOSTS.claude, PLACE, texts).files
    expect(change?.after).toBe(mine.replace('"mine"', '"mine --louder"'))
    expect(backup).toMatchObject({ path: backupPath(file.path), after: undefined })
  })

  it('follows when arc moves, without a second line', () => {
    const moved = added(file, added(file, undefined), '/new place/arc')
    expect(moved).not.toContain('/opt/arc')
    expect(moved).toBe(added(file, undefined, '/new place/arc'))
  })

  it("takes only ARC's line out of a group that the user made of it", () => {
    const text =
      '{"hooks":{"Stop":[{"matcher":"x","hooks":[{"type":"command","command":"mine"},{"type":"command","command":"/old/arc hook claude"}]}]}}'
    expect(file.remove(text)).toBe('{"hooks":{"Stop":[{"matcher":"x","hooks":[{"type":"command","command":"mine"}]}]}}')
    expect(added(file, text)).toContain('"mine"},{"type":"command","command":"/opt/arc/bin/arc hook claude"}')
  })

  it.each([
    ['{"a": }', 1, 7],
    ['{\n  "hooks": [1]\n}', 2, 12],
    ['{"hooks": {"PreToolUse": {}}}', 1, 26],
    ['[]', 1, 1],
    ['{"a": 1', 1, 8],
  ])('%j is left alone, with the place of what is wrong', (text, line, column) => {
    const plan = planInstall(HOSTS.claude, PLACE, new Map([[file.path, text]]), OPTIONS)
    expect(plan).toMatchObject({ files: [], changed: false, problems: [{ path: file.path, line, column }] })
  })

  it('that cannot be read but holds our line is a problem for uninstall, not "nothing there"', () => {
    const broken = `${added(file, undefined)}}`
    expect(planUninstall(HOSTS.claude, PLACE, new Map([[file.path, broken]])).problems).toHaveLength(1)
  })
})

function withoutEmpty(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const { hooks = {}, ...rest } = value as { hooks?: Record<string, unknown[]> }
  return { ...rest, hooks: Object.fromEntries(Object.entries(hooks).filter(([, list]) => list.length > 0)) }
}

describe("Codex's config.toml", () => {
  const toml = fileOf('codex', 1)
  const OWN = '[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "mine"\n'

  const line = fc.constantFrom(
    ...[
      'a = 1',
      '# c',
      '',
      '[t]',
      'x.y = "z # no"',
      "s = '''\n[hooks]\n'''",
      'l = [ 1,\n # c ]\n 2 ]',
      '[[hooks.Stop]]',
    ],
    ...['m = """\n# >>> arc\n"""', '[hooks.state."/p/.codex/hooks.json:stop:0:0"]', '"quoted key" = { a = "}" }'],
  )
  const text = fc
    .tuple(fc.array(line, { maxLength: 8 }), fc.constantFrom('\n', '\r\n'), fc.boolean())
    .map(([lines, eol, isWhole]) => lines.join('\n').replaceAll('\n', eol) + (isWhole ? eol : ''))

  it('gains one block and loses it again to the byte', () => {
    fc.assert(
      fc.property(text, (before) => {
        // Some of these are no TOML at all: those are refused.
        const after = toml.add(before, OPTIONS)
        if (typeof after !== 'string') return
        expect(after.startsWith(before)).toBe(true)
        expect(toml.remove(after) ?? '').toBe(before)
        expect(toml.add(after, OPTIONS)).toBe(after)
        expect('message' in readToml(after)).toBe(false)
      }),
    )
  })

  it('is chosen only by those who have their hooks there', () => {
    const paths = (texts: [string, string][]): string[] =>
      planInstall(HOSTS.codex, PLACE, new Map(texts), OPTIONS).files.map(({ path }) => path)
    expect(paths([])).toEqual(['/p/.codex/hooks.json'])
    expect(paths([['/p/.codex/config.toml', '[hooks.state."x"]\ntrusted_hash = "y"\n']])).toEqual([
      '/p/.codex/hooks.json',
    ])
    expect(paths([['/p/.codex/config.toml', OWN]])).toEqual([
      '/p/.codex/config.toml.arc-backup',
      '/p/.codex/config.toml',
    ])
    expect(
      paths([
        ['/p/.codex/config.toml', OWN],
        ['/p/.codex/hooks.json', '{}'],
      ]),
    ).toContain('/p/.codex/hooks.json')
  })

  it('keeps what Codex writes behind the block', () => {
    const trusted = `${added(toml, OWN)}[hooks.state."k"]\ntrusted_hash = "h"\n`
    expect(added(toml, trusted, '/moved/arc')).toContain('"/moved/arc hook codex"')
    expect(toml.remove(added(toml, trusted, '/moved/arc'))).toBe(`${OWN}[hooks.state."k"]\ntrusted_hash = "h"\n`)
  })

  it.each([
    ['[hooks]\nStop = []\n', 2, 1],
    ['a = "open\n', 1, 5],
    ['[t\n', 1, 3],
    ['a = [1,\n', 2, 1],
    ['a b = 1', 1, 3],
  ])('%j is refused with its place', (given, line, column) => {
    expect(toml.add(given, OPTIONS)).toMatchObject({ line, column })
  })
})

describe('E4 events that are registered on demand', () => {
  const LINES = [
    ['claude', 0, ['PostToolBatch']],
    ['qwen', 0, ['PostToolBatch']],
    ['codex', 0, ['PreModelRequest']],
    ['codex', 1, ['PreModelRequest']],
    ['gemini', 0, ['BeforeModel', 'AfterModel']],
  ] as const
  const add = (file: InstallFile, text: string | undefined, onDemand?: readonly string[]): string => {
    const after = file.add(text, { ...OPTIONS, onDemand })
    if (typeof after !== 'string') throw new Error(after.message)
    return after
  }

  it.each(LINES)('%s %i: are added later, stay, and go with the others', (host, index, names) => {
    const file = fileOf(host, index)
    const first = add(file, undefined)
    for (const name of names) expect(first).not.toContain(name)
    const later = add(file, first, names)
    expect(file.eventsIn?.(later)).toEqual([...(file.eventsIn?.(first) ?? []), ...names])
    expect(add(file, later)).toBe(later)
    expect(add(file, later, names)).toBe(later)
    expect(file.remove(later)).toBe(file.remove(first))
  })

  it.each(LINES)(
    '%s %i: uninstall restores every layout to the byte, in whatever order they came',
    (host, index, names) => {
      const file = fileOf(host, index)
      const before = index === 0 ? document : fc.constantFrom('', 'model = "x"', 'model = "x"\r\n[a]\r\n')
      const property = fc.property(before, fc.shuffledSubarray([...names]), (text, order) => {
        let texts = new Map<string, string | undefined>([[file.path, text]])
        const apply = ({ files }: InstallPlan): void => {
          texts = new Map([...texts, ...files.map(({ path, after }) => [path, after] as const)])
        }
        // Without a choice of the file: Codex has two.
        const one = {
          ...HOSTS[host],
          install: { ...HOSTS[host].install, files: () => [file], choose: undefined },
        } as never
        for (const onDemand of [[], ...order.map((name) => [name])]) {
          const plan = planInstall(one, PLACE, texts, { ...OPTIONS, onDemand })
          if (plan.problems.length > 0) return
          apply(plan)
        }
        apply(planUninstall(one, PLACE, texts))
        expect([...texts].filter(([, left]) => left !== undefined)).toEqual([[file.path, text]])
      })
      fc.assert(property, { numRuns: 60 })
    },
  )
})

describe("Kimi Code's config.toml", () => {
  const [toml] = HOSTS.kimi.install.files({ scope: 'user', dir: '/p', env: {} }) as [InstallFile]
  const table = fc.constantFrom(
    ...[
      '[[hooks]]\nevent = "Stop"\ncommand = "mine"\n',
      '[models.a]\nmodel = "a"\n',
      '[[hooks]]\ncommand = "b hook kimi"\n',
    ],
    ...[
      '[providers."x.y"]\nkey = "[[hooks]]"\n',
      "[t]\ntext = '''\n[[hooks]]\ncommand = \"/opt/arc hook kimi\"\n'''\n",
    ],
  )
  const tables = fc.tuple(fc.array(table, { maxLength: 4 }), fc.array(table, { maxLength: 4 }))

  it('finds its hooks again when Kimi Code wrote the file anew, without comments', () => {
    fc.assert(
      fc.property(tables, ([before, behind]) => {
        const after = `${added(toml, before.join(''))}${behind.join('')}`
        const anew = after.replace(/^#.*\n/gm, '').replaceAll(' = ', '=')
        expect(toml.has(anew)).toBe(true)
        expect(toml.add(anew, OPTIONS)).toBe(anew)
        const rest = [...before, ...behind].join('').replaceAll(' = ', '=')
        expect(toml.remove(anew) ?? '').toBe(rest)
        expect(toml.has(rest)).toBe(false)
        expect(toml.remove(added(toml, anew, '/moved/arc')) ?? '').toBe(rest)
      }),
    )
  })

  it('is refused where hooks are one value, and for a project', () => {
    expect(toml.add('hooks = []\n', OPTIONS)).toMatchObject({ line: 1, column: 1 })
    const { problems } = planInstall(HOSTS.kimi, { scope: 'project', dir: '/p', env: {} }, new Map(), OPTIONS)
    expect(problems).toMatchObject([{ message: expect.stringContaining('arc install kimi --user') }])
  })
})

describe('the line', () => {
  it.each([
    ['/opt/arc/bin/arc', '/opt/arc/bin/arc hook claude'],
    ["/it's here/arc", `'/it'\\''s here/arc' hook claude`],
    ['C:\\Program Files\\arc.cmd', '"C:\\Program Files\\arc.cmd" hook claude'],
  ])('for %s is quoted for its shell, and known again', (command, line) => {
    expect(hookLine(command, 'claude')).toBe(line)
    expect(commandInLine(line, 'claude')).toBe(command)
  })

  it.each(['echo hook claude', '/usr/bin/march hook claude', '/opt/arc hook codex', '/opt/arc hooks claude'])(
    '%s is not taken for ours',
    (line) => expect(commandInLine(line, 'claude')).toBeUndefined(),
  )
})

describe('Cline', () => {
  it('goes to its other folder where the user has a hook, and never overwrites a file', () => {
    const taken = new Map([['/p/.clinerules/hooks/PreToolUse', '#!/bin/sh\nmine\n']])
    const plan = planInstall(HOSTS.cline, PLACE, taken, OPTIONS)
    expect(plan.files.map(({ path }) => path)).toContain('/p/.cline/hooks/PreToolUse.sh')
    taken.set('/p/.cline/hooks/PreToolUse.sh', 'mine too')
    expect(planInstall(HOSTS.cline, PLACE, taken, OPTIONS).problems[0]?.message).toMatch(/ARC did not write/)
  })
})

describe('on a disk', () => {
  function site(): { dir: string; place: InstallTarget; plan: () => InstallPlan; undo: () => InstallPlan } {
    const dir = makeTempFolder('arc-install-')
    const place: InstallTarget = { scope: 'project', dir, env: {} }
    const host = HOSTS.claude
    const texts = () => readTexts(pathsToRead(host, place))
    return {
      dir,
      place,
      plan: () => planInstall(host, place, texts(), OPTIONS),
      undo: () => planUninstall(host, place, texts()),
    }
  }

  it('a new file and its folder go as they came', () => {
    const { dir, place, plan, undo } = site()
    applyChanges(plan().files, place)
    expect(readdirSync(join(dir, '.claude'))).toEqual(['settings.json'])
    applyChanges(undo().files, place)
    expect(readdirSync(dir)).toEqual([])
  })

  it('mode and link of the file are kept, and the backup is as private', () => {
    const { dir, place, plan, undo } = site()
    mkdirSync(join(dir, '.claude'))
    mkdirSync(join(dir, 'dotfiles'))
    const real = join(dir, 'dotfiles', 'claude.json')
    const link = join(dir, '.claude', 'settings.json')
    writeFileSync(real, '{"secret": 1}')
    chmodSync(real, 0o600)
    symlinkSync(real, link)
    applyChanges(plan().files, place)
    expect(lstatSync(link).isSymbolicLink()).toBe(true)
    expect(readFileSync(real, 'utf8')).toContain('hook claude')
    expect([statSync(real).mode & 0o777, statSync(backupPath(link)).mode & 0o777]).toEqual([0o600, 0o600])
    applyChanges(undo().files, place)
    expect(readFileSync(real, 'utf8')).toBe('{"secret": 1}')
    expect(existsSync(backupPath(link))).toBe(false)
  })

  it('a file that changed since the plan was made is left alone', () => {
    const { dir, place, plan } = site()
    mkdirSync(join(dir, '.claude'))
    const { files } = plan()
    writeFileSync(join(dir, '.claude', 'settings.json'), '{"mine": 1}')
    expect(() => applyChanges(files, place)).toThrow(/changed by somebody else/)
    expect(readFileSync(join(dir, '.claude', 'settings.json'), 'utf8')).toBe('{"mine": 1}')
  })

  it('what cannot be finished is undone', () => {
    const { dir, place } = site()
    writeFileSync(join(dir, 'a'), 'old')
    writeFileSync(join(dir, 'blocker'), '')
    const changes = [
      { path: join(dir, 'a'), before: 'old', after: 'new' },
      { path: join(dir, 'blocker', 'b'), before: undefined, after: 'new' },
    ]
    expect(() => applyChanges(changes, place)).toThrow(/Nothing was changed/)
    expect(readFileSync(join(dir, 'a'), 'utf8')).toBe('old')
    expect(readdirSync(dir).sort()).toEqual(['a', 'blocker'])
  })

  it('folders with other things in them stay', () => {
    const { dir, place, plan, undo } = site()
    applyChanges(plan().files, place)
    writeFileSync(join(dir, '.claude', 'agents.md'), '')
    applyChanges(undo().files, place)
    expect(readdirSync(join(dir, '.claude'))).toEqual(['agents.md'])
  })
})

describe('the diff', () => {
  it('shows added lines with their surroundings and the lack of a last newline', () => {
    expect(unifiedDiff('f', 'a\nb\nc', 'a\nx\nb\nc')).toBe(
      '--- f\n+++ f\n@@ -1,3 +1,4 @@\n a\n+x\n b\n c\n\\ No newline at end of file\n',
    )
    expect(unifiedDiff('f', undefined, 'a\n')).toBe('--- /dev/null\n+++ f\n@@ -0,0 +1,1 @@\n+a\n')
    expect(unifiedDiff('f', 'a', 'a')).toBe('')
  })

  it('can be read back: its lines make both texts', () => {
    const lines = fc
      .array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 12 })
      .map((all) => all.map((l) => `${l}\n`).join(''))
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const body = unifiedDiff('f', before, after).split('\n').slice(2)
        const side = (mark: string) =>
          body.filter((l) => l.startsWith(mark) || l.startsWith(' ')).map((l) => l.slice(1))
        const isPart = (part: string[], whole: string) => {
          let at = 0
          for (const l of whole.split('\n')) if (l === part[at]) at++
          return at === part.length
        }
        expect(isPart(side('-'), before) && isPart(side('+'), after)).toBe(true)
        const count = (mark: string) => body.filter((l) => l.startsWith(mark)).length
        expect(count('+') - count('-')).toBe(after.split('\n').length - before.split('\n').length)
      }),
    )
  })
})
