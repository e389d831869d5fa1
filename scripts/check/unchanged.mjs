// Says whether anything that the checks read has changed since they last passed: all files of the checkout that Git does not
// ignore, the installed packages and the version of Node. Without Git everything counts as changed.

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const RECORD = 'node_modules/.cache/arc/checked'

/** What the checks would read now, as one hash; undefined without Git. */
export function hashChecked(root) {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26 })
  if (status !== 0) return undefined
  const hash = createHash('sha256').update(process.version)
  for (const file of [...new Set(stdout.split('\0')), 'node_modules/.arc-setup', 'dist/.build-stamp'].sort()) {
    const path = join(root, file)
    if (statSync(path, { throwIfNoEntry: false })?.isFile()) hash.update(`\0${file}\0`).update(readFileSync(path))
  }
  return hash.digest('hex')
}

/** Did the checks pass with this hash? */
export function hasPassed(root, hash) {
  const file = join(root, RECORD)
  return hash !== undefined && existsSync(file) && readFileSync(file, 'utf8') === hash
}

/** Notes that they did. */
export function notePassed(root, hash) {
  if (hash === undefined) return
  mkdirSync(dirname(join(root, RECORD)), { recursive: true })
  writeFileSync(join(root, RECORD), hash)
}
