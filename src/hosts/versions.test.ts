import fc from 'fast-check'
import { expect, it } from 'vitest'
import { HOSTS } from './list.ts'
import { compareVersions, readVersion } from './versions.ts'

it.each([
  ['2.1.325 (Claude Code)\n', '2.1.325'],
  ['codex-cli 0.166.0', '0.166.0'],
  ['WARNING: 3 things\ncodex-cli 0.166.0', '0.166.0'],
  ['GitHub Copilot CLI 1.0.102.\n', '1.0.102'],
  ['v3.0.65', '3.0.65'],
  ['0.24.4-preview.1', '0.24.4'],
  ['Error: native binary not installed', undefined],
  ['1.2', undefined],
  ['', undefined],
])('reads %j as %s', (text, version) => {
  expect(readVersion(text)).toBe(version)
})

it('tells older from newer by numbers, not by letters', () => {
  expect(compareVersions('2.1.99', '2.1.325')).toBe('older')
  expect(compareVersions('2.10.0', '2.9.9')).toBe('newer')
  expect(compareVersions('2.1.325', '2.1.325')).toBe('same')
  expect(compareVersions('3.0.0', '2.9.9')).toBe('other')
})

it('turns round when the two are exchanged', () => {
  const release = fc.tuple(fc.nat(3), fc.nat(99), fc.nat(999)).map((parts) => parts.join('.'))
  const turned = { same: 'same', older: 'newer', newer: 'older', other: 'other' } as const
  fc.assert(fc.property(release, release, (a, b) => compareVersions(a, b) === turned[compareVersions(b, a)]))
})

it('every host that was checked with a release has a program to ask', () => {
  for (const { program, verifiedWith } of Object.values(HOSTS)) {
    expect(program !== undefined).toBe(verifiedWith !== undefined)
    if (verifiedWith !== undefined) expect(readVersion(verifiedWith)).toBe(verifiedWith)
  }
})
