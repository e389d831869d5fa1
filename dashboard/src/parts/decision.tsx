// A decision as it is always shown: icon, word and colour.

import { Icon, type IconName } from './icons.tsx'

/** What can be shown this way: the decisions, a hook that failed, and one that did not run. */
export type Tone = 'pass' | 'flag' | 'ask' | 'block' | 'error' | 'skip'

export const DECISIONS = ['pass', 'flag', 'ask', 'block'] as const

interface Props {
  readonly tone: Tone
  /** On a ground of its colour. */
  readonly isChip?: boolean
  /** Instead of the decision's own name. */
  readonly word?: string
}

export function Decision({ tone, isChip = false, word = tone }: Props) {
  return (
    <span class={`decision is-${tone} ${isChip ? 'chip' : ''}`}>
      <Icon name={tone satisfies IconName} size={13} />
      {word}
    </span>
  )
}
