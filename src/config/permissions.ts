// The permissions that `/perms check` of scripts reads: the user grants them, a project can only remove some.

/** The permissions of a configuration. */
export interface Permissions {
  /** Undefined: no file has a list, so a script holds what it checks instead of blocking it. */
  readonly granted: readonly string[] | undefined
  /** What the user grants and the project removed. */
  readonly removed: readonly string[]
}

/** No list in any file. */
export const NO_PERMISSIONS: Permissions = Object.freeze({ granted: undefined, removed: Object.freeze([]) })

/** The whole list of a file of the user; without one, that of the files below. */
export function grantPermissions(base: Permissions, given: readonly string[] | undefined): Permissions {
  return given === undefined ? base : { granted: [...new Set(given)], removed: [] }
}

/** The permissions that a project leaves. `reject` gets the position of each name in its list that the user does not grant. */
export function narrowPermissions(
  base: Permissions,
  given: readonly string[] | undefined,
  reject: (index: number) => void,
): Permissions {
  if (given === undefined) return base
  const { granted = [] } = base
  for (const [index, name] of given.entries()) if (!granted.includes(name)) reject(index)
  // Nothing is granted, so there is nothing to remove.
  if (base.granted === undefined) return base
  const removed = [...base.removed, ...granted.filter((name) => !given.includes(name))]
  return { granted: granted.filter((name) => given.includes(name)), removed }
}

/** The permissions that both configurations grant. */
export function commonPermissions(one: Permissions, other: Permissions): Permissions {
  if (one.granted === undefined || other.granted === undefined) return NO_PERMISSIONS
  const { granted } = other
  return { granted: one.granted.filter((name) => granted.includes(name)), removed: one.removed }
}
