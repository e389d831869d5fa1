// The keyboard shortcuts, opened with `?`.

import { useEffect, useRef } from 'preact/hooks'
import { isHelpOpen } from '../state/keyboard.ts'
import { PAGES } from '../state/route.ts'
import { Icon } from './icons.tsx'

const KEYS: readonly (readonly [keys: readonly string[], meaning: string])[] = [
  [['?'], 'this help'],
  [['/'], 'search the feed'],
  [['j', '↓'], 'next row'],
  [['k', '↑'], 'previous row'],
  [['Enter'], 'open row'],
  [['Esc'], 'close, or leave a field'],
  [['Space'], 'pause or resume the feed'],
  [['Home', 'End'], 'newest row, oldest row'],
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
    // A click outside closes the dialog; on the keyboard Escape does.
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
