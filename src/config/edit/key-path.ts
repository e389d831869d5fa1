// The path of a setting as people write it: hooks.risk-detection.timeout, commands[0].blocking, hooks."a.b".mode.

import { ArcError, show } from '../../engine/errors.ts'

/** Names of keys, and numbers for items of lists. */
export type KeyPath = readonly (string | number)[]

const PART = /\[(\d{1,6})\]|(?:^|\.)(?:"((?:[^"\\]|\\.)*)"|([^."[\]\s][^."[\]]*))/y

/**
 * Reads the path of a setting.
 * @example
 * readKeyPath('hooks."a.b".timeout') // ['hooks', 'a.b', 'timeout']
 */
export function readKeyPath(text: string): KeyPath {
  const path: (string | number)[] = []
  PART.lastIndex = 0
  while (PART.lastIndex < text.length) {
    const found = PART.exec(text)
    if (found === null) throw notAPath(text)
    const [, index, quoted, bare] = found
    if (index !== undefined) path.push(Number(index))
    else path.push(quoted === undefined ? (bare ?? '') : unquote(quoted, text))
  }
  if (typeof path[0] !== 'string') throw notAPath(text)
  return path
}

function unquote(quoted: string, text: string): string {
  try {
    return JSON.parse(`"${quoted}"`) as string
  } catch {
    throw notAPath(text)
  }
}

function notAPath(text: string): ArcError {
  const expected = 'Expected a key such as hooks.risk-detection.timeout or commands[0].blocking'
  return new ArcError('ARC_CONFIG_INVALID', `${expected}, not ${show(text)}.`)
}
