// The check of Claude Code and Qwen Code: one setting turns every hook off.

import { getNodeValue, parseTree } from 'jsonc-parser'
import { isRecord } from '../../engine/plain-data.ts'
import type { Check, HostFacts } from '../check.ts'
import type { Host } from '../host.ts'

/** Fails if `disableAllHooks` is set. */
export function checkHooksEnabled(host: Host, { place, texts }: HostFacts): Check[] {
  const [file] = host.install.files(place)
  const settings = file === undefined ? undefined : parseSettings(texts.get(file.path))
  if (settings?.disableAllHooks !== true) return []
  const detail = `disableAllHooks is set in ${file?.path}`
  return [{ name: `${host.name}: hooks enabled`, ok: false, detail, fix: 'Remove disableAllHooks.' }]
}

function parseSettings(text: string | undefined): Readonly<Record<string, unknown>> | undefined {
  const root = parseTree(text ?? '', [], { allowTrailingComma: true })
  const value: unknown = root === undefined ? undefined : getNodeValue(root)
  return isRecord(value) ? value : undefined
}
