import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalize } from './canonical.ts'
import { GENESIS, type Link, linkHash, verifyChain } from './chain.ts'

describe('the chain', () => {
  it('verifies as it was written, whole and from any record on', () => {
    const links = chainOf(20)
    expect(verifyChain(links, { head: links[19] })).toMatchObject({ ok: true, records: 20 })
    for (let at = 0; at < 20; at++) {
      const from = at === 0 ? GENESIS : links[at - 1]
      expect(verifyChain(links.slice(at), { from, head: links[19] })).toMatchObject({ ok: true, records: 20 - at })
    }
  })

  it('names the first record that is changed, missing or out of order', () => {
    const length = 12
    const links = chainOf(length)
    const head = links[length - 1]
    const place = fc.integer({ min: 0, max: length - 1 })
    fc.assert(
      fc.property(
        place,
        place,
        fc.constantFrom('body', 'hash', 'remove', 'swap', 'repeat', 'renumber'),
        (at, other, how) => {
          fc.pre(how !== 'swap' || at !== other)
          const result = verifyChain(tampered(links, at, other, how), { head })
          const first = how === 'swap' ? Math.min(at, other) : how === 'repeat' ? at + 1 : at
          expect(result.ok).toBe(false)
          expect(result.firstBad?.seq).toBe(first + 1)
          expect(result.records).toBe(first)
        },
      ),
    )
  })

  it('says what is wrong in words', () => {
    const links = chainOf(3)
    expect(verifyChain(links.toSpliced(1, 1)).firstBad).toEqual({
      seq: 2,
      flaw: 'missing',
      message: 'record 2 is missing: record 3 follows 1',
    })
    expect(verifyChain(links.slice(0, 2), { head: links[2] }).firstBad?.flaw).toBe('missing')
    expect(verifyChain([...links].reverse()).firstBad?.message).toContain('is missing')
  })
})

function chainOf(length: number): Link[] {
  const links: Link[] = []
  for (let seq = 1; seq <= length; seq++) {
    const body = canonicalize({ seq, text: `record ${seq}` })
    links.push({ seq, body, hash: linkHash(links.at(-1)?.hash ?? GENESIS.hash, body) })
  }
  return links
}

function tampered(links: readonly Link[], at: number, other: number, how: string): Link[] {
  const link = links[at] as Link
  const second = links[other] as Link
  if (how === 'body') return links.with(at, { ...link, body: link.body.replace('record', 'recorD') })
  if (how === 'hash') return links.with(at, { ...link, hash: link.hash.replace(/^./, (c) => (c === '0' ? '1' : '0')) })
  if (how === 'remove') return links.toSpliced(at, 1)
  if (how === 'repeat') return links.toSpliced(at, 0, link)
  if (how === 'renumber') return links.with(at, { ...link, seq: link.seq + 100 })
  // The texts and hashes change places, as if the numbers had been written over.
  return links.with(at, { ...second, seq: link.seq }).with(other, { ...link, seq: second.seq })
}
