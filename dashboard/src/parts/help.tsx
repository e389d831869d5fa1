// What the keyboard does, for `?`.

import { useEffect, useRef } from 'preact/hooks'
import { isHelpOpen } from '../state/keyboard.ts'
import { PAGES } from '../state/route.ts'
import { Icon } from './icons.tsx'

const KEYS: readonly (readonly [keys: readonly string[], meaning: string])[] = [
  [['?'], 'this help'],
  [['/'], 'search the feed'],
  [['j', '↓'], 'the next row'],
  [['k', '↑'], 'the row before'],
  [['Enter'], 'open the row'],
  [['Esc'], 'close, or leave the field'],
  [['Space'], 'pause the feed, or go on'],
  [['Home', 'End'], 'the newest row, the oldest row'],
]

export function Help() {
  const button = useRef<HTMLButtonElement>(null)
  const isOpen = isHelpOpen.value
  useEffect(() => {
    if (!isOpen) return undefined
    const before = document.activeElement
    button.current?.focus()
    return () => {
      if (before instanceof HTMLElement) before.focus()
    }
  }, [isOpen])
  if (!isOpen) return null
  const close = (): void => {
    isHelpOpen.value = false
  }
  return (
    // A click beside it closes it; the keyboard has Escape.
    // biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: see above.
    <div class="veil" onClick={(event) => event.target === event.currentTarget && close()}>
      <div class="dialog" role="dialog" aria-modal="true" aria-label="Keyboard shortcuts">
        <div class="row">
          <h2 class="grow">Keyboard</h2>
          <button type="button" class="button quiet icon" aria-label="Close" ref={button} onClick={close}>
            <Icon name="close" />
          </button>
        </div>
        <dl class="keys">
          {KEYS.map(([keys, meaning]) => (
            <Line key={meaning} keys={keys} meaning={meaning} />
          ))}
          {PAGES.map(({ id, key, title }) => (
            <Line key={id} keys={['g', key]} meaning={title} />
          ))}
        </dl>
      </div>
    </div>
  )
}

function Line({ keys, meaning }: { readonly keys: readonly string[]; readonly meaning: string }) {
  return (
    <>
      <dt>
        {keys.map((key) => (
          <kbd key={key}>{key}</kbd>
        ))}
      </dt>
      <dd class="soft">{meaning}</dd>
    </>
  )
}
