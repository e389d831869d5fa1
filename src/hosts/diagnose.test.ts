import { expect, it } from 'vitest'
import type { HostFacts } from './check.ts'
import { diagnose, pathsToDiagnose } from './diagnose.ts'
import { HOST_NAMES, type HostName } from './host.ts'
import type { InstallTarget } from './install/install-file.ts'
import { planInstall } from './install/plan.ts'
import { HOSTS } from './list.ts'

const COMMAND = '/opt/arc/bin/arc'
const PLACE: InstallTarget = { scope: 'project', dir: '/p', env: {} }

// Some agents have hooks of the user only.
function placeOf(host: HostName): InstallTarget {
  return HOSTS[host].install.files(PLACE).length > 0 ? PLACE : { ...PLACE, scope: 'user' }
}

function installed(host: HostName, extra: Record<string, string> = {}): Map<string, string | undefined> {
  const texts = new Map<string, string | undefined>(Object.entries(extra))
  for (const { path, after } of planInstall(HOSTS[host], placeOf(host), texts, { command: COMMAND }).files)
    texts.set(path, after)
  return texts
}

function failing(host: HostName, facts: Partial<HostFacts>): string[] {
  const all = diagnose(HOSTS[host], {
    place: placeOf(host),
    texts: new Map(),
    command: COMMAND,
    isCommandThere: true,
    ...facts,
  })
  for (const { ok, fix } of all) if (!ok) expect(fix).toBeTruthy()
  return all.filter(({ ok }) => !ok).map(({ name, detail }) => `${name}: ${detail}`)
}

it('an installed host has nothing to fix', () => {
  // Codex asks for trust first.
  for (const host of HOST_NAMES.filter((name) => name !== 'codex')) {
    expect(failing(host, { texts: installed(host) })).toEqual([])
  }
})

it('no line, missing lines and a moved arc are distinguished', () => {
  expect(failing('claude', {})).toEqual(['claude: installed: not registered'])
  const path = '/p/.claude/settings.json'
  const partly = new Map([[path, installed('claude').get(path)?.replace('"PreToolUse"', '"Renamed"')]])
  expect(failing('claude', { texts: partly })).toEqual([
    'claude: installed: some events are not registered, or name another arc',
  ])
  expect(failing('claude', { texts: installed('claude'), command: '/new/arc' })).toHaveLength(1)
  expect(failing('claude', { texts: installed('claude'), isCommandThere: false })[0]).toMatch(/is not executable/)
})

it('a file that cannot be read is named with its place', () => {
  expect(failing('gemini', { texts: new Map([['/p/.gemini/settings.json', '{"a":']]) })[0]).toContain(
    'settings.json:1:6',
  )
})

it('Claude: a switch that turns every hook off is found', () => {
  const texts = installed('claude', { '/p/.claude/settings.json': '{"disableAllHooks": true}' })
  expect(failing('claude', { texts })).toEqual([
    'claude: hooks enabled: disableAllHooks is set in /p/.claude/settings.json',
  ])
})

it('Codex: unreviewed lines are counted, since Codex skips them silently', () => {
  expect(failing('codex', { texts: installed('codex') })[0]).toMatch(/^codex: trusted: 0 of 10 lines reviewed/)
  const events = Object.keys(HOSTS.codex.events).filter((name) => HOSTS.codex.events[name]?.isInstalled)
  const rows = events.map((name) => `[hooks.state."/p/.codex/hooks.json:${name}:0:0"]\ntrusted_hash = "x"\n`)
  const texts = installed('codex', { '/p/.codex/config.toml': rows.join('') })
  expect(pathsToDiagnose(HOSTS.codex, PLACE)).toEqual(['/p/.codex/config.toml'])
  expect(failing('codex', { texts })).toEqual([])
})

it("Copilot: a line in Claude's file is explained", () => {
  const texts = new Map([...installed('copilot'), ...installed('claude')])
  const checks = diagnose(HOSTS.copilot, { place: PLACE, texts, command: COMMAND, isCommandThere: true })
  expect(checks.map(({ detail }) => detail).join('\n')).toMatch(/received twice and counted once/)
})
