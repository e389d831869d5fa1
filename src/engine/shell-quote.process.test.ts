import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { quoteForShell, quoteWordForShell, unquoteFromShell } from './shell-quote.ts'

const TEXTS = ['', 'plain', "it's", '$HOME `id` "x"', 'a\nb', "'", "''", '\\', '~', 'a=b', '*']

it.each(TEXTS)('the shell reads a quoted text exactly as it is: %j', (text) => {
  const script = `printf %s ${quoteForShell(text)}; printf /; printf %s ${quoteWordForShell(text)}`
  expect(execFileSync('sh', ['-c', script], { encoding: 'utf8' })).toBe(`${text}/${text}`)
})

it.each(TEXTS)('unquoting is the inverse: %j', (text) => expect(unquoteFromShell(quoteForShell(text))).toBe(text))

it('a text without quotes is no quoted word', () => expect(unquoteFromShell('plain')).toBeUndefined())
