// What `arc install` would do: file texts in, file texts out. Nothing here touches a file.

import type { Host, HostName } from '../host.ts'
import type { InstallFile, InstallOptions, InstallProblem, InstallTarget, TextProblem, Texts } from './install-file.ts'

/** What becomes of one file. `after` undefined deletes it. */
export interface FileChange {
  readonly path: string
  readonly before: string | undefined
  readonly after: string | undefined
  readonly mode?: number | undefined
}

/** What install or uninstall would do. With problems, nothing is to be done. */
export interface InstallPlan {
  readonly host: HostName
  readonly files: readonly FileChange[]
  readonly changed: boolean
  readonly next: string
  readonly problems: readonly InstallProblem[]
}

const BACKUP = '.arc-backup'

/** Where the text of a file is kept as it was before ARC came. */
export function backupPath(path: string): string {
  return `${path}${BACKUP}`
}

/** The files whose texts a plan needs. */
export function pathsToRead(host: Host, place: InstallTarget): string[] {
  const own = host.install.files(place).map(({ path }) => path)
  return [...own, ...own.map(backupPath), ...(host.install.alsoRead?.(place) ?? [])]
}

/** Plans the registration of ARC with a host. Run again on its own result it changes nothing. */
export function planInstall(host: Host, place: InstallTarget, texts: Texts, options: InstallOptions): InstallPlan {
  const chosen = host.install.choose?.(place, texts) ?? host.install.files(place)
  if ('message' in chosen) return refusal(host, [chosen])
  const problems: InstallProblem[] = []
  const files: FileChange[] = []
  for (const file of chosen) {
    const before = texts.get(file.path)
    const after = file.add(before, options)
    if (typeof after !== 'string') problems.push({ path: file.path, ...after })
    else if (after !== before)
      files.push(...backupChange(file, texts), { path: file.path, before, after, mode: file.mode })
  }
  return problems.length > 0 ? refusal(host, problems) : buildPlan(host, files, host.install.next(place))
}

/** Plans the removal: exactly what was added, and to the byte what was there when nothing else changed since. */
export function planUninstall(host: Host, place: InstallTarget, texts: Texts): InstallPlan {
  const problems: InstallProblem[] = []
  const files: FileChange[] = []
  for (const file of host.install.files(place)) {
    const change = removalFrom(file, texts)
    if (change !== undefined && 'message' in change) problems.push({ path: file.path, ...change })
    else if (change !== undefined) files.push(change)
    const backup = backupPath(file.path)
    const kept = texts.get(backup)
    if (kept !== undefined) files.push({ path: backup, before: kept, after: undefined })
  }
  if (problems.length > 0) return refusal(host, problems)
  return buildPlan(host, files, files.length > 0 ? REMOVED : ABSENT)
}

const REMOVED = 'Sessions that are running may keep the hooks until they end.'
const ABSENT = 'ARC is not installed there.'

function removalFrom(file: InstallFile, texts: Texts): FileChange | TextProblem | undefined {
  const before = texts.get(file.path)
  if (before === undefined) return undefined
  if (!file.has(before)) return unreadableRest(file, before)
  const original = texts.get(backupPath(file.path))
  if (original !== undefined && isOnlyOurs(file, original, before)) return { path: file.path, before, after: original }
  const rest = file.remove(before)
  if (typeof rest === 'object') return rest
  // With a backup there was a file before ARC, however little it held.
  return { path: file.path, before, after: rest ?? original }
}

// A file that cannot be read may still hold our lines: that must not pass for "nothing there".
function unreadableRest(file: InstallFile, text: string): TextProblem | undefined {
  if (!/\barc\b.* hook /.test(text)) return undefined
  const rest = file.remove(text)
  return typeof rest === 'object' ? rest : undefined
}

// Was anything else changed since? Not if the same installation on the old text gives the present one.
function isOnlyOurs(file: InstallFile, original: string, present: string): boolean {
  const command = file.commandIn?.(present)
  if (command === undefined) return false
  const onDemand = file.eventsIn?.(present)
  return [false, true].some((failClosed) => file.add(original, { command, failClosed, onDemand }) === present)
}

// Only a text without ARC's part is worth keeping; a second install keeps the backup of the first.
function backupChange(file: InstallFile, texts: Texts): FileChange[] {
  const text = texts.get(file.path)
  if (text === undefined || file.has(text)) return []
  const path = backupPath(file.path)
  const before = texts.get(path)
  return before === text ? [] : [{ path, before, after: text }]
}

function buildPlan(host: Host, files: readonly FileChange[], next: string): InstallPlan {
  return { host: host.name, files, changed: files.length > 0, next, problems: [] }
}

function refusal(host: Host, problems: readonly InstallProblem[]): InstallPlan {
  return { host: host.name, files: [], changed: false, next: 'Nothing was changed.', problems }
}
