// Text from agents. Always text nodes; hidden characters are shown by their code; matched spans are underlined.

import { type MatchedSpan, markSpans } from '../model/spans.ts'
import { type Piece, splitPieces } from '../model/visible-text.ts'

interface Props {
  readonly text: string
  readonly isOneLine?: boolean
  /** The spans to underline. */
  readonly spans?: readonly MatchedSpan[]
}

export function SafeText({ text, isOneLine = false, spans = [] }: Props) {
  if (spans.length === 0) return <>{drawPieces(splitPieces(text, { isOneLine }))}</>
  return (
    <>
      {markSpans(text, spans).map(({ text: part, isMarked }, index) =>
        // Parts of a text have no other key than their index.
        isMarked ? (
          <mark key={index}>{drawPieces(splitPieces(part, { isOneLine }))}</mark>
        ) : (
          drawPieces(splitPieces(part, { isOneLine }))
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
