// An installation needs no compiler: no package of the lock file builds native code. That it works on each version of Node and
// with each package manager is tried by scripts/test-nodes.mjs.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
// Its install script only checks the binary that comes from the registry.
const WITHOUT_COMPILER = ['node_modules/esbuild']

it('K5 no package that is installed runs a compiler', () => {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { readonly hasInstallScript?: boolean }>
  }
  const scripted = Object.keys(packages).filter((path) => packages[path]?.hasInstallScript === true)
  expect(scripted.filter((path) => !WITHOUT_COMPILER.includes(path))).toEqual([])
  const built = Object.keys(packages).filter((path) => path !== '' && existsSync(join(ROOT, path, 'binding.gyp')))
  expect(built).toEqual([])
})
