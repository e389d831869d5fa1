// `/perms check NAME`: whether a permission is granted, and how to grant it.

import type { ArmaHook } from '../../config/arma/compile-script.ts'
import { isRecord } from '../../engine/plain-data.ts'
import type { HandlerResult } from '../../engine/verdict.ts'
import { type Lookup, PERMISSIONS_VARIABLE } from './variables.ts'

/** The permissions of a script. */
export interface ScriptPermissions {
  /** Undefined where there is no list: then a step is held instead of blocked. */
  readonly granted: readonly string[] | undefined
  /** What the user grants and the project removed. */
  readonly removed?: readonly string[]
  /** The profile of the list; undefined where a program gives it. */
  readonly profile?: string | undefined
}

/** Granted: pass. Not in the list: block. No list: ask. */
export function checkPermission(
  permission: string,
  { permissions, metadata }: { permissions: ScriptPermissions; metadata: Readonly<Record<string, unknown>> },
): HandlerResult {
  const { granted, removed = [] } = permissions
  const ofStep = readMetadata(permission, metadata.permissions)
  // The facts of a step come from hooks too: beside a list they can only refuse.
  const isGranted = granted === undefined ? ofStep : granted.includes(permission) && ofStep !== false
  if (isGranted === true) return 'pass'
  if (granted?.includes(permission) === true || (granted === undefined && isGranted === false)) {
    return { decision: 'block', reason: `the permission ${permission} is not granted to this step` }
  }
  if (removed.includes(permission)) {
    const why = `the project removes the permission ${permission}: it is not in "permissions" of its .arc/config.json`
    return { decision: 'block', reason: why }
  }
  const reason = `the permission ${permission} is not granted. To grant it: ${describeGrant(permission, permissions)}`
  return { decision: granted === undefined ? 'ask' : 'block', reason }
}

/** The permissions for the lines after `/set $permissions …`, which adds to the list. */
export function extendPermissions(given: ScriptPermissions, { variables }: ArmaHook, look: Lookup): ScriptPermissions {
  if (!variables.some(({ name }) => name === PERMISSIONS_VARIABLE)) return given
  const added = (look(PERMISSIONS_VARIABLE) ?? '').split(/[\s,]+/).filter((name) => name !== '')
  return { ...given, granted: [...(given.granted ?? []), ...added] }
}

function describeGrant(permission: string, { granted = [], profile }: ScriptPermissions): string {
  const list = JSON.stringify([...granted, permission])
  if (profile === undefined) return `registerScript(…, { permissions: ${list} })`
  return `arc profile set permissions '${list}' --profile ${profile}`
}

function readMetadata(permission: string, given: unknown): boolean | undefined {
  if (Array.isArray(given)) return given.includes(permission)
  const value = isRecord(given) && Object.hasOwn(given, permission) ? given[permission] : undefined
  return typeof value === 'boolean' ? value : undefined
}
