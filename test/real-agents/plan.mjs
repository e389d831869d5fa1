// What the scripted model does next in a run.

/** In the task of a spawned agent: such a conversation gets a plain answer, so that nothing is spawned again. */
export const SUBTASK = 'count the files of this folder'
/** What an agent without further turns says. */
const FINAL = 'done'

/** The turn after as many results as the conversation has. `$PROJECT` and `$HOME_DIR` are replaced by the folders of the run. */
export function planTurn(turns, { parts, tools }, { home, project }) {
  if (tools.length === 0) return { say: FINAL }
  const isSpawned =
    parts[0]?.text.includes(SUBTASK) ||
    (parts.some(({ kind, text }) => kind === 'text' && text.includes(SUBTASK)) &&
      !parts.some(({ kind }) => kind === 'result'))
  if (isSpawned) return { say: 'There are three.' }
  const done = parts.filter(({ kind }) => kind === 'result').length
  const turn = turns[done] ?? { say: FINAL }
  const fill = (value) =>
    typeof value === 'string' ? value.replaceAll('$PROJECT', project).replaceAll('$HOME_DIR', home) : value
  return Object.fromEntries(Object.entries(turn).map(([key, value]) => [key, fill(value)]))
}
