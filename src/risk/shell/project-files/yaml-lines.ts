// The scalars of a YAML file with their paths and positions, line by line: enough for task files and compose files. Anchors,
// tags and flow mappings are not followed.

/** One scalar: `tasks/build/cmds/0`. */
export interface YamlScalar {
  readonly path: readonly string[]
  readonly value: string
  readonly start: number
  readonly end: number
}

interface Level {
  readonly indent: number
  readonly path: readonly string[]
  items: number
}

const LINE = /^( *)((?:- +)*)(?:("[^"]*"|'[^']*'|[^\s#:"'[{][^:#]*?)\s*:(?=\s|$)\s*)?(.*)$/
const MAX_SCALARS = 2_000

/** All scalars in order. */
export function readYamlScalars(text: string): readonly YamlScalar[] {
  const lines = text.split('\n')
  const found: YamlScalar[] = []
  const levels: Level[] = [{ indent: -1, path: [], items: 0 }]
  let start = 0
  for (let at = 0; at < lines.length && found.length < MAX_SCALARS; at++) {
    const line = lines[at] ?? ''
    const match = /^\s*(?:#|---|$)/.test(line) ? null : LINE.exec(line)
    if (match) {
      const path = enter(levels, match)
      const value = (match[4] ?? '').replace(/\s+#.*$/, '').trim()
      const block = /^[|>][+-]?\d*$/.test(value) ? readBlock(lines, at, match[1]?.length ?? 0) : undefined
      const from = start + line.length - (match[4] ?? '').length
      if (block !== undefined) {
        const blockStart = start + line.length + 1
        found.push({ path, value: block.text, start: blockStart, end: blockStart + block.length })
        for (let skipped = 0; skipped < block.lines; skipped++) start += (lines[at + skipped]?.length ?? 0) + 1
        at += block.lines
        start += (lines[at]?.length ?? 0) + 1
        continue
      }
      if (value !== '') found.push(...readValue(value, path, from))
    }
    start += line.length + 1
  }
  return found
}

// Each dash opens a level.
function enter(levels: Level[], [, blanks = '', dashes = '', key]: RegExpExecArray): readonly string[] {
  let indent = blanks.length
  for (const _dash of dashes.match(/- +/g) ?? []) {
    const parent = closeLevels(levels, indent, true)
    levels.push({ indent, path: [...parent.path, String(parent.items++)], items: 0 })
    indent += 2
  }
  const parent = closeLevels(levels, indent, false)
  if (key === undefined) return parent.path
  const path = [...parent.path, key.replace(/^(["'])(.*)\1$/, '$2').trim()]
  levels.push({ indent, path, items: 0 })
  return path
}

function closeLevels(levels: Level[], indent: number, isItem: boolean): Level {
  while (levels.length > 1 && (levels.at(-1)?.indent ?? -1) >= indent) {
    const top = levels.at(-1)
    // A list may be as far left as its key.
    if (isItem && top?.indent === indent && !/^\d+$/.test(top.path.at(-1) ?? '')) break
    levels.pop()
  }
  return levels.at(-1) as Level
}

function readBlock(
  lines: readonly string[],
  at: number,
  indent: number,
): { text: string; lines: number; length: number } {
  let end = at + 1
  while (
    end < lines.length &&
    (/^\s*$/.test(lines[end] ?? '') ||
      (/^ */.exec(lines[end] ?? '')?.[0].length !== undefined &&
        (/^ */.exec(lines[end] ?? '')?.[0].length ?? 0) > indent))
  )
    end++
  const block = lines.slice(at + 1, end)
  const depth = Math.min(
    ...block.filter((line) => line.trim() !== '').map((line) => /^ */.exec(line)?.[0].length ?? 0),
    1_000,
  )
  return {
    text: block.map((line) => line.slice(depth)).join('\n'),
    lines: end - at - 1,
    length: block.join('\n').length,
  }
}

function readValue(value: string, path: readonly string[], start: number): YamlScalar[] {
  if (!value.startsWith('[')) return [{ path, value: unquote(value), start, end: start + value.length }]
  const items = value.replace(/^\[|\]$/g, '').match(/"(?:[^"\\]|\\.)*"|'[^']*'|[^,\s][^,]*/g) ?? []
  return items.map((item, index) => ({
    path: [...path, String(index)],
    value: unquote(item.trim()),
    start,
    end: start + value.length,
  }))
}

function unquote(value: string): string {
  if (/^'.*'$/.test(value)) return value.slice(1, -1).replaceAll("''", "'")
  return /^".*"$/.test(value) ? value.slice(1, -1).replaceAll('\\"', '"').replaceAll('\\\\', '\\') : value
}
