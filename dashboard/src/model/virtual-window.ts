// Which rows of a long list are to be drawn. All rows are equally high, so this is arithmetic, and nothing is measured.

export interface WindowInput {
  readonly count: number
  readonly rowHeight: number
  readonly scrollTop: number
  readonly viewHeight: number
  /** Rows drawn beyond what is seen, above and below. */
  readonly overscan: number
}

export interface RowWindow {
  /** The first row drawn, and the one after the last. */
  readonly start: number
  readonly end: number
  /** Where the first one stands. */
  readonly offset: number
  readonly totalHeight: number
}

/** The rows to draw. */
export function windowOf({ count, rowHeight, scrollTop, viewHeight, overscan }: WindowInput): RowWindow {
  const totalHeight = count * rowHeight
  // A browser may report more than there is while it bounces.
  const top = Math.min(Math.max(0, scrollTop), Math.max(0, totalHeight - viewHeight))
  const start = Math.max(0, Math.floor(top / rowHeight) - overscan)
  const end = Math.min(count, Math.ceil((top + Math.max(0, viewHeight)) / rowHeight) + overscan)
  return { start, end: Math.max(start, end), offset: start * rowHeight, totalHeight }
}

/** Where to scroll so that a row is seen; where it is if it is seen already. */
export function scrollToRow(index: number, { rowHeight, scrollTop, viewHeight }: WindowInput): number {
  const top = index * rowHeight
  if (top < scrollTop) return top
  return top + rowHeight > scrollTop + viewHeight ? Math.max(0, top + rowHeight - viewHeight) : scrollTop
}
