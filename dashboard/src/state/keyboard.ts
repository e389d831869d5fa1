// The keyboard. A page defines how to move, open and pause; the rest is the same on every page.

import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { type KeyCommand, KeyReader } from '../model/keys.ts'
import { buildAddress, go, PAGES } from './route.ts'

export const isHelpOpen = signal(false)

/** The commands of a page. A command returns true when it did something. */
export type KeyHandlers = Partial<Record<KeyCommand['do'], () => boolean | undefined>>

let handlers: KeyHandlers = {}

/** Handles the keyboard while the component is mounted. */
export function useKeys(own: KeyHandlers): void {
  useEffect(() => {
    const before = handlers
    handlers = own
    return () => {
      handlers = before
    }
  })
}

export function startKeyboard(): void {
  const reader = new KeyReader()
  document.addEventListener('keydown', (event) => {
    const target = event.target instanceof Element ? event.target : null
    const command = reader.read(
      {
        key: event.key,
        hasModifier: event.ctrlKey || event.altKey || event.metaKey,
        isTyping: target?.matches('input, textarea, select, [contenteditable]') === true,
        isOnControl: target?.closest('button, a, summary, [role="tab"]') !== null && target !== null,
      },
      performance.now(),
    )
    if (command !== undefined && obey(command)) event.preventDefault()
  })
}

function obey(command: KeyCommand): boolean {
  if (command.do === 'go') {
    const page = PAGES.find(({ key }) => key === command.key)
    if (page === undefined) return false
    go(buildAddress(page.id))
    return true
  }
  if (command.do === 'help') {
    isHelpOpen.value = !isHelpOpen.value
    return true
  }
  if (command.do === 'close' && isHelpOpen.value) {
    isHelpOpen.value = false
    return true
  }
  if (isHelpOpen.value) return false
  if (command.do === 'search' && handlers.search === undefined) {
    go(buildAddress('feed', undefined, { find: '' }))
    return true
  }
  if (command.do === 'close' && document.activeElement instanceof HTMLInputElement) document.activeElement.blur()
  return handlers[command.do]?.() ?? false
}
