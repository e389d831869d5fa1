// Tasks between agents as a board by status, and the details of one task.

import type { TaskDetail, TaskView } from '../../../src/protocol/views.ts'
import { formatAgo, formatPeriod } from '../model/format.ts'
import { clipText } from '../model/visible-text.ts'
import { CopyCommand } from '../parts/copy-command.tsx'
import { Empty } from '../parts/empty.tsx'
import { Icon, type IconName } from '../parts/icons.tsx'
import { SafeText } from '../parts/safe-text.tsx'
import { now } from '../state/clock.ts'
import { useKeys } from '../state/keyboard.ts'
import { usePolled } from '../state/resource.ts'
import { buildAddress, go, route } from '../state/route.ts'

const STATES: readonly { readonly id: TaskView['status']; readonly icon: IconName; readonly tone: string }[] = [
  { id: 'created', icon: 'skip', tone: 'skip' },
  { id: 'assigned', icon: 'right', tone: 'ask' },
  { id: 'working', icon: 'play', tone: 'ask' },
  { id: 'input-required', icon: 'ask', tone: 'flag' },
  { id: 'completed', icon: 'check', tone: 'pass' },
  { id: 'failed', icon: 'error', tone: 'block' },
  { id: 'cancelled', icon: 'close', tone: 'skip' },
]

export function TasksPage() {
  const { data, failure } = usePolled<readonly TaskView[]>('/v1/tasks', 3_000)
  const { id } = route.value
  const close = (): void => go(buildAddress('tasks'))
  useKeys({
    close: () => {
      if (id === undefined) return false
      close()
      return true
    },
  })
  return (
    <div class="page whole" data-page="tasks">
      <div class="split">
        <div class="board-scroll">
          {failure !== undefined && data === undefined && <p class="callout is-error">{failure.message}</p>}
          {data?.length === 0 ? (
            <Empty
              icon="tasks"
              title="No tasks yet"
              command={'arc task delegate --from lead --to reviewer "Review the change"'}
            >
              Agents delegate tasks to each other. Every change of status is recorded.
            </Empty>
          ) : (
            data !== undefined && <Board tasks={data} />
          )}
        </div>
        {id !== undefined && <TaskPanel key={id} id={id} onClose={close} />}
      </div>
    </div>
  )
}

function Board({ tasks }: { readonly tasks: readonly TaskView[] }) {
  return (
    <div class="board">
      {STATES.map(({ id, icon, tone }) => {
        const inStatus = tasks.filter(({ status }) => status === id).toSorted((a, b) => b.updatedAt - a.updatedAt)
        return (
          <section
            key={id}
            class="lane-column"
            data-status={id}
            data-empty={inStatus.length === 0 ? '' : undefined}
            aria-label={id}
          >
            <h2 class={`decision is-${tone}`}>
              <Icon name={icon} size={13} /> {id} <span class="faint">{inStatus.length}</span>
            </h2>
            {inStatus.map((task) => (
              <Card key={task.id} task={task} />
            ))}
          </section>
        )
      })}
    </div>
  )
}

function Card({ task }: { readonly task: TaskView }) {
  const { id, from, to, description, priority, riskTier, attempts, updatedAt, question, reason, status } = task
  return (
    <a
      class="task-card"
      href={buildAddress('tasks', id)}
      data-task={id}
      aria-current={route.value.id === id ? 'true' : undefined}
    >
      <span class="task-text">
        <SafeText text={clipText(description, 240)} />
      </span>
      {status === 'input-required' && question !== undefined && (
        <span class="callout is-flag">
          <SafeText text={clipText(question, 160)} />
        </span>
      )}
      {status === 'failed' && reason !== undefined && (
        <span class="callout is-block">
          <SafeText text={clipText(reason, 160)} />
        </span>
      )}
      <span class="row wrap faint">
        <span class="clip">
          <SafeText text={from} isOneLine={true} /> → <SafeText text={to} isOneLine={true} />
        </span>
        {priority !== 'medium' && (
          <span class={`tag ${priority === 'critical' ? 'is-block toned' : ''}`}>{priority}</span>
        )}
        {riskTier !== undefined && <span class="tag">tier {riskTier}</span>}
        {attempts > 1 && <span class="tag">{attempts} attempts</span>}
        <span class="end-of">{formatAgo(updatedAt, now.value)}</span>
      </span>
    </a>
  )
}

function TaskPanel({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const { data, failure } = usePolled<TaskDetail>(`/v1/tasks/${encodeURIComponent(id)}`, 3_000)
  return (
    <aside class="action-panel" aria-label="Task" data-open={id}>
      <header>
        <h2 class="grow">Task {data !== undefined && <span class="soft">{data.status}</span>}</h2>
        <button type="button" class="button quiet icon" aria-label="Close" title="Close (Esc)" onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      <div class="panel-body">
        {failure !== undefined && data === undefined && <p class="callout is-error">{failure.message}</p>}
        {data !== undefined && <TaskBody task={data} />}
      </div>
    </aside>
  )
}

function TaskBody({ task }: { readonly task: TaskDetail }) {
  const { id, description, lease, history, output, reason, question, answer } = task
  const texts = [
    ['Output', output],
    ['Reason', reason],
    ['Question', question],
    ['Answer', answer],
  ] as const
  return (
    <>
      <pre class="subject">
        <SafeText text={description} />
      </pre>
      {texts.map(
        ([name, text]) =>
          text !== undefined && (
            <section key={name} class="step">
              <h3>{name}</h3>
              <pre class="data">
                <SafeText text={text} />
              </pre>
            </section>
          ),
      )}
      {lease !== undefined && (
        <p class="soft">
          Leased to <SafeText text={lease.holder} isOneLine={true} />
          {lease.expiresAt > now.value && ` for ${formatPeriod(lease.expiresAt - now.value)}`}
        </p>
      )}
      <section class="step">
        <h3>History</h3>
        <ol class="events">
          {history.map(({ version, from, to, by, at, text }) => (
            <li key={version}>
              <span class="faint">{formatAgo(at, now.value)}</span> {from !== null && `${from} → `}
              {to}
              {by !== null && (
                <span class="soft">
                  {' '}
                  by <SafeText text={by} isOneLine={true} />
                </span>
              )}
              {text !== undefined && (
                <span class="soft">
                  : <SafeText text={text} />
                </span>
              )}
            </li>
          ))}
        </ol>
      </section>
      <CopyCommand command={`arc task show ${id}`} />
    </>
  )
}
