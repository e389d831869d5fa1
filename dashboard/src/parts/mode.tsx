// A mode with its meaning as a tooltip.

const MEANINGS: Readonly<Record<string, string>> = {
  off: 'off: no hook runs',
  log: 'log: hooks run and are recorded; only tier 5 is blocked',
  advise: 'advise: hooks also warn the user and suggest alternatives',
  enforce: 'enforce: hooks also block',
}

export function ModeBadge({ mode, isLowered = false }: { readonly mode: string; readonly isLowered?: boolean }) {
  const title = `${MEANINGS[mode] ?? mode}${isLowered ? ' (lowered by the breaker)' : ''}`
  return (
    <span class={`mode mode-${mode}`} title={title}>
      <span class="bars" aria-hidden="true">
        <i />
        <i />
        <i />
      </span>
      {mode}
      {isLowered && <span class="sr"> lowered by the breaker</span>}
    </span>
  )
}
