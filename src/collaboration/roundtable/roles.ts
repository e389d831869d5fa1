// Who argues which way at a roundtable: the first two are set against each other, so that a table never only agrees.

/** How an agent is to argue. */
export type Role = 'advocate' | 'critic' | 'neutral'

/** The role of the agent at a place of the table, counted from 0. */
export function roleAt(place: number): Role {
  if (place === 0) return 'advocate'
  return place === 1 ? 'critic' : 'neutral'
}
