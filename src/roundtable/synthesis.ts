// Reads the synthesis of an agent: the requested JSON, anywhere in the answer. Never invents a consensus: an unreadable answer
// becomes a plain summary, or the last turn of each agent, and is marked.

import { clip } from '../engine/errors.ts'
import { isRecord } from '../engine/plain-data.ts'
import type { Roundtable, Synthesis } from './machine.ts'

const MAX_SUMMARY = 4_000
const MAX_POINTS = 20
const MAX_POINT = 500
// The object is near the end of an answer; a long answer is not searched completely.
const MAX_READ = 100_000
const MAX_STARTS = 100

/** The findings in an answer, the last ones where it has several; undefined when there are none that can be read. */
export function readFindings(answer: string): Synthesis | undefined {
  const text = answer.slice(-MAX_READ)
  let last: Synthesis | undefined
  let start = text.indexOf('{')
  for (let tries = 0; start >= 0 && tries < MAX_STARTS; tries++) {
    const end = endOfObject(text, start)
    const found = end === undefined ? undefined : findingsIn(text.slice(start, end))
    if (found !== undefined) last = found
    start = text.indexOf('{', found === undefined ? start + 1 : end)
  }
  return last
}

function findingsIn(text: string): Synthesis | undefined {
  try {
    const value: unknown = JSON.parse(text)
    if (!isRecord(value)) return undefined
    const { consensus, summary, keyPoints, key_points: snake } = value
    if (typeof summary !== 'string' || summary.trim() === '') return undefined
    const points = readPoints(keyPoints ?? snake)
    const said = { consensus: readConsensus(consensus), summary: clip(summary.trim(), MAX_SUMMARY) }
    return { ...said, keyPoints: points, isFallback: false }
  } catch {
    // Not JSON after all: an object may begin later.
    return undefined
  }
}

// A share of 1 or in per cent. Any other number might be on another scale, so it counts as unknown.
function readConsensus(value: unknown): number | null {
  const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim() : ''
  const read = /^(\d{1,3}(?:\.\d{1,20})?|\.\d{1,20})\s?(%?)$/.exec(text)
  if (read === null) return null
  const share = Number(read[1]) / (read[2] === '%' ? 100 : 1)
  return share <= 1 ? share : null
}

function readPoints(value: unknown): readonly string[] {
  const list = Array.isArray(value) ? value : typeof value === 'string' ? value.split('\n') : []
  const texts = list.flatMap((item) => (typeof item === 'string' && item.trim() !== '' ? [item.trim()] : []))
  return texts.slice(0, MAX_POINTS).map((text) => clip(text, MAX_POINT))
}

// Where the object ends that begins here; braces in texts do not count.
function endOfObject(text: string, start: number): number | undefined {
  let depth = 0
  let isInText = false
  for (let at = start; at < text.length; at++) {
    const character = text[at]
    if (isInText) {
      if (character === '\\') at++
      else if (character === '"') isInText = false
    } else if (character === '"') isInText = true
    else if (character === '{') depth++
    else if (character === '}' && --depth === 0) return at + 1
  }
  return undefined
}

/** The replacement of an unreadable or missing synthesis. */
export function fallbackFindings(table: Roundtable, answer: string): Synthesis {
  const words = answer.trim()
  const keyPoints = lastWords(table)
  // Prose is a summary with unknown consensus; half an object is unreadable.
  const isProse = words !== '' && !/^(?:```\w*\s*)?\{/.test(words)
  const spoken = table.turns.filter(({ content }) => content !== '').length
  const none = `There is no synthesis. ${spoken} of ${table.turns.length} turns were spoken; below is what each agent said last.`
  const silent = 'There is no synthesis: no agent spoke.'
  const summary = isProse ? clip(words, MAX_SUMMARY) : spoken === 0 ? silent : none
  return { consensus: null, summary, keyPoints: isProse ? [] : keyPoints, isFallback: true }
}

/** Adds the findings of its synthesis to a complete roundtable. */
export function addFindings(table: Roundtable, at: number): Roundtable {
  if (table.status !== 'complete') return table
  const { content } = table.synthesis
  const findings = readFindings(content) ?? fallbackFindings(table, content)
  return { ...table, findings, ended: { at, why: 'complete' } }
}

function lastWords({ agents, turns }: Roundtable): readonly string[] {
  return agents.flatMap((agent) => {
    const last = turns.findLast((turn) => turn.agent === agent && turn.content !== '')
    return last === undefined ? [] : [clip(`${agent}: ${last.content.replace(/\s+/g, ' ')}`, MAX_POINT)]
  })
}
