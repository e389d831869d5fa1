// Where Codex keeps hooks: hooks.json, or tables in config.toml for those who have theirs there. Both at one level make
// Codex warn, so ARC goes where the user's hooks are.

import { join } from 'node:path'
import { hookLine } from '../install/command-line.ts'
import { type HooksFormat, hookGroup, hooksFile } from '../install/hooks-file.ts'
import type { HostInstall, InstallTarget } from '../install/install-file.ts'
import { listWantedEvents } from '../install/registered-events.ts'
import { type TomlFormat, tomlBlockFile } from '../install/toml-block.ts'
import { readToml, type TomlName } from '../install/toml-text.ts'
import { CODEX_EVENTS } from './events.ts'
import { codexFacts } from './facts.ts'

const FORMAT: HooksFormat = {
  facts: codexFacts,
  events: CODEX_EVENTS,
  entry: (line, name) => hookGroup(line, timeoutField(name)),
  empty: '{\n  "hooks": {}\n}\n',
}

// The default at the end of a session is one second.
function timeoutField(name: string): { timeout?: number } {
  return name === 'SessionEnd' ? { timeout: (CODEX_EVENTS[name]?.limitMs ?? 0) / 1_000 } : {}
}

/** The folder of Codex's configuration. */
function codexHome({ scope, dir, env }: InstallTarget): string {
  return scope === 'project' ? join(dir, '.codex') : env.CODEX_HOME || join(dir, '.codex')
}

/** Codex's hooks.json. */
export function codexHooks(place: InstallTarget): string {
  return join(codexHome(place), 'hooks.json')
}

/** Codex's config.toml, which also holds what was trusted. */
export function codexConfig(place: InstallTarget): string {
  return join(codexHome(place), 'config.toml')
}

/** How Codex is installed. */
export const codexInstall: HostInstall = {
  files: (place) => [hooksFile(codexHooks(place), FORMAT), tomlBlockFile(codexConfig(place), TOML)],
  choose(place, texts) {
    const [json, toml] = [hooksFile(codexHooks(place), FORMAT), tomlBlockFile(codexConfig(place), TOML)]
    const config = texts.get(toml.path)
    if (config === undefined || texts.get(json.path) !== undefined) return [json]
    const names = readToml(config)
    if ('message' in names) return { path: toml.path, ...names }
    return names.some(isHookDefinition) ? [toml] : [json]
  },
  next: () =>
    'Codex skips new hooks without a word until you have reviewed them: start codex, open /hooks and trust the lines of arc. The lines never change, so once is enough. Check with: arc doctor',
}

const TOML: TomlFormat = {
  host: codexFacts.name,
  tables: ({ command, onDemand = [] }) => {
    const line = JSON.stringify(hookLine(command, codexFacts.name))
    return listWantedEvents(CODEX_EVENTS, onDemand).flatMap((name) => hookTable(name, line))
  },
  eventsIn: (part) => Array.from(part.matchAll(/^\[\[hooks\.(\w+)\]\]/gm), ([, name = '']) => name),
  isInline: isInlineHook,
  inlineAdvice: 'Write them as [[hooks.Event]] tables, or move them to hooks.json.',
}

/** Does this name define a hook? What was trusted is kept under hooks.state. */
function isHookDefinition({ path }: TomlName): boolean {
  return path[0] === 'hooks' && path[1] !== 'state' && path.length > 1
}

// `hooks = { … }`, `hooks.PreToolUse = [ … ]` or the key PreToolUse in the table [hooks].
function isInlineHook({ path, kind }: TomlName): boolean {
  return kind === 'key' && path[0] === 'hooks' && (path.length === 1 || (path.length === 2 && path[1] !== 'state'))
}

function hookTable(name: string, line: string): string[] {
  const { timeout } = timeoutField(name)
  const limit = timeout === undefined ? [] : [`timeout = ${timeout}`]
  return [`[[hooks.${name}]]`, `[[hooks.${name}.hooks]]`, 'type = "command"', `command = ${line}`, ...limit]
}
