// tr: sets of characters with ranges, replaced or deleted.

import { decodeEscapes } from '../escapes.ts'

const CLASSES: Readonly<Record<string, string>> = {
  '[:lower:]': 'a-z',
  '[:upper:]': 'A-Z',
  '[:digit:]': '0-9',
  '[:space:]': ' \t\n',
}

/** What `tr` makes of a text; undefined for options that are not followed. */
export function translate(args: readonly string[], text: string): string | undefined {
  const [first, second, third] = args
  if (first === '-d' && second !== undefined && third === undefined) {
    const gone = new Set(readSet(second))
    return [...text].filter((character) => !gone.has(character)).join('')
  }
  if (first === undefined || second === undefined || first.startsWith('-') || third !== undefined) return undefined
  const from = readSet(first)
  const to = readSet(second)
  const last = to.at(-1)
  if (last === undefined) return undefined
  const table = new Map<string, string>()
  for (const [index, character] of from.entries()) table.set(character, to[index] ?? last)
  return [...text].map((character) => table.get(character) ?? character).join('')
}

function readSet(written: string): readonly string[] {
  const named = written.replace(/\[:[a-z]+:\]/g, (name) => CLASSES[name] ?? name)
  const characters = [...decodeEscapes(named)]
  const set: string[] = []
  for (let at = 0; at < characters.length; at++) {
    const from = characters[at] ?? ''
    const to = characters[at + 1] === '-' ? characters[at + 2] : undefined
    if (to === undefined) set.push(from)
    else {
      for (let code = from.charCodeAt(0); code <= to.charCodeAt(0) && set.length < 1_000; code++)
        set.push(String.fromCharCode(code))
      at += 2
    }
  }
  return set
}
