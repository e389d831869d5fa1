// A position in a text: line and column, both from 1. Independent of formats.

/** A place in a text. */
export interface Position {
  /** From 1. */
  readonly line: number
  /** From 1, in UTF-16 units, as editors count. */
  readonly column: number
}

/** The start of a text: the position of a problem with the whole file. */
export const START: Position = Object.freeze({ line: 1, column: 1 })

/** Gives the position of any offset in a text. Offsets beyond either end are moved to it. */
export function lineIndex(text: string): (offset: number) => Position {
  const starts = [0]
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return (offset) => {
    const inside = Math.min(Math.max(offset, 0), text.length)
    let low = 0
    let high = starts.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((starts[middle] ?? 0) <= inside) low = middle
      else high = middle - 1
    }
    return { line: low + 1, column: inside - (starts[low] ?? 0) + 1 }
  }
}
