// Adds to package-lock.json the optional packages of other platforms that npm omitted and `npm ci` needs.
// npm omits packages that the current registry does not offer. Run this after adding or updating a dependency.

import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const LOCK_FILE = fileURLToPath(new URL('../package-lock.json', import.meta.url))

const SYSTEMS = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32']
const PROCESSORS = ['arm64', 'arm', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'wasm32', 'x64']
const C_LIBRARIES = { gnu: 'glibc', gnueabihf: 'glibc', musl: 'musl', musleabihf: 'musl' }

const lock = JSON.parse(readFileSync(LOCK_FILE, 'utf8'))
const missing = findMissing(lock.packages)
for (const [path, entry] of missing) {
  lock.packages[path] = entry
  console.log(`added ${path.replace('node_modules/', '')} ${entry.version}`)
}
if (missing.length > 0) {
  lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => a.localeCompare(b, 'en')))
  writeFileSync(LOCK_FILE, `${JSON.stringify(lock, null, 2)}\n`)
}

function findMissing(packages) {
  return Object.entries(packages).flatMap(([owner, { optionalDependencies = {}, dev }]) =>
    Object.entries(optionalDependencies)
      .filter(([name]) => !packages[`${owner}/node_modules/${name}`] && !packages[`node_modules/${name}`])
      .filter(([name, version]) => isPlatformPackage(name) && /^\d/.test(version))
      .map(([name, version]) => [`node_modules/${name}`, describePackage(name, version, dev)]),
  )
}

function isPlatformPackage(name) {
  return partsOf(name).some((part) => PROCESSORS.includes(part))
}

// Without the platform npm would download the package everywhere.
function describePackage(name, version, dev) {
  const parts = partsOf(name)
  const os = parts.filter((part) => SYSTEMS.includes(part))
  const libc = os.includes('linux') ? parts.flatMap((part) => C_LIBRARIES[part] ?? []) : []
  return {
    version,
    cpu: parts.filter((part) => PROCESSORS.includes(part)),
    ...(dev && { dev }),
    ...(libc.length > 0 && { libc }),
    optional: true,
    ...(os.length > 0 && { os }),
  }
}

function partsOf(name) {
  return name.split(/[/-]/)
}
