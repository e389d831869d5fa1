// A mode, with what it does.

const MEANINGS: Readonly<Record<string, string>> = {
  off: 'off: nothing runs',
  log: 'log: hooks run and are recorded, nothing is blocked but tier 5',
  advise: 'advise: hooks also tell the user and make suggestions',
  enforce: 'enforce: hooks also block',
}

export function Mode({ mode, isLowered = false }: { readonly mode: string; readonly isLowered?: boolean }) {
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
