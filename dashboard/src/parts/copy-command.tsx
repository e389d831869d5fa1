// A command for the terminal, with a button that copies it.

import { useSignal } from '@preact/signals'
import { Icon } from './icons.tsx'

const SHOWN_MS = 1_500

export function CopyCommand({ command }: { readonly command: string }) {
  return (
    <span class="command">
      <code class="grow">{command}</code>
      <CopyButton text={command} label={`Copy ${command}`} />
    </span>
  )
}

function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const hasCopied = useSignal(false)
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text)
    hasCopied.value = true
    window.setTimeout(() => {
      hasCopied.value = false
    }, SHOWN_MS)
  }
  return (
    <button
      type="button"
      class="button quiet icon"
      aria-label={label}
      title={label}
      // Without clipboard access the text can still be selected.
      onClick={() => void copy().catch(() => undefined)}
    >
      <Icon name={hasCopied.value ? 'check' : 'copy'} size={14} />
      <span class="sr" aria-live="polite">
        {hasCopied.value ? 'copied' : ''}
      </span>
    </button>
  )
}
