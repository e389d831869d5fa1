// Is a host really supervised? Checks for `arc doctor` from facts that somebody else gathered: texts of files, versions.

import { getNodeValue, parseTree } from 'jsonc-parser'
import { isRecord } from '../engine/plain-data.ts'
import { claudeSettings } from './claude/claude.ts'
import { codexConfig, codexHooks } from './codex/install.ts'
import type { Host } from './host.ts'
import type { InstallOptions, InstallTarget, Texts } from './install/install-file.ts'
import { planInstall } from './install/plan.ts'
import { readToml } from './install/toml-text.ts'
import { compareVersions, type VersionOrder } from './versions.ts'

/** One line of `arc doctor`. */
export interface Check {
  readonly name: string
  readonly ok: boolean
  readonly detail: string
  /** What to do, where it is not ok. */
  readonly fix?: string | undefined
}

/** What is known about a host at one place. */
export interface HostFacts {
  readonly place: InstallTarget
  /** The files of `pathsToRead` and `pathsToDiagnose`. */
  readonly texts: Texts
  /** The path of `arc` that should be called. */
  readonly command: string
  /** Can that path be run? */
  readonly isCommandThere: boolean
  /** Does the profile in force enforce? */
  readonly isEnforced?: boolean | undefined
  /** The version of the installed client, where it could be asked. */
  readonly version?: string | undefined
}

/** Files beside those of the installation that tell something about a host. */
export function pathsToDiagnose(host: Host, place: InstallTarget): string[] {
  if (host.name === 'codex') return [codexConfig(place)]
  if (host.name === 'copilot' && place.scope === 'project') return [claudeSettings(place)]
  return []
}

/** The checks of one host. */
export function diagnose(host: Host, facts: HostFacts): Check[] {
  const checks = [installedCheck(host, facts), commandCheck(host, facts), versionCheck(host, facts)]
  checks.push(...failureCheck(host, facts))
  return [...checks, ...(SPECIAL[host.name]?.(host, facts) ?? [])]
}

function installedCheck(host: Host, facts: HostFacts): Check {
  const name = `${host.name}: installed`
  const { place, texts, command } = facts
  const fix = `arc install ${host.name} ${place.scope === 'user' ? '--user' : `--project ${place.dir}`}`
  const plans = [false, true].map((failClosed) =>
    planInstall(host, place, texts, { command, failClosed } satisfies InstallOptions),
  )
  const [problem] = plans[0]?.problems ?? []
  if (problem !== undefined) {
    const detail = `${problem.path}:${problem.line}:${problem.column} ${problem.message}`
    return { name, ok: false, detail, fix: 'Mend the file, then install again.' }
  }
  if (plans.some(({ changed }) => !changed))
    return { name, ok: true, detail: `every event has its line (${place.scope})` }
  const isThere = host.install.files(place).some(({ path, has }) => has(texts.get(path) ?? ''))
  return { name, ok: false, detail: isThere ? 'some lines are missing or name another arc' : 'no line of ARC', fix }
}

function commandCheck(host: Host, { command, isCommandThere }: HostFacts): Check {
  const name = `${host.name}: command`
  if (isCommandThere) return { name, ok: true, detail: command }
  const detail = `${command} cannot be run, and most hosts let every call pass then`
  return { name, ok: false, detail, fix: `Install arc-supervisor again, then: arc install ${host.name}` }
}

// Another release is no fault by itself; only whether its hooks still arrive tells.
function versionCheck(host: Host, { version }: HostFacts): Check {
  const name = `${host.name}: version`
  const { verifiedWith } = host
  if (verifiedWith === undefined)
    return { name, ok: true, detail: 'built from the documents, not checked with the program' }
  if (version === undefined) {
    return { name, ok: true, detail: `checked with ${verifiedWith}; which one is installed could not be told` }
  }
  const standing = compareVersions(version, verifiedWith)
  const detail = `${version}${STANDINGS[standing]} ${verifiedWith}`
  if (standing !== 'other') return { name, ok: true, detail }
  return { name, ok: false, detail, fix: `Work with it once, then look whether its calls came in: arc doctor` }
}

const STANDINGS: Readonly<Record<VersionOrder, string>> = {
  same: ', checked with',
  older: ' is older than the one that this was checked with,',
  newer: ' is newer than the one that this was checked with,',
  other: ' may have other hooks than the one that this was checked with,',
}

const SPECIAL: Partial<Record<Host['name'], (host: Host, facts: HostFacts) => Check[]>> = {
  claude: switchCheck,
  qwen: switchCheck,
  codex: (host, facts) => [trustCheck(host, facts)],
  copilot: (_host, facts) => claudeFileCheck(facts),
}

// One key turns every hook off.
function switchCheck(host: Host, { place, texts }: HostFacts): Check[] {
  const [file] = host.install.files(place)
  const settings = file === undefined ? undefined : settingsIn(texts.get(file.path))
  if (settings?.disableAllHooks !== true) return []
  const detail = `disableAllHooks is set in ${file?.path}`
  return [{ name: `${host.name}: hooks enabled`, ok: false, detail, fix: 'Remove disableAllHooks.' }]
}

// The hosts that can be told to stop a call when its hook fails.
const SWITCHES: Partial<Record<Host['name'], string>> = {
  claude: 'onFailure: block',
  cursor: 'failClosed: true',
  opencode: 'FAIL_CLOSED in the plugin',
  cline: 'a cancel in its scripts',
}

function failureCheck(host: Host, { place, texts, command, isEnforced }: HostFacts): Check[] {
  const how = SWITCHES[host.name]
  if (how === undefined) return []
  const name = `${host.name}: on failure`
  const isClosed = !planInstall(host, place, texts, { command, failClosed: true }).changed
  if (isClosed) return [{ name, ok: true, detail: `a hook that breaks stops the call (${how})` }]
  const detail = 'a hook that breaks or runs out of time lets the call pass'
  const where = place.scope === 'user' ? '--user' : `--project ${place.dir}`
  if (isEnforced !== true) return [{ name, ok: true, detail: `${detail}; in enforce ARC changes that` }]
  const fix = `arc install ${host.name} ${where}`
  return [{ name, ok: false, detail: `${detail}, although the mode is enforce`, fix }]
}

// Codex writes a hash for each line that a person has trusted; it cannot be computed here, but its absence tells.
function trustCheck(host: Host, { place, texts }: HostFacts): Check {
  const name = 'codex: trusted'
  const fix = 'Start codex, open /hooks and trust the lines of arc.'
  const names = readToml(texts.get(codexConfig(place)) ?? '')
  if ('message' in names) return { name, ok: false, detail: 'config.toml cannot be read', fix: 'Mend config.toml.' }
  const sources = [codexHooks(place), codexConfig(place)]
  const trusted = names.filter(
    ({ path }) =>
      path[1] === 'state' && path.at(-1) === 'trusted_hash' && sources.some((file) => path[2]?.startsWith(file)),
  )
  const wanted = Object.values(host.events).filter(({ isInstalled }) => isInstalled).length
  const detail = `${trusted.length} of ${wanted} lines reviewed; Codex skips the others without a word`
  return trusted.length >= wanted ? { name, ok: true, detail } : { name, ok: false, detail, fix }
}

function claudeFileCheck({ place, texts }: HostFacts): Check[] {
  const isDouble = place.scope === 'project' && (texts.get(claudeSettings(place)) ?? '').includes(' hook claude')
  if (!isDouble) return []
  const detail = 'Copilot also runs the line in .claude/settings.json: each call is seen twice and counted once'
  return [{ name: "copilot: Claude's file", ok: true, detail }]
}

function settingsIn(text: string | undefined): Readonly<Record<string, unknown>> | undefined {
  const root = parseTree(text ?? '', [], { allowTrailingComma: true })
  const value: unknown = root === undefined ? undefined : getNodeValue(root)
  return isRecord(value) ? value : undefined
}
