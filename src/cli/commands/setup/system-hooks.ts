// The system-wide configuration of agents, which only root can change. Users cannot disable its hooks. Existing content
// of the file is kept.

import { join } from 'node:path'
import { ArcError } from '../../../engine/errors.ts'
import { AGENT_FACTS } from '../../../hosts/facts/list.ts'
import { applyChanges, readTexts } from '../../../hosts/install/apply.ts'
import type { InstallFile, TextProblem } from '../../../hosts/install/install-file.ts'
import { backupPath, type FileChange } from '../../../hosts/install/plan.ts'
import { HOSTS } from '../../../hosts/list.ts'
import { editJson, type JsonText } from '../../../json-text/json-text.ts'

// Without it a hook in a user's settings could change a call after ARC has decided.
const ONLY_MANAGED = 'allowManagedHooksOnly'

/** Reads a list of host names; throws if a host has no system-wide configuration. */
export function readHostNames(text: string): string[] {
  const names = text.split(/[\s,]+/).filter((name) => name !== '')
  const known = AGENT_FACTS.filter(({ settings }) => settings.systemFile !== undefined).map(
    ({ name }) => name as string,
  )
  const unknown = names.find((name) => !known.includes(name))
  if (unknown === undefined) return names
  const message = `--hosts supports ${known.join(', ')}, not ${JSON.stringify(unknown)}. For other agents each user runs: arc install HOST`
  throw new ArcError('ARC_SETUP_FAILED', message)
}

/** A host's system-wide file; undefined for hosts without one. */
export function findSystemFile(host: string, root: string): InstallFile | undefined {
  const facts = AGENT_FACTS.find(({ name }) => name === host)
  if (facts?.settings.systemFile === undefined) return undefined
  return HOSTS[facts.name].systemFile?.(join(root, facts.settings.systemFile))
}

/** Are ARC's hooks, with this command, in the system-wide configuration? */
export function hasSystemHooks(host: string, root: string, command: string): boolean {
  const file = findSystemFile(host, root)
  const text = file === undefined ? undefined : readTexts([file.path]).get(file.path)
  return text !== undefined && file?.commandIn?.(text) === command
}

/** Adds ARC's hooks to the system-wide configuration of a host. */
export function addSystemHooks(host: string, root: string, command: string): void {
  const file = requireFile(host, root)
  const backup = backupPath(file.path)
  const texts = readTexts([file.path, backup])
  const before = texts.get(file.path)
  const added = requireText(file.add(before, { command, failClosed: true }), file.path)
  const after = hasOnlyManaged(added) ? added : addOnlyManaged(added, file.path)
  if (after === before) return
  const isFirst = before !== undefined && !file.has(before)
  const saved: FileChange[] = isFirst ? [{ path: backup, before: texts.get(backup), after: before }] : []
  applyChanges([...saved, { path: file.path, before, after, mode: 0o644 }], { dir: root })
}

/** Removes ARC's hooks, and the setting added with them unless it was there before. */
export function removeSystemHooks(host: string, root: string): void {
  const file = requireFile(host, root)
  const backup = backupPath(file.path)
  const texts = readTexts([file.path, backup])
  const before = texts.get(file.path)
  const original = texts.get(backup)
  if (before === undefined || !file.has(before)) return
  const kept = original !== undefined && hasOnlyManaged(original) ? before : removeOnlyManaged(before, file.path)
  const rest = file.remove(kept)
  const after = typeof rest === 'object' ? requireText(rest, file.path) : rest
  const changes: FileChange[] = [{ path: file.path, before, after: after ?? original }]
  if (original !== undefined) changes.push({ path: backup, before: original, after: undefined })
  applyChanges(changes, { dir: root })
}

function requireFile(host: string, root: string): InstallFile {
  const file = findSystemFile(host, root)
  if (file === undefined) throw new ArcError('ARC_SETUP_FAILED', `${host} has no system-wide configuration.`)
  return file
}

function requireText(text: string | TextProblem, path: string): string {
  if (typeof text === 'string') return text
  throw new ArcError('ARC_SETUP_FAILED', `${path}:${text.line}:${text.column} ${text.message}`)
}

function hasOnlyManaged(text: string): boolean {
  let isThere = false
  editJson(text, (json) => {
    isThere = json.at([ONLY_MANAGED]) !== undefined
  })
  return isThere
}

function addOnlyManaged(text: string, path: string): string {
  return requireText(
    editJson(text, (json) => void json.set([ONLY_MANAGED], true)),
    path,
  )
}

function removeOnlyManaged(text: string, path: string): string {
  const edit = (json: JsonText): void => {
    const node = json.at([ONLY_MANAGED])
    if (node !== undefined) json.remove(node)
  }
  return requireText(editJson(text, edit), path)
}
