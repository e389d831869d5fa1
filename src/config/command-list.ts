// The command hooks of all layers: appended, never replaced; the same hook twice counts once.

import { basename } from 'node:path'
import type { CommandHook, LayerName, Origin } from './config.ts'
import type { CommandSetting } from './schema.ts'
import type { ValidFile } from './validate.ts'

/** Appends the commands of a file. A command with the same content is not added twice; a taken name is varied. */
export function addCommands(base: readonly CommandHook[], file: ValidFile, layer: LayerName): readonly CommandHook[] {
  const list = [...base]
  const contents = new Set(base.map(serializeContent))
  const names = new Set(base.map(buildKey))
  for (const [index, setting] of (file.settings.commands ?? []).entries()) {
    const hook = buildHook(setting, { layer, file: file.source.file, ...file.source.at(['commands', index]) })
    const content = serializeContent(hook)
    if (contents.has(content)) continue
    contents.add(content)
    const added = { ...hook, name: freeName(hook, names, layer) }
    names.add(buildKey(added))
    list.push(added)
  }
  return list
}

function buildHook(setting: CommandSetting, origin: Origin): CommandHook {
  const { point, tool, command, timeoutMs, blocking, priority, onError, critical } = setting
  const name = setting.name ?? `${readProgram(command)}@${point}`
  return { name, point, tool, command, timeoutMs, blocking, priority, onError, critical, origin }
}

/** The content of a hook without its name and origin: two hooks of the same content are one. */
export function serializeContent({ name: _name, origin: _origin, ...content }: CommandHook): string {
  return JSON.stringify(Object.entries(content).sort(([a], [b]) => (a < b ? -1 : 1)))
}

// A project's hook never replaces a hook of the user: both run, and the name shows the layer.
function freeName(hook: CommandHook, taken: ReadonlySet<string>, layer: LayerName): string {
  const isFree = (name: string) => !taken.has(buildKey({ ...hook, name }))
  if (isFree(hook.name)) return hook.name
  const base = layer === 'project' ? `${hook.name} (project)` : hook.name
  if (isFree(base)) return base
  for (let count = 2; ; count++) if (isFree(`${base} #${count}`)) return `${base} #${count}`
}

function buildKey({ name, point }: { readonly name: string; readonly point: string }): string {
  return `${point} ${name}`
}

function readProgram(command: string | readonly string[]): string {
  const program = typeof command === 'string' ? command.trim().split(/\s/)[0] : command[0]
  return basename((program ?? '').replace(/["'`$;|&<>(){}]/g, '')) || 'command'
}
