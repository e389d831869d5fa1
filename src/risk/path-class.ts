// Path classes: temporary and build folders, the project, the home, the system.
// Paths are classified by name. If the guard can resolve links, the target of a link counts, too.

import type { Facts } from './rule.ts'
import type { CommandLocation, Word } from './shell/execution.ts'

/** The class of a path, from harmless to worst. */
export type PathClass =
  | 'temp'
  | 'build'
  | 'inside'
  | 'unknown'
  | 'temp-root'
  | 'outside'
  | 'in-home'
  | 'repository'
  | 'workspace'
  | 'device'
  | 'system'
  | 'home'
  | 'above'
  | 'root'

/** A path with its class. */
export interface ClassifiedPath {
  readonly pathClass: PathClass
  /** Absolute and normalized if possible; otherwise as written. */
  readonly path: string
  /** The word ends in a pattern that matches everything: `*`, `dir/*`. */
  readonly isAll: boolean
}

const BUILD_FOLDERS = new Set(
  (
    'node_modules dist build out target .next .nuxt .output .svelte-kit .turbo .parcel-cache .cache .vite .angular ' +
    '__pycache__ .pytest_cache .mypy_cache .ruff_cache .tox .nox .venv venv coverage .nyc_output htmlcov .gradle ' +
    'bin obj cmake-build-debug cmake-build-release _build .eggs .terraform .serverless .dart_tool .expo .docusaurus ' +
    'storybook-static test-results playwright-report tmp temp .tmp .temp logs DerivedData bower_components .webpack ' +
    '.rollup.cache .esbuild zig-out zig-cache .zig-cache elm-stuff .stack-work dist-newstyle .bundle public/build'
  ).split(' '),
)

const TEMP_ROOTS = [
  '/tmp',
  '/var/tmp',
  '/private/tmp',
  '/private/var/tmp',
  '/dev/shm',
  '/var/folders',
  '/private/var/folders',
]

const SYSTEM_ROOTS = new Set(
  (
    'bin boot dev etc lib lib32 lib64 libx32 lost+found opt proc root run sbin sys usr var home Users System Library ' +
    'Applications Volumes private mnt media nix snap cores'
  ).split(' '),
)

/** Classifies a word as a path in the working folder. */
export function classifyPath(
  word: Word,
  cwd: string | undefined,
  facts: Facts,
  where: CommandLocation = 'local',
): ClassifiedPath {
  if (where !== 'local') return classifyPathText(word.text, cwd, { ...facts, workspace: undefined }, word.isGlob)
  const placed = classifyPathText(word.text, cwd, facts, word.isGlob)
  return facts.guard?.realFolder === undefined ? placed : classifyLinkTarget(placed, word, facts)
}

const RANK: Readonly<Record<PathClass, number>> = {
  temp: 0,
  build: 1,
  inside: 2,
  unknown: 3,
  'temp-root': 4,
  outside: 5,
  'in-home': 6,
  repository: 7,
  workspace: 8,
  device: 9,
  system: 10,
  home: 11,
  above: 12,
  root: 13,
}

// `build/*` is the whole home if `build` is a link to it. The last name is not resolved: deleting a link
// deletes only the link. The worse class counts.
function classifyLinkTarget(placed: ClassifiedPath, { text, isGlob }: Word, facts: Facts): ClassifiedPath {
  const { path } = placed
  if (!path.startsWith('/') || RANK[placed.pathClass] >= RANK.system) return placed
  const isFollowed = /\/\.*$/.test(text)
  const end = isGlob ? path.lastIndexOf('/', path.search(/[*?[{]|$/)) : isFollowed ? path.length : path.lastIndexOf('/')
  const folder = path.slice(0, end) || '/'
  const real = resolveFolder(folder, facts)
  if (real === folder) return placed
  const { workspace, home } = facts
  const there: Facts = {
    ...facts,
    home: resolveFolder(home, facts),
    workspace: workspace === undefined ? undefined : resolveFolder(workspace, facts),
  }
  const led = classifyPathText(`${real === '/' ? '' : real}${path.slice(end)}` || '/', undefined, there, isGlob)
  return RANK[led.pathClass] > RANK[placed.pathClass] ? led : placed
}

function resolveFolder(folder: string, { guard }: Facts): string {
  return guard?.realFolder?.(folder) ?? folder
}

/** Classifies a path in a text, such as code of another language. */
export function classifyPathText(text: string, cwd: string | undefined, facts: Facts, hasGlob = false): ClassifiedPath {
  const expanded = expandKnown(text, cwd, facts)
  if (expanded === undefined) return { pathClass: findUnknownClass(text), path: text, isAll: false }
  const whole = expanded.startsWith('/') ? expanded : cwd === undefined ? undefined : `${cwd}/${expanded}`
  if (whole === undefined)
    return { pathClass: findRelativeClass(expanded), path: expanded, isAll: hasGlob && isMatchAll(lastPart(expanded)) }
  const path = resolveDots(whole)
  if (!hasGlob) return { pathClass: findPathClass(path, facts), path, isAll: false }
  return classifyGlob(path, facts)
}

// A pattern that matches everything in a folder counts as the folder; other patterns count as paths in the folder.
function classifyGlob(path: string, facts: Facts): ClassifiedPath {
  const parts = path.split('/')
  const first = parts.findIndex(hasPattern)
  if (first < 0) return { pathClass: findPathClass(path, facts), path, isAll: false }
  const folder = parts.slice(0, first).join('/') || '/'
  const isAll = isMatchAll(parts[first] ?? '')
  const pathClass = findPathClass(folder, facts)
  if (isAll && first === parts.length - 1) return { pathClass, path, isAll: true }
  if (pathClass === 'root') return { pathClass: 'system', path, isAll: false }
  if (pathClass === 'home') return { pathClass: 'in-home', path, isAll: false }
  if (pathClass === 'temp-root') return { pathClass: 'temp', path, isAll: false }
  if (pathClass === 'workspace')
    return { pathClass: hasBuildName(parts.slice(first)) ? 'build' : 'inside', path, isAll: false }
  return { pathClass, path, isAll: false }
}

function hasPattern(part: string): boolean {
  return part.includes('*') || part.includes('?') || part.includes('[') || part.includes('{')
}

function isMatchAll(part: string): boolean {
  return (
    part === '*' ||
    part === '.*' ||
    part === '**' ||
    part === '.[!.]*' ||
    part === '{*,.*}' ||
    part === '?*' ||
    part === '.??*'
  )
}

function findPathClass(path: string, facts: Facts): PathClass {
  if (path === '/') return 'root'
  return findTempRootClass(path, facts) ?? findProjectClass(path, facts) ?? findSystemClass(path, facts)
}

function findTempRootClass(path: string, facts: Facts): PathClass | undefined {
  for (const root of TEMP_ROOTS) {
    // A home folder in a temporary folder is a home folder, and a folder that contains a home is not temporary.
    if (path === root) return isWithin(facts.home, root) ? 'above' : 'temp-root'
    if (path.startsWith(root) && path.charCodeAt(root.length) === 47) return findTempClass(path, facts)
  }
  return undefined
}

function findProjectClass(path: string, { workspace, home }: Facts): PathClass | undefined {
  const isProject = workspace !== undefined && workspace !== '/' && isWithin(path, workspace)
  if (isProject) return findWorkspaceClass(path, workspace)
  if (path === home || isUserHome(path)) return 'home'
  return workspace !== undefined && isWithin(workspace, path) ? 'above' : undefined
}

function findSystemClass(path: string, { home }: Facts): PathClass {
  if (path.startsWith('/dev/')) return 'device'
  const parts = path.split('/')
  const [, top = ''] = parts
  if (isWithin(path, home) || top === 'home' || top === 'Users')
    return hasBuildName(parts.slice(3)) ? 'build' : 'in-home'
  if (!SYSTEM_ROOTS.has(top)) return hasBuildName(parts.slice(2)) ? 'build' : 'outside'
  // Caches of package managers may be deleted at any time.
  if (path.startsWith('/var/cache/') || path.startsWith('/var/lib/apt/lists')) return 'temp'
  return 'system'
}

function findTempClass(path: string, { home, workspace }: Facts): PathClass {
  const isHomeHere = isWithin(home, path)
  if (isHomeHere) return path === home ? 'home' : 'above'
  const isInWorkspace = workspace !== undefined && isWithin(path, workspace)
  return isWithin(path, home) && !isInWorkspace && !hasBuildName(path.slice(home.length + 1).split('/'))
    ? 'in-home'
    : 'temp'
}

function findWorkspaceClass(path: string, workspace: string): PathClass {
  if (path === workspace) return 'workspace'
  const parts = path.slice(workspace.length + 1).split('/')
  if (parts.includes('.git')) return 'repository'
  return hasBuildName(parts) ? 'build' : 'inside'
}

function isUserHome(path: string): boolean {
  const parts = path.split('/')
  return (
    path === '/root' ||
    path === '/home' ||
    path === '/Users' ||
    (parts.length === 3 && (parts[1] === 'home' || parts[1] === 'Users'))
  )
}

function hasBuildName(parts: readonly string[]): boolean {
  return parts.some((part) => BUILD_FOLDERS.has(part) || part.endsWith('.egg-info') || part.startsWith('bazel-'))
}

/** Whether a path is the folder or inside it. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || (path.startsWith(folder) && (folder === '/' || path.charCodeAt(folder.length) === 47))
}

/** Removes `.`, `..` and double slashes from an absolute path. */
export function resolveDots(path: string): string {
  if (!path.includes('/.') && !path.includes('//') && !path.endsWith('/')) return path
  const parts: string[] = []
  for (const part of path.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return `/${parts.join('/')}`
}

/** The last part of a path. */
export function lastPart(path: string): string {
  const end = path.endsWith('/') ? path.length - 1 : path.length
  return path.slice(path.lastIndexOf('/', end - 1) + 1, end)
}

// Variables and substitutions with a known value.
const TEMP_VARIABLES = new Set(['TMPDIR', 'TMP', 'TEMP', 'RUNNER_TEMP', 'XDG_RUNTIME_DIR'])
const PROJECT_SUBSTITUTIONS = ['$(pwd)', '`pwd`', '$(git rev-parse --show-toplevel)', '`git rev-parse --show-toplevel`']

/** Expands the start of a path, also with the given variables. */
export function expandPathStart(
  text: string,
  cwd: string | undefined,
  facts: Facts,
  variables: ReadonlyMap<string, string>,
): string | undefined {
  if (text.charCodeAt(0) === 36 && text.charCodeAt(1) !== 40) {
    const variable = leadingVariable(text)
    const value = variable === undefined ? undefined : variables.get(variable.name)
    if (variable !== undefined && value !== undefined && facts.assigned?.has(variable.name) !== true)
      return value + variable.rest
  }
  return expandKnown(text, cwd, facts)
}

// Expands the start of a path; undefined when it is unknown.
function expandKnown(text: string, cwd: string | undefined, facts: Facts): string | undefined {
  const code = text.charCodeAt(0)
  if (code === 126) return expandTilde(text, facts)
  if (code === 36 || code === 96) return expandStart(text, cwd, facts)
  // Unknown parts later in the path stay below its start.
  return text
}

function expandTilde(text: string, facts: Facts): string {
  const slash = text.indexOf('/')
  const user = slash < 0 ? text.slice(1) : text.slice(1, slash)
  const rest = slash < 0 ? '' : text.slice(slash)
  if (user === '') return facts.home + rest
  if (user === '+') return `.${rest}`
  return user === lastPart(facts.home) ? facts.home + rest : `/home/${user}${rest}`
}

function expandStart(text: string, cwd: string | undefined, facts: Facts): string | undefined {
  for (const written of PROJECT_SUBSTITUTIONS) {
    if (text.startsWith(written)) return `${cwd ?? facts.workspace ?? '.'}${text.slice(written.length)}`
  }
  if (text.startsWith('$(mktemp') || text.startsWith('`mktemp')) {
    const end = text.startsWith('`') ? text.indexOf('`', 1) : text.indexOf(')')
    return `/tmp/mktemp${end < 0 ? '' : text.slice(end + 1)}`
  }
  const variable = leadingVariable(text)
  if (variable === undefined) return undefined
  if (variable.name === 'HOME') return facts.home + variable.rest
  if (variable.name === 'PWD') return `${cwd ?? facts.workspace ?? '.'}${variable.rest}`
  if (TEMP_VARIABLES.has(variable.name)) return `/tmp${variable.rest === '' ? '/own' : variable.rest}`
  return expandAssigned(variable, cwd, facts)
}

// A trap or function may be read before its variable is set, so every assignment of the text counts.
function expandAssigned(
  { name, rest }: { readonly name: string; readonly rest: string },
  cwd: string | undefined,
  facts: Facts,
): string | undefined {
  const value = facts.assigned?.get(name)?.text
  if (value === undefined || value === '' || value.startsWith(`$${name}`)) return undefined
  const { assigned: _, ...others } = facts
  const known = expandKnown(value, cwd, others)
  return known === undefined ? undefined : known + rest
}

function leadingVariable(text: string): { readonly name: string; readonly rest: string } | undefined {
  const isBraced = text.charCodeAt(1) === 123
  let at = isBraced ? 2 : 1
  const start = at
  while (at < text.length && isNameCharacter(text.charCodeAt(at))) at++
  const name = text.slice(start, at)
  if (name === '') return undefined
  if (!isBraced) return { name, rest: text.slice(at) }
  const close = text.indexOf('}', at)
  return close < 0 ? undefined : { name, rest: text.slice(close + 1) }
}

function isNameCharacter(code: number): boolean {
  return (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code === 95 || (code >= 48 && code <= 57)
}

// `$dir/node_modules` is a build folder for any `$dir`.
function findUnknownClass(text: string): PathClass {
  return hasBuildName(text.split('/').slice(1)) && !text.includes('..') ? 'build' : 'unknown'
}

function findRelativeClass(text: string): PathClass {
  return hasBuildName(text.split('/')) && !text.includes('..') ? 'build' : 'unknown'
}
