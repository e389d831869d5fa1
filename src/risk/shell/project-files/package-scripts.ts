// The scripts of package.json and deno.json, with the scripts before and after them.

import { isRecord } from '../../../engine/plain-data.ts'
import { MAX_PARTS, type ScriptPart } from './script-part.ts'

/** The script of this name, with `pre` and `post` unless they are not run. */
export function readPackageScripts(text: string, names: readonly string[], key = 'scripts'): readonly ScriptPart[] {
  const scripts = parseScripts(text, key)
  if (scripts === undefined) return []
  return names.flatMap((name) => {
    const script = readScript(scripts[name])
    return script === undefined ? [] : [{ ...findScript(text, key, name, script), name }]
  })
}

/** All scripts of package.json. */
export function readAllScripts(text: string): readonly ScriptPart[] {
  return readPackageScripts(text, Object.keys(parseScripts(text, 'scripts') ?? {}).slice(0, MAX_PARTS))
}

/** A script of npm, with those that run before and after it. */
export function withPreAndPost(name: string): readonly string[] {
  return [`pre${name}`, name, `post${name}`]
}

function parseScripts(text: string, key: string): Readonly<Record<string, unknown>> | undefined {
  try {
    // deno.json may have comments on their own lines.
    const parsed: unknown = JSON.parse(text.replace(/^\s*\/\/.*$/gm, ''))
    const scripts = isRecord(parsed) ? parsed[key] : undefined
    return isRecord(scripts) ? scripts : undefined
  } catch {
    // Not valid: the program would refuse it.
    return undefined
  }
}

function readScript(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  return isRecord(value) && typeof value.command === 'string' ? value.command : undefined
}

function findScript(text: string, key: string, name: string, script: string): Omit<ScriptPart, 'name'> {
  const block = Math.max(0, text.indexOf(`"${key}"`))
  const at = Math.max(
    block,
    text.indexOf(`${JSON.stringify(name)}:`, block),
    text.indexOf(`${JSON.stringify(name)} :`, block),
  )
  const written = JSON.stringify(script)
  const start = text.indexOf(written, at)
  return start < 0
    ? { text: script, start: at, end: at + name.length + 2 }
    : { text: script, start: start + 1, end: start + written.length - 1 }
}

const INSTALL = ['preinstall', 'install', 'postinstall', 'prepublish', 'preprepare', 'prepare', 'postprepare']

/** The scripts that subcommands of package managers run. */
export const LIFECYCLE: Readonly<Record<string, readonly string[]>> = {
  install: INSTALL,
  i: INSTALL,
  ci: INSTALL,
  add: INSTALL,
  publish: ['prepublishOnly', 'prepack', 'prepare', 'postpack', 'publish', 'postpublish'],
  pack: ['prepack', 'prepare', 'postpack'],
  version: ['preversion', 'version', 'postversion'],
}
