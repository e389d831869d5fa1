// The checks of an installed host, for `arc doctor`: pure, from file texts and versions.

import type { Check, HostFacts } from './check.ts'
import type { Host } from './host.ts'
import type { InstallOptions, InstallTarget } from './install/install-file.ts'
import { planInstall } from './install/plan.ts'
import { compareVersions, type VersionOrder } from './versions.ts'

/** Files beside those of the installation that the checks of a host read. */
export function pathsToDiagnose(host: Host, place: InstallTarget): readonly string[] {
  return host.checks?.paths?.(place) ?? []
}

/** Runs all checks of a host. */
export function diagnose(host: Host, facts: HostFacts): Check[] {
  return [
    installedCheck(host, facts),
    commandCheck(host, facts),
    versionCheck(host, facts),
    ...failureCheck(host, facts),
    ...(host.checks?.run(host, facts) ?? []),
  ]
}

function installCommand({ name }: Host, { scope, dir }: InstallTarget): string {
  return `arc install ${name} ${scope === 'user' ? '--user' : `--project ${dir}`}`
}

function installedCheck(host: Host, facts: HostFacts): Check {
  const name = `${host.name}: installed`
  const { place, texts, command } = facts
  const plans = [false, true].map((failClosed) =>
    planInstall(host, place, texts, { command, failClosed } satisfies InstallOptions),
  )
  const [problem] = plans[0]?.problems ?? []
  if (problem !== undefined) {
    const detail = `${problem.path}:${problem.line}:${problem.column} ${problem.message}`
    return { name, ok: false, detail, fix: 'Fix the file, then install again.' }
  }
  if (plans.some(({ changed }) => !changed))
    return { name, ok: true, detail: `all events are registered (${place.scope})` }
  const isThere = host.install.files(place).some(({ path, has }) => has(texts.get(path) ?? ''))
  const detail = isThere ? 'some events are not registered, or name another arc' : 'not registered'
  return { name, ok: false, detail, fix: installCommand(host, place) }
}

function commandCheck(host: Host, { command, isCommandThere }: HostFacts): Check {
  const name = `${host.name}: command`
  if (isCommandThere) return { name, ok: true, detail: command }
  const detail = `${command} is not executable, so most agents let every call pass`
  return { name, ok: false, detail, fix: `Install arc-supervisor again, then: arc install ${host.name}` }
}

// Another version is not an error: only received calls show whether its hooks work.
function versionCheck(host: Host, { version }: HostFacts): Check {
  const name = `${host.name}: version`
  const { verifiedWith } = host
  if (verifiedWith === undefined)
    return { name, ok: true, detail: 'written from the documentation, not tested with the program' }
  if (version === undefined) {
    return { name, ok: true, detail: `tested with ${verifiedWith}; the installed version is unknown` }
  }
  const order = compareVersions(version, verifiedWith)
  const detail = `${version}${ORDERS[order]} ${verifiedWith}`
  if (order !== 'other') return { name, ok: true, detail }
  return { name, ok: false, detail, fix: 'Use the agent once, then check that its calls were received: arc doctor' }
}

const ORDERS: Readonly<Record<VersionOrder, string>> = {
  same: ', tested with',
  older: ' is older than the tested version',
  newer: ' is newer than the tested version',
  other: ' may have other hooks than the tested version',
}

function failureCheck(host: Host, { place, texts, command, isEnforced }: HostFacts): Check[] {
  if (host.failClosed === undefined) return []
  const name = `${host.name}: on failure`
  const isClosed = !planInstall(host, place, texts, { command, failClosed: true }).changed
  if (isClosed) return [{ name, ok: true, detail: `a failing hook blocks the call (${host.failClosed})` }]
  const detail = 'a hook that fails or times out lets the call pass'
  if (isEnforced !== true) return [{ name, ok: true, detail: `${detail}; enforce mode changes that` }]
  return [{ name, ok: false, detail: `${detail}, although the mode is enforce`, fix: installCommand(host, place) }]
}
