// Pending approvals: exactly what would run, with Approve and Deny; below them the answered ones.

import { useSignal } from '@preact/signals'
import type { ApprovalView } from '../../../src/protocol/views.ts'
import { formatAgo, formatCount, formatPeriod } from '../model/format.ts'
import { post, RequestError } from '../net/api.ts'
import { Empty } from '../parts/empty.tsx'
import { Icon } from '../parts/icons.tsx'
import { SafeText } from '../parts/safe-text.tsx'
import { announce } from '../state/announce.ts'
import { now } from '../state/clock.ts'
import { overview } from '../state/live.ts'
import { useResource } from '../state/resource.ts'
import { buildAddress } from '../state/route.ts'

const REFRESH_MS = 3_000

export function ApprovalsPage() {
  // The stream has pending approvals first; the request has the answered ones too. It is sent again at once when a
  // question appears, or is answered or withdrawn anywhere.
  const ids = (overview.value?.approvals ?? []).map(({ id }) => id).join(' ')
  const version = `${ids} ${Math.floor(now.value / REFRESH_MS)}`
  const { data: all } = useResource<readonly ApprovalView[]>('/v1/approvals?all=true', version)
  const answered = all?.filter(({ status }) => status !== 'pending') ?? []
  const answeredIds = new Set(answered.map(({ id }) => id))
  const pending = (overview.value?.approvals ?? []).filter(
    ({ id, status }) => status === 'pending' && !answeredIds.has(id),
  )
  return (
    <div class="page" data-page="approvals">
      <div class="inner narrow-inner">
        {pending.length === 0 ? (
          <section class="panel">
            <Empty icon="approvals" title="No pending approvals">
              Steps that need approval appear here with the exact command. In a terminal: <code>arc approve</code>
            </Empty>
          </section>
        ) : (
          pending.map((approval) => <PendingApproval key={approval.id} approval={findComplete(approval, all)} />)
        )}
        {answered.length > 0 && <Answered approvals={answered} />}
      </div>
    </div>
  )
}

// The stream has only the start of a long command; the request has all of it.
function findComplete(approval: ApprovalView, all: readonly ApprovalView[] | undefined): ApprovalView {
  return approval.isCut ? (all?.find(({ id }) => id === approval.id) ?? approval) : approval
}

function PendingApproval({ approval }: { readonly approval: ApprovalView }) {
  const { id, step, command, preview, reason, hook, createdAt, expiresAt } = approval
  const leftMs = Date.parse(expiresAt) - now.value
  return (
    <section class="panel held" data-approval={id} aria-label="Waiting for approval">
      <header>
        <span class="decision is-ask">
          <Icon name="ask" size={15} />
        </span>
        <h2>
          <SafeText text={step.tool ?? step.point} isOneLine={true} />
        </h2>
        {hook !== null && (
          <span class="soft">
            required by <SafeText text={hook} isOneLine={true} />
          </span>
        )}
        <span class={`end ${leftMs < 60_000 ? 'decision is-flag' : 'soft'}`}>
          {leftMs > 0 ? `${formatPeriod(leftMs)} left` : 'expired'}
        </span>
      </header>
      <div class="body stack">
        <pre class="subject" data-command="">
          <SafeText text={command} />
        </pre>
        {preview !== null && (
          <p class="callout is-flag" data-preview="">
            This is a preview. The arguments are {formatCount(preview.bytes)} bytes long; only the beginning, the end
            and the matched lines are shown. SHA-256 <span class="mono">{preview.sha256}</span>
          </p>
        )}
        {reason !== null && (
          <p class="callout is-ask">
            <SafeText text={reason} />
          </p>
        )}
        <p class="soft">
          {step.workspace !== undefined && (
            <>
              in{' '}
              <span class="mono">
                <SafeText text={step.workspace} isOneLine={true} />
              </span>{' '}
            </>
          )}
          {step.session !== undefined && (
            <>
              by session{' '}
              <a href={buildAddress('sessions', step.session)}>
                <SafeText text={step.session} isOneLine={true} />
              </a>{' '}
            </>
          )}
          · requested {formatAgo(Date.parse(createdAt), now.value)}. {APPLIES_TO[approval.appliesTo]}
        </p>
        <Answers id={id} isOver={leftMs <= 0 || approval.isCut} />
      </div>
    </section>
  )
}

const APPLIES_TO: Readonly<Record<ApprovalView['appliesTo'], string>> = {
  prompt: 'The agent asks with its own prompt: answer it there. The question ends with its turn.',
  call: 'The agent waits for this answer. The approval is for this step only, once.',
  next: 'The step was refused. An approval lets the agent make the same call once, in any session of this project.',
}

function Answers({ id, isOver }: { readonly id: string; readonly isOver: boolean }) {
  const state = useSignal<{ readonly is: 'open' | 'busy' | 'done' | 'failed'; readonly text: string }>({
    is: 'open',
    text: '',
  })
  const message = useSignal('')
  const answer = async (word: 'approve' | 'deny'): Promise<void> => {
    state.value = { is: 'busy', text: '' }
    try {
      const text = message.peek().trim()
      const query = word === 'deny' && text !== '' ? `?message=${encodeURIComponent(text)}` : ''
      const { status } = await post<ApprovalView>(`/v1/approvals/${encodeURIComponent(id)}/${word}${query}`)
      state.value = { is: 'done', text: status === 'denied' ? 'Denied.' : 'Approved.' }
      announce(state.value.text)
    } catch (error) {
      const text = error instanceof RequestError ? error.message : String(error)
      state.value = { is: 'failed', text }
    }
  }
  const { is, text } = state.value
  const isShut = isOver || is === 'busy' || is === 'done'
  return (
    <div class="row wrap">
      <input
        class="grow"
        type="text"
        maxLength={500}
        placeholder="Message to the agent, with a denial"
        aria-label="Message to the agent, with a denial"
        disabled={isShut}
        value={message.value}
        onInput={(event) => {
          message.value = event.currentTarget.value
        }}
      />
      <button type="button" class="button deny" disabled={isShut} onClick={() => void answer('deny')}>
        <Icon name="block" size={14} /> Deny
      </button>
      <button type="button" class="button approve" disabled={isShut} onClick={() => void answer('approve')}>
        <Icon name="check" size={14} /> Approve once
      </button>
      {text !== '' && (
        <span class={is === 'failed' ? 'decision is-error' : 'soft'} role={is === 'failed' ? 'alert' : 'status'}>
          {text}
        </span>
      )}
    </div>
  )
}

const STATUS_STYLES = {
  approved: { tone: 'pass', icon: 'check' },
  used: { tone: 'pass', icon: 'check' },
  denied: { tone: 'block', icon: 'block' },
  expired: { tone: 'skip', icon: 'skip' },
  withdrawn: { tone: 'skip', icon: 'skip' },
  pending: { tone: 'ask', icon: 'ask' },
} as const

const WITHDRAWN: Readonly<Record<NonNullable<ApprovalView['withdrawnBy']>, string>> = {
  result: 'the tool has run',
  turn: 'the turn has ended',
  message: 'the user has sent a new message',
  session: 'the session has ended',
}

function Answered({ approvals }: { readonly approvals: readonly ApprovalView[] }) {
  const newest = approvals.toSorted((a, b) => b.createdAt.localeCompare(a.createdAt)).slice(0, 50)
  return (
    <section class="panel" aria-label="Answered">
      <header>
        <h2>Answered</h2>
      </header>
      <ul class="needs">
        {newest.map(({ id, status, command, answeredBy, withdrawnBy, createdAt }) => (
          <li key={id}>
            <span class={`decision is-${STATUS_STYLES[status].tone} w-status`}>
              <Icon name={STATUS_STYLES[status].icon} size={13} />
              {status === 'used' ? 'approved, used' : status}
            </span>
            <code class="grow clip">
              <SafeText text={command} isOneLine={true} />
            </code>
            <span class="faint">
              {answeredBy !== null && `by ${answeredBy} · `}
              {withdrawnBy !== null && `${WITHDRAWN[withdrawnBy]} · `}
              {formatAgo(Date.parse(createdAt), now.value)}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
