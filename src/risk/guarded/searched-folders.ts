// Searches in folders that contain guarded files: whether the search pattern matches a guarded path.

import type { Guard, GuardedRoot } from '../../engine/guarded-paths.ts'
import type { Call } from '../call.ts'
import { isWithin } from '../path-class.ts'
import { wildcardFits } from './path-relation.ts'
import type { PathUse } from './path-use.ts'

const FINDERS = new Set(['find', 'gfind', 'bfs'])
const FILTERS = new Set(['fd', 'fdfind', 'locate', 'plocate', 'mlocate'])
const GREPS = new Set(['grep', 'egrep', 'fgrep', 'rg', 'ag', 'ack', 'zgrep'])

/** Folders that a search visits and that are not path uses of the command. */
export function searchedFolders(call: Call): PathUse[] {
  if (!FILTERS.has(call.name)) return []
  const { span } = call.command
  const folders = call.name.startsWith('fd')
    ? call.operands.slice(1)
    : [{ text: '/', isKnown: true, isGlob: false, span }]
  return folders.map((file) => ({ kind: 'list', file }))
}

/** Whether the search in this folder may find a guarded file. */
export function findsGuarded(call: Call, folder: string, guard: Guard): boolean {
  if (GREPS.has(call.name)) return true
  const isFilter = FILTERS.has(call.name)
  if (!isFilter && !FINDERS.has(call.name)) return false
  const patterns = isFilter ? call.operands.slice(0, 1).map(({ text }) => `*${text}*`) : readPatterns(call)
  const below = guard.roots.filter(({ kind, path }) => kind !== 'node' && isWithin(path, folder))
  return patterns.length === 0 || patterns.some((pattern) => below.some((root) => fits(pattern, root)))
}

const NAMING = new Set('-name -iname -path -ipath -wholename -iwholename -regex -iregex'.split(' '))

// The patterns of `-name` and similar tests, without negated tests.
function readPatterns({ command: { args } }: Call): string[] {
  return args.flatMap(({ text }, index) => {
    const before = args[index - 1]?.text
    const pattern = args[index + 1]?.text
    if (!NAMING.has(text) || before === '!' || before === '-not' || pattern === undefined) return []
    return [text.endsWith('regex') ? pattern.replaceAll('.*', '*').replaceAll('\\', '') : pattern]
  })
}

// Whether the pattern matches the whole path or one of its last two parts.
function fits(pattern: string, { path }: GuardedRoot): boolean {
  const lower = pattern.toLowerCase()
  const whole = path.toLowerCase()
  return (
    wildcardFits(lower, whole) ||
    whole
      .split('/')
      .slice(-2)
      .some((part) => wildcardFits(lower, part))
  )
}
