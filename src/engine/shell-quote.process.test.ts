import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { quoteShell, quoteShellWord, unquoteShell } from './shell-quote.ts'

const TEXTS = ['', 'plain', "it's", '$HOME `id` "x"', 'a\nb', "'", "''", '\\', '~', 'a=b', '*']

it.each(TEXTS)('the shell reads a quoted text exactly as it is: %j', (text) => {
  const script = `printf %s ${quoteShell(text)}; printf /; printf %s ${quoteShellWord(text)}`
  expect(execFileSync('sh', ['-c', script], { encoding: 'utf8' })).toBe(`${text}/${text}`)
})

it.each(TEXTS)('unquoting is the inverse: %j', (text) => expect(unquoteShell(quoteShell(text))).toBe(text))

it('a text without quotes is no quoted word', () => expect(unquoteShell('plain')).toBeUndefined())
