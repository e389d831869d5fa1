// The chain: each record's hash covers its canonical text and the hash before it, so the chain
// shows where a record was changed, removed or moved. It detects accidents and silent edits. A program that can rewrite the whole
// file can also rewrite the whole chain, unless a hash of it is stored elsewhere.

import { hash } from 'node:crypto'

/** One record as it is kept: its canonical text and its hash. */
export interface Link {
  readonly seq: number
  readonly body: string
  readonly hash: string
}

/** A place in the chain: where it starts after a cut, or where it ends. */
export interface Checkpoint {
  /** The last record up to here; 0 before the first. */
  readonly seq: number
  readonly hash: string
}

/** What is wrong with a record. */
type Flaw = 'changed' | 'missing' | 'reordered'

/** The first record that is not as it was written. */
export interface BadRecord {
  readonly seq: number
  readonly flaw: Flaw
  readonly message: string
}

/** The result of checking a chain. */
export interface Verification {
  readonly ok: boolean
  /** How many records were found good, up to the first bad one. */
  readonly records: number
  readonly firstBad?: BadRecord | undefined
  /** The records up to here were removed by retention; the chain is checked from there on. */
  readonly cut?: Checkpoint | undefined
  /** Of a good chain: its last record. */
  readonly head?: Checkpoint | undefined
}

/** Where every chain begins. */
export const GENESIS: Checkpoint = { seq: 0, hash: '0'.repeat(64) }

/** The hash of a record that follows `previous`. */
export function linkHash(previous: string, body: string): string {
  return hash('sha256', `${previous}\n${body}`, 'hex')
}

/** What a chain must begin and end with, and what else must hold of a link. */
export interface VerifyOptions<L extends Link> {
  readonly from?: Checkpoint | undefined
  /** The end, as it was noted apart from the records: without it a lost tail goes unseen. */
  readonly head?: Checkpoint | undefined
  /** What is wrong beside the text and hash, if anything: fields kept next to the text that say something else. */
  readonly check?: ((link: L) => string | undefined) | undefined
}

/**
 * Checks links in the order they are kept and names the first that is changed, missing or out of order.
 * @example
 * verifyChain(links, { head })   // { ok: false, records: 41, firstBad: { seq: 42, flaw: 'changed', message: '…' } }
 */
export function verifyChain<L extends Link>(links: Iterable<L>, options: VerifyOptions<L> = {}): Verification {
  const check = new ChainCheck<L>(options)
  for (const link of links) if (!check.add(link)) break
  return check.end(options.head)
}

/** Checks a chain link by link, for chains that are read in parts. */
export class ChainCheck<L extends Link = Link> {
  readonly #cut: Checkpoint | undefined
  readonly #check: VerifyOptions<L>['check']
  #last: Checkpoint
  #records = 0
  #firstBad: BadRecord | undefined

  constructor({ from = GENESIS, check }: VerifyOptions<L> = {}) {
    this.#cut = from.seq > 0 ? { seq: from.seq, hash: from.hash } : undefined
    this.#check = check
    this.#last = from
  }

  /** The last good record. */
  get last(): Checkpoint {
    return this.#last
  }

  /** Takes the next link; false once a link was bad: the rest is not looked at. */
  add(link: L): boolean {
    this.#firstBad ??= findFlaw(link, this.#last, this.#check)
    if (this.#firstBad !== undefined) return false
    this.#last = link
    this.#records++
    return true
  }

  /** The result, with the end that the chain should have. */
  end(head?: Checkpoint): Verification {
    const firstBad = this.#firstBad ?? (head && findLostTail(this.#last, head))
    const found = { records: this.#records, cut: this.#cut }
    const { seq, hash } = this.#last
    return firstBad === undefined ? { ok: true, ...found, head: { seq, hash } } : { ok: false, ...found, firstBad }
  }
}

function findFlaw<L extends Link>(link: L, last: Checkpoint, check: VerifyOptions<L>['check']): BadRecord | undefined {
  const expected = last.seq + 1
  if (link.seq > expected) return bad(expected, 'missing', `is missing: record ${link.seq} follows ${last.seq}`)
  if (link.seq < expected) return bad(expected, 'reordered', `is out of order: found record ${link.seq} instead`)
  const written = readSeq(link.body)
  const isGenuine = linkHash(last.hash, link.body) === link.hash
  if (!isGenuine && written !== undefined && written !== link.seq) {
    return bad(expected, 'reordered', `is out of order: found record ${written} instead`)
  }
  if (!isGenuine)
    return bad(expected, 'changed', 'was changed: its hash does not fit its text and the record before it')
  const problem = written === link.seq ? check?.(link) : 'its text does not hold its number'
  return problem === undefined ? undefined : bad(expected, 'changed', `was changed: ${problem}`)
}

/** What is wrong with the end of a chain whose links are all good. */
export function findLostTail(last: Checkpoint, head: Checkpoint): BadRecord | undefined {
  if (last.seq < head.seq) return bad(last.seq + 1, 'missing', `is missing: the chain should end at ${head.seq}`)
  if (last.seq > head.seq) return bad(head.seq + 1, 'reordered', `was added: the chain should end at ${head.seq}`)
  if (last.hash === head.hash) return undefined
  return bad(last.seq, 'changed', 'was changed: it is not the one that the end of the chain was noted with')
}

/** What is wrong with the record that a verification should continue after, given its hash now. */
export function findStartFlaw(after: { seq: number; hash?: string | undefined }, hash?: string): BadRecord | undefined {
  if (hash === undefined) return bad(after.seq, 'missing', 'is missing: it was verified before')
  if (after.hash === undefined || hash === after.hash) return undefined
  return bad(after.seq, 'changed', 'was changed: it had another hash when it was verified before')
}

function bad(seq: number, flaw: Flaw, what: string): BadRecord {
  return { seq, flaw, message: `record ${seq} ${what}` }
}

function readSeq(body: string): number | undefined {
  try {
    const { seq } = JSON.parse(body) as { seq?: unknown }
    return typeof seq === 'number' ? seq : undefined
  } catch {
    return undefined
  }
}
