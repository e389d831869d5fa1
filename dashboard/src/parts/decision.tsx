// A decision with icon, word and colour.

import { Icon, type IconName } from './icons.tsx'

/** A decision, a failed hook, or a skipped hook. */
export type Tone = 'pass' | 'flag' | 'ask' | 'block' | 'error' | 'skip'

export const DECISION_LOOKS = ['pass', 'flag', 'ask', 'block'] as const

interface Props {
  readonly tone: Tone
  /** With a coloured background. */
  readonly isChip?: boolean
  /** Default: the name of the decision. */
  readonly word?: string
}

export function DecisionBadge({ tone, isChip = false, word = tone }: Props) {
  return (
    <span class={`decision is-${tone} ${isChip ? 'chip' : ''}`}>
      <Icon name={tone satisfies IconName} size={13} />
      {word}
    </span>
  )
}
