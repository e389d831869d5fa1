// Runs the unit tests and a smoke of the CLI on each supported version of Node, and installs the packed package with each
// package manager. Versions and managers come from the registry; a version or manager that it does not have is skipped by name.
//
// node scripts/test-nodes.mjs [--node 22,24] [--manager pnpm,bun] [--smoke]: --smoke leaves the unit tests out.

import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { runProgram, showProgress } from './progress.mjs'
import { smoke } from './smoke.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const CACHE = join(ROOT, 'node_modules', '.cache', 'arc', 'tools')
const ARC = join(ROOT, 'bin', 'arc')
const NODES = ['20.19', '22', '24', '26']

// How each package manager installs the tarball into an empty project. Deno takes no tarball: it installs the dependencies of
// the unpacked package.
const MANAGERS = {
  npm: (tarball) => ['install', '--ignore-scripts', '--no-audit', '--no-fund', tarball],
  pnpm: (tarball) => ['add', tarball],
  bun: (tarball) => ['add', tarball],
  deno: () => ['install', '--prod', '--node-modules-dir=auto'],
}

const { values } = parseArgs({
  options: { node: { type: 'string' }, manager: { type: 'string' }, smoke: { type: 'boolean', default: false } },
})
const isChosen = values.node !== undefined || values.manager !== undefined
const nodes = values.node?.split(',') ?? (isChosen ? [] : NODES)
const managers = values.manager?.split(',') ?? (isChosen ? [] : Object.keys(MANAGERS))

for (const version of nodes) await report(`Node ${version}`, () => testNode(version))
if (managers.length > 0) {
  const folder = mkdtempSync(join(tmpdir(), 'arc-managers-'))
  try {
    const tarball = await pack(folder)
    for (const name of managers) await report(name, () => testManager(name, { folder, tarball }))
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
  }
}

async function testNode(version) {
  const node = await installTool(`node@${version}`, 'node')
  if (node === undefined) return 'skipped: it cannot be had from the registry'
  if (!values.smoke) {
    const vitest = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs')
    await mustRun(node, [vitest, 'run', '--project', 'unit', '--reporter', 'dot'], { cwd: ROOT })
  }
  await smoke({ node, arc: ARC })
  return 'ok'
}

async function testManager(name, { folder, tarball }) {
  const program = name === 'npm' ? 'npm' : await installTool(name, name)
  if (program === undefined) return 'skipped: it cannot be had from the registry'
  const project = join(folder, name)
  mkdirSync(project)
  const isUnpacked = name === 'deno'
  if (isUnpacked) await mustRun('tar', ['-xzf', tarball, '--strip-components=1', '-C', project])
  else writeFileSync(join(project, 'package.json'), '{ "name": "consumer", "type": "module", "private": true }\n')
  await mustRun(program, MANAGERS[name](tarball), { cwd: project, env: { ...process.env, HOME: project } })
  const own = isUnpacked ? project : join(project, 'node_modules', 'arc-supervisor')
  await smoke({ node: process.execPath, arc: join(own, 'bin', 'arc') })
  return 'ok'
}

/** The program of a package, installed once; undefined where it cannot be had. */
async function installTool(spec, program) {
  const folder = join(CACHE, spec)
  const path = join(folder, 'node_modules', '.bin', program)
  if (existsSync(path)) return path
  mkdirSync(folder, { recursive: true })
  // Its install script puts the binary in place.
  const [name] = spec.split('@')
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, allowScripts: { [name]: true } }))
  await runProgram('npm', ['install', '--no-save', '--no-audit', '--no-fund', spec], { cwd: folder })
  return existsSync(path) ? path : undefined
}

async function pack(folder) {
  await mustRun('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: ROOT })
  const name = readdirSync(folder).find((file) => file.endsWith('.tgz'))
  return join(folder, name)
}

async function mustRun(program, args, options) {
  const { code, output } = await runProgram(program, args, options)
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}:\n${output}`)
}

async function report(label, work) {
  const progress = showProgress(() => label)
  const result = await work().catch((error) => error)
  const seconds = (progress.stop() / 1000).toFixed(1)
  if (result instanceof Error) {
    process.exitCode = 1
    console.error(`failed  ${label}  ${seconds} s\n${result.message}`)
  } else console.log(`${label}: ${result} (${seconds} s)`)
}
