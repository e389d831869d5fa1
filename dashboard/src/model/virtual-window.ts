// The visible rows of a long list. All rows have the same height, so no element is measured.

export interface WindowInput {
  readonly count: number
  readonly rowHeight: number
  readonly scrollTop: number
  readonly viewHeight: number
  /** Extra rows above and below the visible ones. */
  readonly overscan: number
}

export interface RowWindow {
  /** The first rendered row, and the row after the last. */
  readonly start: number
  readonly end: number
  /** The offset of the first rendered row. */
  readonly offset: number
  readonly totalHeight: number
}

/** Computes the rows to render. */
export function computeWindow({ count, rowHeight, scrollTop, viewHeight, overscan }: WindowInput): RowWindow {
  const totalHeight = count * rowHeight
  // A browser may report a position out of range while it bounces.
  const top = Math.min(Math.max(0, scrollTop), Math.max(0, totalHeight - viewHeight))
  const start = Math.max(0, Math.floor(top / rowHeight) - overscan)
  const end = Math.min(count, Math.ceil((top + Math.max(0, viewHeight)) / rowHeight) + overscan)
  return { start, end: Math.max(start, end), offset: start * rowHeight, totalHeight }
}

/** The scroll position that makes a row visible; the current position if it is visible. */
export function scrollToRow(index: number, { rowHeight, scrollTop, viewHeight }: WindowInput): number {
  const top = index * rowHeight
  if (top < scrollTop) return top
  return top + rowHeight > scrollTop + viewHeight ? Math.max(0, top + rowHeight - viewHeight) : scrollTop
}
