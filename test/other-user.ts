// For tests that run a program as another user: Node and the build at paths that every user may enter. Where the checkout is
// in a folder that only its owner may enter, such as root's home, both are copied into a temporary folder.

import { chmodSync, cpSync, existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makeTempFolder } from './temp-folder.ts'

/** A user id that owns nothing. */
export const OTHER_USER = 65_534

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const FOR_OTHERS = 0o001

/** Node, `arc` and the library, at paths that every user may enter. */
export interface PublicBuild {
  readonly node: string
  readonly arc: string
  readonly library: string
}

let found: PublicBuild | undefined

/** Finds them, or makes a copy once for each test file. */
export function publicBuild(): PublicBuild {
  if (found !== undefined && existsSync(found.library)) return found
  const root = isPublic(ROOT) ? ROOT : copyBuild()
  const node = isPublic(process.execPath) ? process.execPath : copyNode()
  found = { node, arc: join(root, 'bin/arc'), library: join(root, 'dist/index.js') }
  return found
}

function isPublic(path: string): boolean {
  const parent = dirname(path)
  return (statSync(path).mode & FOR_OTHERS) !== 0 && (parent === path || isPublic(parent))
}

// The package with its dependencies. What only the development needs stays out: the lock file marks it.
function copyBuild(): string {
  const folder = publicFolder()
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { readonly dev?: boolean }>
  }
  const modules = Object.keys(packages).filter((path) => path !== '' && packages[path]?.dev !== true)
  for (const path of ['package.json', 'bin', 'dist', ...modules]) {
    if (existsSync(join(ROOT, path))) cpSync(join(ROOT, path), join(folder, path), { recursive: true })
  }
  return folder
}

function copyNode(): string {
  const node = join(publicFolder(), 'node')
  cpSync(process.execPath, node)
  return node
}

function publicFolder(): string {
  const folder = makeTempFolder('arc-public-')
  chmodSync(folder, 0o755)
  return folder
}
