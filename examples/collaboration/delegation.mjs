// One agent delegates work to another, answers its question and gets the result.
import { MessageBus, TaskDelegator } from 'arc-supervisor'

const messageBus = new MessageBus()
// Without a store the tasks are in memory. openTasks() opens the tasks of the home, which all processes share.
const taskStore = undefined

const delegator = new TaskDelegator(taskStore, messageBus);

// Agent A delegates to Agent B
const { task } = await delegator.delegate({
  from: 'claude-work',
  to: 'codex-review',
  description: 'Review auth refactor PR',
  priority: 'high',
  onComplete: (task) => console.log('Done:', task.output),
  listenerTimeoutMs: 300_000, // 5 min TTL on listener
});
console.log(task.status, delegator.activeListenerCount)

// Agent B accepts, asks and completes
await delegator.accept(task.id, 'codex-review');
await delegator.requestInput(task.id, 'codex-review', 'Which files should I focus on?');
await delegator.provideInput(task.id, 'claude-work', 'Focus on src/auth/ directory');
await delegator.complete(task.id, 'codex-review', 'LGTM — no issues found');

console.log(delegator.history(task.id).map(({ to }) => to).join(' → '))
await delegator.cancel(task.id, 'claude-work').catch(({ code }) => console.log(code))
await delegator.delegate({ from: 'a', to: 'a', description: 'x' }).catch(({ code }) => console.log(code))
delegator.dispose()
console.log(delegator.activeListenerCount, messageBus.listenerCount)
