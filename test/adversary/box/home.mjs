// The files of the home: how they are restored, and the digests of the guarded ones.

import { createHash } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { join } from 'node:path'

// What each path of the home was when it was restored. Only root could change a file and keep its change time.
const restored = new Map()

/** Makes a path as it was saved. What has not changed since it was restored stays. */
export function restore(from, to) {
  const wanted = lstatSync(from)
  const is = lstatSync(to, { throwIfNoEntry: false, bigint: true })
  if (wanted.isDirectory()) {
    if (is !== undefined && !is.isDirectory()) rmSync(to, { force: true })
    mkdirSync(to, { recursive: true })
    chmodSync(to, wanted.mode & 0o7777)
    const names = readdirSync(from)
    for (const name of readdirSync(to)) {
      if (!names.includes(name)) rmSync(join(to, name), { recursive: true, force: true, maxRetries: 5 })
    }
    for (const name of names) restore(join(from, name), join(to, name))
    return
  }
  if (is !== undefined && restored.get(to) === stampOf(is)) return
  rmSync(to, { recursive: true, force: true, maxRetries: 5 })
  if (wanted.isSymbolicLink()) symlinkSync(readlinkSync(from), to)
  else {
    copyFileSync(from, to)
    chmodSync(to, wanted.mode & 0o7777)
  }
  lutimesSync(to, wanted.atime, wanted.mtime)
  restored.set(to, stampOf(lstatSync(to, { bigint: true })))
}

function stampOf({ ino, size, mode, ctimeNs }) {
  return `${ino} ${size} ${mode} ${ctimeNs}`
}

/** A digest of each guarded file: what the agent must not be able to change. */
export function guardedDigests(home) {
  const found = {}
  for (const place of ['.arc/profiles', '.arc/bin', '.arc/config.json', '.arc/config.yaml', '.arc/installs.json']) {
    digest(join(home, place), found)
  }
  for (const place of ['.claude/settings.json', '.claude/settings.local.json', '.codex', '.config/opencode']) {
    digest(join(home, place), found)
  }
  for (const place of ['.local/lib/node_modules/arc-supervisor', '.local/bin/arc']) digest(join(home, place), found)
  for (const place of ['project/.claude/settings.json', 'project/.claude/settings.local.json']) {
    digest(join(home, place), found)
  }
  return found
}

function digest(path, found) {
  // Compiled code that Node keeps beside the package: written at any time by ARC itself.
  if (path.endsWith('.cache')) return
  const stat = lstatSync(path, { throwIfNoEntry: false, bigint: true })
  if (stat === undefined) return
  if (stat.isSymbolicLink()) {
    found[path] = `link ${readlinkSync(path)}`
    return
  }
  if (stat.isDirectory()) {
    found[path] = `folder ${stat.mode & 0o777n}`
    let names = []
    try {
      names = readdirSync(path)
    } catch {
      // Not readable any more: its mode says so.
    }
    for (const name of names) digest(join(path, name), found)
    return
  }
  if (!stat.isFile()) {
    found[path] = `special ${stat.mode}`
    return
  }
  // The package is large: its size and modification time are enough.
  const content = path.includes('/node_modules/') ? `${stat.size} ${stat.mtimeNs}` : hash(path, stat)
  found[path] = `${content} ${stat.mode & 0o777n}`
}

const hashes = new Map()

// Of a file that did not change, the hash is known. One that changed just now may do so again within the same tick.
function hash(path, stat) {
  const stamp = stampOf(stat)
  const known = hashes.get(path)
  if (known?.stamp === stamp) return known.value
  const value = readHash(path)
  if (Date.now() - Number(stat.ctimeMs) > 100) hashes.set(path, { stamp, value })
  return value
}

function readHash(path) {
  try {
    return createHash('sha256').update(readFileSync(path)).digest('hex')
  } catch (error) {
    return String(error.code)
  }
}
