// A hook's change of one field, line by line.

import type { ChangeView } from '../../../src/protocol/views.ts'
import { diffLines, foldSame } from '../model/line-diff.ts'
import { toReadable } from '../model/step-text.ts'
import { SafeText } from './safe-text.tsx'

const SIGNS = { same: ' ', removed: '−', added: '+' } as const
const WORDS = { same: '', removed: 'removed: ', added: 'added: ' } as const

export function Diff({ change: { key, before, after } }: { readonly change: ChangeView }) {
  const lines = foldSame(diffLines(before === null ? '' : toReadable(before), toReadable(after)))
  return (
    <figure class="diff" data-change={key}>
      <figcaption class="mono faint">
        <SafeText text={key} isOneLine={true} />
        {before === null && ' (new)'}
      </figcaption>
      <pre>
        {lines.map((line, index) =>
          line.kind === 'gap' ? (
            <span key={index} class="diff-gap">
              ⋯ {line.count} lines alike
            </span>
          ) : (
            <span key={index} class={`diff-${line.kind}`}>
              <span aria-hidden="true">{SIGNS[line.kind]} </span>
              <span class="sr">{WORDS[line.kind]}</span>
              <SafeText text={line.text} />
            </span>
          ),
        )}
      </pre>
    </figure>
  )
}
