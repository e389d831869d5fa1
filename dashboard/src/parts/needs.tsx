// What needs attention by a person, most urgent first.

import type { NeedView } from '../../../src/protocol/views.ts'
import { buildAddress } from '../state/route.ts'
import { CopyCommand } from './copy-command.tsx'
import { Icon, type IconName } from './icons.tsx'
import { SafeText } from './safe-text.tsx'

const KINDS: Readonly<Record<NeedView['kind'], { readonly icon: IconName; readonly tone: string }>> = {
  approval: { icon: 'ask', tone: 'ask' },
  breaker: { icon: 'bolt', tone: 'block' },
  problem: { icon: 'error', tone: 'block' },
  durability: { icon: 'error', tone: 'block' },
  'failing-hook': { icon: 'error', tone: 'error' },
  'hook-off': { icon: 'skip', tone: 'flag' },
  unsupervised: { icon: 'eye', tone: 'flag' },
}

export function Needs({ needs }: { readonly needs: readonly NeedView[] }) {
  return (
    <section class="panel" data-card="needs" aria-label="Needs attention">
      <header>
        <Icon name="person" size={15} />
        <h2>Needs attention</h2>
        {needs.length > 0 && <span class="count">{needs.length}</span>}
      </header>
      {needs.length === 0 ? (
        <p class="body soft row">
          <span class="decision is-pass">
            <Icon name="check" size={14} />
          </span>
          Nothing needs your attention.
        </p>
      ) : (
        <ul class="needs">
          {needs.map((need) => (
            <Need key={`${need.kind} ${need.id ?? need.text}`} need={need} />
          ))}
        </ul>
      )}
    </section>
  )
}

function Need({ need: { kind, text, command } }: { readonly need: NeedView }) {
  const { icon, tone } = KINDS[kind] ?? KINDS.problem
  return (
    <li data-need={kind}>
      <span class={`decision is-${tone}`}>
        <Icon name={icon} size={15} />
      </span>
      <span class="grow">
        <SafeText text={text} />
      </span>
      {kind === 'approval' ? (
        <a class="button" href={buildAddress('approvals')}>
          Review
        </a>
      ) : (
        command !== undefined && <CopyCommand command={command} />
      )}
    </li>
  )
}
