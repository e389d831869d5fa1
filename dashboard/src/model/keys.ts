// The commands of keys. `g` waits for a second key, which names a page. Pure: other modules run the commands.

export type KeyCommand =
  | { readonly do: 'help' | 'search' | 'next' | 'previous' | 'open' | 'close' | 'pause' | 'first' | 'last' }
  | { readonly do: 'go'; readonly key: string }

export interface KeyPress {
  readonly key: string
  /** With Ctrl, Alt or Meta: left to the browser. */
  readonly hasModifier: boolean
  /** In a text field: only Escape is handled. */
  readonly isTyping: boolean
  /** On a button or link: Enter and Space activate it. */
  readonly isOnControl: boolean
}

const PLAIN: Readonly<Record<string, Exclude<KeyCommand, { do: 'go' }>['do']>> = {
  '?': 'help',
  '/': 'search',
  j: 'next',
  ArrowDown: 'next',
  k: 'previous',
  ArrowUp: 'previous',
  Home: 'first',
  End: 'last',
}

const PATIENCE_MS = 1_200

/** Reads a sequence of keys. */
export class KeyReader {
  #goAt = Number.NEGATIVE_INFINITY

  /** The command of a key, if any; `at` in ms, increasing. */
  read({ key, hasModifier, isTyping, isOnControl }: KeyPress, at: number): KeyCommand | undefined {
    const isGoing = at - this.#goAt < PATIENCE_MS
    this.#goAt = Number.NEGATIVE_INFINITY
    if (hasModifier) return undefined
    if (key === 'Escape') return { do: 'close' }
    if (isTyping) return undefined
    if (isGoing && /^[a-z]$/.test(key)) return { do: 'go', key }
    if (key === 'g') {
      this.#goAt = at
      return undefined
    }
    if (key === 'Enter' || key === ' ') {
      if (isOnControl) return undefined
      return { do: key === ' ' ? 'pause' : 'open' }
    }
    const command = Object.hasOwn(PLAIN, key) ? PLAIN[key] : undefined
    return command === undefined ? undefined : { do: command }
  }
}
