import { describe, expect, it } from 'vitest'
import { ORDINARY_TEXTS, SECRET_SAMPLES } from '../../test/secret-samples.ts'
import { Redactor } from './redact.ts'

const redactor = new Redactor()

// The texts in which a secret, or a piece of it that is long enough to be of use, is still there.
function survivors(secret: string, texts: readonly string[]): string[] {
  const pieces = secret.length < 24 ? [secret] : [secret.slice(0, 20), secret.slice(-20)]
  return texts.filter((text) => {
    const clean = redactor.clean(text)
    return pieces.some((piece) => clean.includes(piece))
  })
}

describe('G10 redaction', () => {
  it('G10 hides at least 95 of 100 published kinds of secrets, in every form they appear in', () => {
    const kinds = new Set(SECRET_SAMPLES.map(({ kind }) => kind))
    expect(kinds.size).toBeGreaterThanOrEqual(80)
    const left = SECRET_SAMPLES.flatMap(({ kind, secret, texts }) => {
      const found = survivors(secret, texts)
      return found.length === 0 ? [] : [{ kind, found }]
    })
    expect(left.length / kinds.size, JSON.stringify(left, undefined, 1)).toBeLessThanOrEqual(0.05)
  })

  it('G10 keeps at least 98 of 100 ordinary texts as they are', () => {
    expect(ORDINARY_TEXTS.length).toBeGreaterThanOrEqual(80)
    const changed = ORDINARY_TEXTS.map((text) => [text, redactor.clean(text)]).filter(([text, clean]) => text !== clean)
    expect(changed.length / ORDINARY_TEXTS.length, JSON.stringify(changed, undefined, 1)).toBeLessThanOrEqual(0.02)
  })
})
