// The package as npm packs it, laid out in a project as npm installs it. Its dependencies are linked from the checkout: what is
// not declared is not there, and so would be missed.

import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const MODULES = join(ROOT, 'node_modules')

/** Packs the package into a folder and installs it in the project below it. */
export function installPacked(folder) {
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder]
  const [packed] = JSON.parse(
    execFileSync('npm', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
  )
  const tarball = join(folder, packed.filename)
  const project = join(folder, 'project')
  const own = join(project, 'node_modules', 'arc-supervisor')
  mkdirSync(own, { recursive: true })
  execFileSync('tar', ['-xzf', tarball, '--strip-components=1', '-C', own])
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  for (const name of Object.keys(dependencies)) link(join(MODULES, name), join(project, 'node_modules', name))
  link(join(own, 'bin', 'arc'), join(project, 'node_modules', '.bin', 'arc'))
  chmodSync(join(own, 'bin', 'arc'), 0o755)
  writeFileSync(join(project, 'package.json'), '{ "name": "consumer", "type": "module", "private": true }\n')
  return { packed, tarball, project }
}

function link(target, path) {
  mkdirSync(dirname(path), { recursive: true })
  symlinkSync(target, path)
}
