// Calls of `arc` that loosen or disable the supervision.

import type { Word } from '../shell/execution.ts'

type Test = (rest: readonly string[]) => boolean

const always: Test = () => true
const first =
  (...names: string[]): Test =>
  ([word]) =>
    names.includes(word ?? '')

// By command: whether its arguments loosen the supervision.
const LOOSENING: Readonly<Record<string, Test>> = {
  uninstall: always,
  stop: always,
  trust: always,
  untrust: always,
  allow: ([verb]) => verb !== 'list',
  approve: always,
  setup: always,
  disable: always,
  pause: always,
  snooze: always,
  off: always,
  breaker: first('reset'),
  hooks: first('disable', 'snooze'),
  approvals: first('approve', 'allow'),
  mode: ([mode]) => mode !== undefined && mode !== 'enforce',
  config: first('set', 'unset', 'edit'),
  profile: ([verb, key, value]) =>
    ['set', 'unset', 'use', 'delete', 'create', 'edit', 'import'].includes(verb ?? '') &&
    !(verb === 'set' && key === 'enforcement' && value === 'enforce'),
}

/** The word of a call of `arc` that loosens the supervision; undefined if none does. */
export function findLoosening(args: readonly Word[]): Word | undefined {
  const texts = args.map(({ text }) => text)
  if (texts.some((text) => text === '--help' || text === '-h' || text === '--dry-run')) return undefined
  // Options may come first, and an option's value may look like a command: the first known command counts.
  const at = texts.findIndex((text) => text === 'init' || Object.hasOwn(LOOSENING, text))
  const name = texts[at]
  if (at < 0 || name === undefined || isAfterReading(texts.slice(0, at))) return undefined
  const rest = texts.slice(at + 1).filter((text) => !text.startsWith('-'))
  const isLoosening = name === 'init' ? loosensAtInit(texts.slice(at + 1)) : LOOSENING[name]?.(rest) === true
  return isLoosening ? args[at] : undefined
}

// `arc check -- arc stop` only reads: the first command decides.
const READING = new Set(
  'check logs why report status doctor trace sample task roundtable completion complete help list'.split(' '),
)

function isAfterReading(before: readonly string[]): boolean {
  return before.some((text, index) => READING.has(text) && before[index - 1]?.startsWith('-') !== true)
}

function loosensAtInit(rest: readonly string[]): boolean {
  const value = (name: string): string | undefined => {
    const at = rest.findIndex((text) => text === name || text.startsWith(`${name}=`))
    return at < 0 ? undefined : rest[at] === name ? rest[at + 1] : rest[at]?.slice(name.length + 1)
  }
  const enforcement = value('--enforcement')
  return (
    (enforcement !== undefined && enforcement !== 'enforce') ||
    value('--confirm') === 'none' ||
    rest.some((text) => text === '--force' || text === '-f') ||
    !(rest[0]?.startsWith('-') ?? true)
  )
}
