// The check of Codex: it skips hooks that the user has not reviewed. Codex stores a hash for each reviewed line.

import type { Check, HostFacts } from '../check.ts'
import type { Host } from '../host.ts'
import { findOnDemand, listWantedEvents } from '../install/registered-events.ts'
import { readToml } from '../install/toml-text.ts'
import { codexConfig, codexHooks } from './install.ts'

/** Fails if some of ARC's lines were not reviewed. The hash cannot be computed here, so the number of hashes counts. */
export function checkTrust(host: Host, { place, texts }: HostFacts): Check[] {
  const name = 'codex: trusted'
  const fix = 'Start codex, open /hooks and trust the lines of arc.'
  const names = readToml(texts.get(codexConfig(place)) ?? '')
  if ('message' in names) return [{ name, ok: false, detail: 'config.toml has errors', fix: 'Fix config.toml.' }]
  const sources = [codexHooks(place), codexConfig(place)]
  const trusted = names.filter(
    ({ path }) =>
      path[1] === 'state' && path.at(-1) === 'trusted_hash' && sources.some((file) => path[2]?.startsWith(file)),
  )
  const wanted = listWantedEvents(host.events, findOnDemand(host, place, texts)).length
  const detail = `${trusted.length} of ${wanted} lines reviewed; Codex silently skips the others`
  return [trusted.length >= wanted ? { name, ok: true, detail } : { name, ok: false, detail, fix }]
}
