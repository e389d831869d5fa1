// Turns the bytes of a terminal in raw mode into keys: a character, or the name of a key.

const ESCAPE = '\u001b'

const NAMES: Readonly<Record<string, string>> = {
  ...{ '\r': 'enter', '\n': 'enter', '\u007f': 'backspace', '\b': 'backspace', '\u001b': 'escape' },
  ...{ '\u0003': 'ctrl-c', '\u001a': 'ctrl-z', '\u000c': 'ctrl-l', '\u0015': 'ctrl-u' },
  ...{ '[A': 'up', '[B': 'down', '[D': 'left', OA: 'up', OB: 'down', OD: 'left' },
  ...{ '[5~': 'pageup', '[6~': 'pagedown', '[H': 'home', '[F': 'end', OH: 'home', OF: 'end' },
  ...{ '[1~': 'home', '[4~': 'end', '[7~': 'home', '[8~': 'end' },
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: keys are sent as control characters
const KEY = /\u001b(?:\[[0-9;?]*[ -/]*[@-~]|O[@-~])|[\s\S]/gu
// biome-ignore lint/suspicious/noControlCharactersInRegex: the beginning of an escape sequence
const INCOMPLETE = /\u001b(?:\[[0-9;?]*|O)?$/u

/** The keys of a text, and the start of a sequence whose end has not arrived; an unknown sequence is no key. */
export function readKeys(text: string): { readonly keys: readonly string[]; readonly rest: string } {
  const rest = INCOMPLETE.exec(text)?.[0] ?? ''
  return { keys: readAllKeys(text.slice(0, text.length - rest.length)), rest }
}

/** The keys of a text that is complete: a lone escape is the Escape key. */
export function readAllKeys(text: string): readonly string[] {
  return (text.match(KEY) ?? []).flatMap((sequence) => {
    const name = NAMES[sequence.startsWith(ESCAPE) && sequence !== ESCAPE ? sequence.slice(1) : sequence]
    if (name !== undefined) return [name]
    return /^[^\p{Cc}\p{Cs}]$/u.test(sequence) ? [sequence] : []
  })
}
