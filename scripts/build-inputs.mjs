// Says which files decide the contents of dist, as one hash, so that a build is repeated exactly when it would differ.
// Runs before anything is installed: it must not import a dependency.

import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Where a finished build leaves the hash of what it was built from. */
export const BUILD_STAMP = join('dist', '.build-stamp')

// The lock file counts because the CLI bundle contains its dependencies.
const SINGLE_FILES = [
  ...['package.json', 'package-lock.json'],
  ...['scripts/build.mjs', 'scripts/build-inputs.mjs', 'scripts/cache-code.mjs', 'scripts/load-bundle.mjs'],
]

export function hashBuildInputs(root) {
  const hash = createHash('sha256')
  for (const file of listBuildInputs(root)) {
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update('\0')
  }
  return hash.digest('hex')
}

function listBuildInputs(root) {
  const configs = readdirSync(root).filter((name) => /^tsconfig.*\.json$/.test(name))
  const singles = SINGLE_FILES.filter((file) => existsSync(join(root, file)))
  return [...configs, ...singles, ...listSources(root, 'src'), ...listSources(root, 'dashboard')].sort()
}

function listSources(root, folder) {
  if (!existsSync(join(root, folder))) return []
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath, entry.name).slice(join(root, '/').length))
}
