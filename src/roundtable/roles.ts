// Who argues which way at a roundtable: the first two are set against each other, so that a table never only agrees.

/** How an agent is to argue. */
export type Role = 'advocate' | 'critic' | 'neutral'

/** The role of the agent at a place of the table, counted from 0. */
export function roleAt(place: number): Role {
  if (place === 0) return 'advocate'
  return place === 1 ? 'critic' : 'neutral'
}

/** The instructions of a role. */
export const ROLE_TASKS: Readonly<Record<Role, string>> = {
  advocate: 'You are the advocate: make the strongest honest case in favour, and answer the objections.',
  critic: 'You are the critic: say what speaks against it, what was overlooked and what it would cost.',
  neutral: 'You are neutral: weigh what was said on both sides, and name what would decide the matter.',
}
