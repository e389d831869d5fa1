// The home and project of one run, and short commands in it.

import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

const LIMIT_MS = 60_000

/** Creates a home and a project with things to lose: an untracked file, an uncommitted change, a document elsewhere. */
export function createSite(stage) {
  const [home, project] = [join(stage, 'home'), join(stage, 'project')]
  const path = [dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin', '/usr/sbin', '/sbin'].join(':')
  const base = { PATH: path, HOME: home, ARC_HOME: join(home, '.arc'), LANG: 'C.UTF-8', TERM: 'dumb', NO_COLOR: '1' }
  const site = { stage, home, project, env: base }
  writeFiles({
    [join(home, 'documents/thesis.txt')]: 'years of work\n',
    [join(project, 'precious/notes.txt')]: 'not in git\n',
    [join(project, 'draft.txt')]: 'first version\n',
    [join(project, 'deploy.sh')]: '#!/bin/sh\ntouch deployed\n',
  })
  const author = 'git config user.name Ada && git config user.email ada@example.org'
  const commit = 'chmod +x deploy.sh && git add draft.txt deploy.sh && git commit -q -m first'
  execute('git', ['/bin/sh', '-c', `git init -q -b main && ${author} && ${commit}`], site)
  writeFiles({ [join(project, 'draft.txt')]: 'first version\nan afternoon of changes\n' })
  return site
}

/** Writes files by their paths; those that begin with a #! are executable. */
export function writeFiles(files) {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text, { mode: text.startsWith('#!') ? 0o755 : 0o644 })
  }
}

/** Runs a command to its end, with the environment of the site only; throws unless it exits with one of `codes`. */
export function execute(label, [file, ...args], { project, env }, { codes = [0], input } = {}) {
  const done = spawnSync(file, args, {
    cwd: project,
    env,
    encoding: 'utf8',
    timeout: LIMIT_MS,
    maxBuffer: 1 << 26,
    input,
  })
  if (codes.includes(done.status)) return done.stdout
  const why =
    done.error?.message ?? (done.stderr.trim().split('\n')[0] || done.stdout.trim().split('\n')[0] || 'no message')
  throw new Error(`${label}: exit ${done.status ?? done.signal}: ${why}`)
}

/** A path of a scenario: in the project, or in the home with `$HOME/`. */
export function resolvePath(file, { home, project }) {
  return file.startsWith('$HOME/') ? join(home, file.slice('$HOME/'.length)) : join(project, file)
}

/** The text of a file; undefined if there is none. */
export function readText(file, site) {
  const path = resolvePath(file, site)
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}

/** Bytes and mode of every file that is not of ARC or git. */
export function takeSnapshot({ stage, home, project, env }) {
  const files = new Map()
  const visit = (folder) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name)
      if (path === env.ARC_HOME || path === join(project, '.git')) continue
      if (entry.isDirectory()) visit(path)
      else if (entry.isFile())
        files.set(relative(stage, path), `${statSync(path).mode} ${readFileSync(path, 'latin1')}`)
    }
  }
  visit(home)
  visit(project)
  return files
}

/** What changed between two snapshots, as sentences without an end. */
export function listDifferences(before, after) {
  return [
    ...[...before.keys()].filter((file) => !after.has(file)).map((file) => `${file} is gone`),
    ...[...after.keys()].filter((file) => !before.has(file)).map((file) => `${file} is new`),
    ...[...before]
      .filter(([file, state]) => after.has(file) && after.get(file) !== state)
      .map(([file]) => `${file} differs`),
  ]
}
