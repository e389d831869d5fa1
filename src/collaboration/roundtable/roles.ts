// Who argues which way at a roundtable: the first two are set against each other, so that a table never only agrees.

/** How an agent is to argue. */
export type Role = 'advocate' | 'critic' | 'neutral'

/** What each role is asked to do, for the prompts of whoever drives a table. */
export const ROLES = {
  advocate: 'Argue in favour: make the strongest case for it.',
  critic: 'Argue against: find what is wrong with it.',
  neutral: 'Weigh both sides, and say what is missing.',
} as const satisfies Record<Role, string>

/** The role of the agent at a place of the table, counted from 0. */
export function roleAt(place: number): Role {
  if (place === 0) return 'advocate'
  return place === 1 ? 'critic' : 'neutral'
}
