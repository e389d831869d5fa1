// The valid entries of a layer that has bad entries too.

import type { Layer } from './layers.ts'
import { formatKey } from './problem.ts'

/** The hook or command that a key belongs to. */
export function findEntry(key: string): string {
  return /^(?:hooks\.[^.]+|commands\[\d+\])/.exec(key)?.[0] ?? key
}

/** The layer without these entries, each named by its file and key. */
export function withoutEntries(layer: Layer, bad: ReadonlySet<string>): Layer {
  const { source, settings } = layer.file
  const isGood = (key: string): boolean => !bad.has(`${source.file} ${key}`)
  const hooks = Object.fromEntries(
    Object.entries(settings.hooks ?? {}).filter(([name]) => isGood(findEntry(formatKey(['hooks', name])))),
  ) as typeof settings.hooks
  const commands = (settings.commands ?? []).filter((_command, index) => isGood(formatKey(['commands', index])))
  return { ...layer, file: { source, settings: { ...settings, hooks, commands } } }
}

/** The settings of a project that need no trust. */
export function withoutHooks({ file: { source, settings } }: Layer): Layer {
  const { commands: _commands, scripts: _scripts, ...rest } = settings
  return { file: { source, settings: rest }, scripts: [] }
}
