// A home and a project in a temporary folder, for tests that load real files.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { markHomeUnattended } from '../src/guard/unattended-home.ts'
import { makeTempFolder } from './temp-folder.ts'

/** Folders of one test. */
export interface SupervisedHome {
  readonly root: string
  readonly home: string
  readonly project: string
  /** Writes a file by its path from the root: a text as it is, anything else as JSON. Gives its full path. */
  write(path: string, content: unknown): string
  remove(): void
}

/** The user's default profile, by its path from the root. */
export const PROFILE = 'home/profiles/default.json'

/** The project's layer, by its path from the root. */
export const LAYER = 'project/.arc/config.json'

/** Makes a home as `arc init --confirm none` does: tests have no terminal, and they call hooks themselves. */
export function askNobody(home: string): void {
  markHomeUnattended(home, process.pid)
}

/** Makes the folders. */
export function makeHome(): SupervisedHome {
  const root = makeTempFolder('arc-home-')
  const project = join(root, 'project')
  mkdirSync(project)
  return {
    root,
    home: join(root, 'home'),
    project,
    write(path, content) {
      const file = join(root, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content, null, 2))
      return file
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  }
}
