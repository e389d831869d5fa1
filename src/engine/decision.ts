// The four decisions and their order. Nothing here knows of hooks or steps.

/** The decisions, weakest first. */
export const DECISIONS = ['pass', 'flag', 'ask', 'block'] as const

/** `pass < flag < ask < block`; `ask` holds the action for a human, and unanswered means block. */
export type Decision = (typeof DECISIONS)[number]

/** The strength of a decision, for comparing. */
export const DECISION_RANK: Readonly<Record<Decision, number>> = { pass: 0, flag: 1, ask: 2, block: 3 }

/** Does it keep the action from going ahead: a hold or a block? */
export function isStrong(decision: Decision): boolean {
  return DECISION_RANK[decision] >= DECISION_RANK.ask
}

/** The strongest of these. */
export function strongest(first: Decision, ...others: readonly Decision[]): Decision {
  return others.reduce((a, b) => (DECISION_RANK[b] > DECISION_RANK[a] ? b : a), first)
}
