// The synthesis of a roundtable: `{consensus, summary, keyPoints}` where the agent wrote it so, else the words as they are.

export interface Synthesis {
  readonly consensus: string | undefined
  readonly summary: string
  readonly keyPoints: readonly string[]
}

/** Reads what the synthesizing agent said. */
export function readSynthesis(content: string): Synthesis {
  const plain = { consensus: undefined, summary: content, keyPoints: [] }
  const [, fenced] = /```(?:json)?\s*(\{[\s\S]*\})\s*```/.exec(content) ?? []
  const parsed = parse(fenced ?? content)
  if (parsed === undefined) return plain
  const { consensus, summary, keyPoints } = parsed
  if (typeof summary !== 'string') return plain
  return {
    consensus: consensus === undefined || consensus === null ? undefined : wordOf(consensus),
    summary,
    keyPoints: Array.isArray(keyPoints) ? keyPoints.filter((point) => typeof point === 'string') : [],
  }
}

function wordOf(consensus: unknown): string {
  if (typeof consensus === 'boolean') return consensus ? 'reached' : 'not reached'
  return typeof consensus === 'string' ? consensus : JSON.stringify(consensus)
}

function parse(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : undefined
  } catch {
    // Plain words.
    return undefined
  }
}
