// What the scripted model of the walk does: a prompt `RUN: COMMAND` makes it ask for that command, and after the result it
// answers with one word.

/** The next turn: the newest command, unless its result is there. */
export function planWalk({ parts }) {
  let command
  let hasResult = false
  for (const { kind, text } of parts) {
    const found = kind === 'text' ? /RUN: (.+)/.exec(text)?.[1] : undefined
    if (found !== undefined) [command, hasResult] = [found.trim(), false]
    if (kind === 'result') hasResult = true
  }
  if (hasResult) return { say: 'Done.' }
  return command === undefined ? { say: 'Hello.' } : { tool: 'shell', command, say: 'Hello.' }
}

/** The newest result of a command, as the model got it. */
export function readLastResult(requests) {
  return requests.flatMap(({ parts }) => parts.filter(({ kind }) => kind === 'result')).at(-1)?.text ?? ''
}
