// The own permissions of an agent: it asks its user, or a second model reviews its calls. Shapes only.

/**
 * What an event of an agent means for its own permissions. `takes`: a call is about to run, and an answer of a person
 * spares the agent its own question. `asks`: the agent is about to ask. `retries`: its reviewer refused a call, and the
 * agent tries again if a person allows it. `refused`: the same, and the agent takes no answer.
 */
export type PermissionRole = 'takes' | 'asks' | 'retries' | 'refused'

/** An event of an agent about its own permissions. */
export interface PermissionEvent {
  readonly role: PermissionRole
  /** The agent, for people. */
  readonly agent: string
  /** Why its reviewer refused the call. */
  readonly reason?: string | undefined
}

/** The answer of a person that a reply to an agent rests on. Only ARC's own stores make one, never a hook. */
export interface PersonsYes {
  /** The approval. */
  readonly approval?: string | undefined
  /** The exceptions for exactly this command. */
  readonly exceptions?: readonly number[] | undefined
  readonly by?: string | undefined
}

/** Whether the event reports that the agent refused a call. */
export function isRefusal(role: PermissionRole | undefined): boolean {
  return role === 'retries' || role === 'refused'
}
