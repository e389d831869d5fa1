// A line diff: the shortest edit (Myers) up to a limit. Beyond the limit the whole old text is shown as removed and the whole
// new text as added.

export interface DiffLine {
  readonly kind: 'same' | 'removed' | 'added'
  readonly text: string
}

const MAX_EDITS = 400
const MAX_LINES = 5_000

/** The lines of both texts in order: same, removed, added. */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  if (before === after) return linesOf(before).map(as('same'))
  const old = linesOf(before)
  const now = linesOf(after)
  const head = countAlike(old, now, (lines, index) => lines[index])
  const tail = countAlike(old.slice(head), now.slice(head), (lines, index) => lines[lines.length - 1 - index])
  const middle = diffMiddle(old.slice(head, old.length - tail), now.slice(head, now.length - tail))
  return [...old.slice(0, head).map(as('same')), ...middle, ...old.slice(old.length - tail).map(as('same'))]
}

/** Only the changes with some lines around each; omitted lines are counted. */
export function foldSame(
  lines: readonly DiffLine[],
  around = 3,
): readonly (DiffLine | { readonly kind: 'gap'; readonly count: number })[] {
  const isNear = new Uint8Array(lines.length)
  lines.forEach(({ kind }, index) => {
    if (kind !== 'same') isNear.fill(1, Math.max(0, index - around), index + around + 1)
  })
  const folded: (DiffLine | { readonly kind: 'gap'; readonly count: number })[] = []
  let left = 0
  lines.forEach((line, index) => {
    if (isNear[index] === 0) {
      left += 1
      return
    }
    if (left > 0) folded.push({ kind: 'gap', count: left })
    left = 0
    folded.push(line)
  })
  if (left > 0) folded.push({ kind: 'gap', count: left })
  return folded
}

function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.split('\n')
}

function as(kind: DiffLine['kind']): (text: string) => DiffLine {
  return (text) => ({ kind, text })
}

function countAlike(
  old: readonly string[],
  now: readonly string[],
  at: (lines: readonly string[], index: number) => string | undefined,
): number {
  const most = Math.min(old.length, now.length)
  let count = 0
  while (count < most && at(old, count) === at(now, count)) count += 1
  return count
}

function diffMiddle(old: readonly string[], now: readonly string[]): readonly DiffLine[] {
  const whole = (): readonly DiffLine[] => [...old.map(as('removed')), ...now.map(as('added'))]
  if (old.length === 0 || now.length === 0 || old.length + now.length > MAX_LINES) return whole()
  const rounds = findEdits(old, now)
  return rounds === undefined ? whole() : walkBack(old, now, rounds)
}

type Reach = ReadonlyMap<number, number>

// For each number of edits, the furthest point of each diagonal.
function findEdits(old: readonly string[], now: readonly string[]): readonly Reach[] | undefined {
  const rounds: Reach[] = []
  let last: Reach = new Map([[1, 0]])
  for (let edits = 0; edits <= Math.min(MAX_EDITS, old.length + now.length); edits += 1) {
    const reach = new Map(last)
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      let x = stepsDown(last, diagonal, edits) ? (last.get(diagonal + 1) ?? 0) : (last.get(diagonal - 1) ?? 0) + 1
      while (x < old.length && x - diagonal < now.length && old[x] === now[x - diagonal]) x += 1
      reach.set(diagonal, x)
      if (x >= old.length && x - diagonal >= now.length) return [...rounds, last]
    }
    rounds.push(last)
    last = reach
  }
  return undefined
}

function stepsDown(reach: Reach, diagonal: number, edits: number): boolean {
  if (diagonal === -edits) return true
  return diagonal !== edits && (reach.get(diagonal - 1) ?? -1) < (reach.get(diagonal + 1) ?? -1)
}

function walkBack(old: readonly string[], now: readonly string[], rounds: readonly Reach[]): readonly DiffLine[] {
  const lines: DiffLine[] = []
  let x = old.length
  let y = now.length
  for (let edits = rounds.length - 1; edits >= 0; edits -= 1) {
    const reach = rounds[edits] ?? new Map<number, number>()
    const isDown = stepsDown(reach, x - y, edits)
    const diagonal = isDown ? x - y + 1 : x - y - 1
    const fromX = edits === 0 ? 0 : (reach.get(diagonal) ?? 0)
    const fromY = edits === 0 ? 0 : fromX - diagonal
    while (x > fromX && y > fromY && (edits === 0 || x > fromX + (isDown ? 0 : 1) || y > fromY + (isDown ? 1 : 0))) {
      x -= 1
      y -= 1
      lines.push({ kind: 'same', text: old[x] ?? '' })
    }
    if (edits === 0) break
    if (isDown) lines.push({ kind: 'added', text: now[fromY] ?? '' })
    else lines.push({ kind: 'removed', text: old[fromX] ?? '' })
    x = fromX
    y = fromY
  }
  return lines.reverse()
}
