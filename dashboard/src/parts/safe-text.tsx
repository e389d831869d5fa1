// Text that somebody else wrote. Always text nodes; what cannot be seen is shown by its number; matched spans are underlined.

import { markSpans, type Span } from '../model/spans.ts'
import { type Piece, piecesOf } from '../model/visible-text.ts'

interface Props {
  readonly text: string
  readonly isOneLine?: boolean
  /** What is to be underlined. */
  readonly spans?: readonly Span[]
}

export function SafeText({ text, isOneLine = false, spans = [] }: Props) {
  if (spans.length === 0) return <>{drawPieces(piecesOf(text, { isOneLine }))}</>
  return (
    <>
      {markSpans(text, spans).map(({ text: part, isMarked }, index) =>
        // The pieces of a text have no other name than their place.
        isMarked ? (
          <mark key={index}>{drawPieces(piecesOf(part, { isOneLine }))}</mark>
        ) : (
          drawPieces(piecesOf(part, { isOneLine }))
        ),
      )}
    </>
  )
}

function drawPieces(pieces: readonly Piece[]) {
  return pieces.map(({ text, isHidden }, index) =>
    isHidden ? (
      <span key={index} class="hidden-character" title="a character that cannot be seen">
        {text}
      </span>
    ) : (
      text
    ),
  )
}
