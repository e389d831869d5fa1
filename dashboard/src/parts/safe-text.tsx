// Text from agents. Always text nodes; hidden characters are shown by their code; matched spans are underlined.

import { markSpans, type Span } from '../model/spans.ts'
import { type Piece, piecesOf } from '../model/visible-text.ts'

interface Props {
  readonly text: string
  readonly isOneLine?: boolean
  /** The spans to underline. */
  readonly spans?: readonly Span[]
}

export function SafeText({ text, isOneLine = false, spans = [] }: Props) {
  if (spans.length === 0) return <>{drawPieces(piecesOf(text, { isOneLine }))}</>
  return (
    <>
      {markSpans(text, spans).map(({ text: part, isMarked }, index) =>
        // Parts of a text have no other key than their index.
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
      <span key={index} class="hidden-character" title="hidden character">
        {text}
      </span>
    ) : (
      text
    ),
  )
}
