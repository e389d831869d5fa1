import { describe, expect, it } from 'vitest'
import { fileArguments, isToolNamed, TOOLS, toolClass } from './tools.ts'

describe('the class of a tool', () => {
  it.each([
    ['Bash', 'shell'],
    ['run_shell_command', 'shell'],
    ['shell', 'shell'],
    ['Edit', 'write'],
    ['apply_patch', 'write'],
    ['write_file', 'write'],
    ['Read', 'read'],
    ['Grep', 'read'],
    ['WebFetch', 'net'],
    ['google_web_search', 'net'],
    ['Task', 'spawn'],
    ['mcp__github__push', 'mcp'],
    ['mcp_github_push', 'mcp'],
    ['MCP__GitHub__Push', 'mcp'],
    [' Bash ', 'shell'],
    ['\u200bba\u00adsh\n', 'shell'],
    ['Ｂａｓｈ', 'shell'],
    ['execute_bash', 'shell'],
    ['Execute', 'shell'],
    ['runBash', 'shell'],
    ['bash-tool', 'shell'],
    ['Run Shell Command', 'shell'],
    ['MultiEdit', 'write'],
    [' mcp__github__push', 'mcp'],
    ['BashOutput', undefined],
    ['kill_shell', undefined],
    ['unheard_of', undefined],
    ['', undefined],
    ['constructor', undefined],
  ])('D12 of %s is %s', (tool, expected) => {
    expect(toolClass(tool)).toBe(expected)
  })

  it('D12 is in the table once per name, in lower case', () => {
    const names = TOOLS.flatMap((row) => row.names)
    expect(new Set(names).size).toBe(names.length)
    expect(names.filter((name) => name !== name.toLowerCase())).toEqual([])
  })
})

it.each([
  ['mcp__fs__read', { uri: 'file:///a%20b/c' }, ['/a b/c']],
  ['mcp__fs__read', { uri: 'file://localhost/a' }, ['/a']],
  ['mcp__fs__read', { uri: 'FILE:/a%zz' }, ['/a%zz']],
  ['mcp__fs__read', { input: { where: ['/a', '~/b', './c', '../d', 'e'] } }, ['/a', '~/b', './c', '../d']],
  ['unheard_of', { target: { 'file-path': 'a' } }, ['a']],
  ['unheard_of', { text: '/a', query: '/b', command: '/c x', url: '/d', xpath: '//e', note: '/f\ng' }, []],
  ['Edit', { file_path: 'a', old_string: '/b', other: '/c' }, ['a']],
])('G8 %s %j names the files %j', (tool, args, files) => {
  expect(fileArguments(args, tool)).toEqual(files)
})

describe('a name in a matcher', () => {
  it.each([
    // A class means all its tools, in every host's spelling.
    ['shell', 'Bash', true],
    ['shell', 'run_shell_command', true],
    ['SHELL', 'bash', true],
    ['shell', 'Edit', false],
    ['write', 'Edit', true],
    ['write', 'apply_patch', true],
    ['read', 'Grep', true],
    ['mcp', 'mcp__x__y', true],
    ['spawn', 'Task', true],
    ['net', 'WebFetch', true],
    // A tool means the same tool under its other names, and no other tool of the class.
    ['bash', 'run_shell_command', true],
    ['Edit', 'str_replace', true],
    ['Edit', 'Write', false],
    ['Edit', 'EDIT', true],
    ['Grep', 'search_file_content', true],
    ['Grep', 'Read', false],
    // An unknown tool means itself.
    ['deploy', 'Deploy', true],
    ['deploy', 'deployer', false],
    ['mcp__x__y', 'mcp__x__y', true],
    ['mcp__x__y', 'mcp__x__z', false],
    ['constructor', 'toString', false],
  ])('D12 %s means %s: %s', (wanted, tool, expected) => {
    expect(isToolNamed(wanted, tool)).toBe(expected)
  })
})

const PATCH = [
  '*** Begin Patch',
  '*** Update File: src/a.ts',
  '@@',
  '*** Move to: src/b.ts',
  '*** Add File: docs/new file.md\r',
  '*** Delete File: old.txt',
  '*** End Patch',
].join('\n')
const PATCHED = ['src/a.ts', 'src/b.ts', 'docs/new file.md', 'old.txt']

describe('the files of a tool call', () => {
  it.each([
    [{ file_path: 'a.ts' }, ['a.ts']],
    [{ filePath: 'a.ts' }, ['a.ts']],
    [{ path: 'a', content: 'b' }, ['a']],
    [{ notebook_path: 'n.ipynb' }, ['n.ipynb']],
    [{ TargetFile: 'a' }, ['a']],
    [{ absolute_path: '/a' }, ['/a']],
    [{ source: 'a', destination: 'b' }, ['a', 'b']],
    [{ paths: ['a', 'b'] }, ['a', 'b']],
    [{ files: [{ path: 'a' }, { path: 'b' }] }, ['a', 'b']],
    [{ input: PATCH }, PATCHED],
    [{ command: ['apply_patch', PATCH] }, PATCHED],
    [{ command: `apply_patch <<'EOF'\n${PATCH}\nEOF` }, PATCHED],
    [PATCH, PATCHED],
    [{ command: 'cat a.ts' }, []],
    [{ path: 7 }, []],
    [{ path: null }, []],
    [{ files: [1, null, { name: 'a' }] }, []],
    [{}, []],
    [['a'], []],
    [null, []],
    [undefined, []],
    ['ls', []],
  ])('D12 %j', (args, files) => {
    expect(fileArguments(args)).toEqual(files)
  })
})
