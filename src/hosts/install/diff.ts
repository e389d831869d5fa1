// A unified diff of two texts, for `--dry-run`. Files of configuration are small; a huge one is shown as replaced.

const CONTEXT_LINES = 3
const MAX_CELLS = 4_000_000

/** What would change, as `diff -u` shows it; empty when nothing would. */
export function unifiedDiff(path: string, before: string | undefined, after: string | undefined): string {
  if (before === after) return ''
  const steps = compare(splitLines(before), splitLines(after))
  const head = `--- ${before === undefined ? '/dev/null' : path}\n+++ ${after === undefined ? '/dev/null' : path}\n`
  return head + groupHunks(steps).map(showHunk).join('')
}

interface Step {
  readonly kind: ' ' | '-' | '+'
  readonly text: string
  /** The line's number in the old and the new text, from 1. */
  readonly old: number
  readonly new: number
}

// A line keeps its newline, so that the lack of the last one shows.
function splitLines(text: string | undefined): string[] {
  return text === undefined || text === '' ? [] : (text.match(/[^\n]*\n|[^\n]+$/g) ?? [])
}

function compare(before: readonly string[], after: readonly string[]): Step[] {
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start++
  let end = 0
  while (end < Math.min(before.length, after.length) - start && before.at(-1 - end) === after.at(-1 - end)) end++
  const middle = align(before.slice(start, before.length - end), after.slice(start, after.length - end))
  const kept = (lines: readonly string[]): [Step['kind'], string][] => lines.map((line) => [' ', line])
  return number([...kept(before.slice(0, start)), ...middle, ...kept(before.slice(before.length - end))])
}

function number(marked: readonly (readonly [Step['kind'], string])[]): Step[] {
  let [old, fresh] = [1, 1]
  return marked.map(([kind, text]) => {
    const step = { kind, text, old, new: fresh }
    if (kind !== '+') old++
    if (kind !== '-') fresh++
    return step
  })
}

// The longest common subsequence, by the table.
function align(before: readonly string[], after: readonly string[]): [Step['kind'], string][] {
  const width = after.length + 1
  if (before.length * width > MAX_CELLS) return replaced(before, after)
  const table = new Uint32Array((before.length + 1) * width)
  const cell = (i: number, j: number): number => table[i * width + j] ?? 0
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      const isSame = before[i] === after[j]
      table[i * width + j] = isSame ? cell(i + 1, j + 1) + 1 : Math.max(cell(i + 1, j), cell(i, j + 1))
    }
  }
  const steps: [Step['kind'], string][] = []
  let [i, j] = [0, 0]
  while (i < before.length && j < after.length) {
    if (before[i] === after[j]) {
      steps.push([' ', before[i++] as string])
      j++
    } else if (cell(i + 1, j) >= cell(i, j + 1)) steps.push(['-', before[i++] as string])
    else steps.push(['+', after[j++] as string])
  }
  return [...steps, ...replaced(before.slice(i), after.slice(j))]
}

function replaced(before: readonly string[], after: readonly string[]): [Step['kind'], string][] {
  return [
    ...before.map((line): [Step['kind'], string] => ['-', line]),
    ...after.map((line): ['+', string] => ['+', line]),
  ]
}

function groupHunks(steps: readonly Step[]): Step[][] {
  const hunks: Step[][] = []
  let lastShown = -1
  for (const [index, { kind }] of steps.entries()) {
    if (kind === ' ') continue
    const from = Math.max(lastShown + 1, index - CONTEXT_LINES)
    if (hunks.length === 0 || index - CONTEXT_LINES > lastShown + 1) hunks.push([])
    const to = Math.min(steps.length - 1, index + CONTEXT_LINES)
    hunks.at(-1)?.push(...steps.slice(from, to + 1))
    lastShown = to
  }
  return hunks
}

function showHunk(steps: readonly Step[]): string {
  const first = steps[0] as Step
  const olds = steps.filter(({ kind }) => kind !== '+').length
  const news = steps.filter(({ kind }) => kind !== '-').length
  // An empty side is numbered by the line before it.
  const range = (start: number, count: number): string => `${count === 0 ? start - 1 : start},${count}`
  return `@@ -${range(first.old, olds)} +${range(first.new, news)} @@\n${steps.map(showLine).join('')}`
}

function showLine({ kind, text }: Step): string {
  return text.endsWith('\n') ? kind + text : `${kind}${text}\n\\ No newline at end of file\n`
}
