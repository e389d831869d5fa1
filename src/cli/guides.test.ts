// The commands that the guides name exist, in running text too; blocks are run by test/docs-run.process.test.ts.

import { readdirSync, readFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { onlyJson } from '../../test/json-output.ts'
import { runArcInProcess } from '../../test/run-in-process.ts'
import { makeHome, PROFILE, type SupervisedHome } from '../../test/supervised-home.ts'

let place: SupervisedHome

beforeEach(() => {
  place = makeHome()
})
afterEach(() => place.remove())

const GUIDES = new URL('../../docs/guides/', import.meta.url)
const guide = (name: string) => readFileSync(new URL(`../../docs/guides/${name}.md`, import.meta.url), 'utf8')
const block = (text: string, language: string) => text.split(`\`\`\`${language}\n`)[1]?.split('\n```')[0] ?? ''

it('every command that the guides name exists, with the options they give it', () => {
  const options = readReference()
  const pages = readdirSync(GUIDES).map((name) => readFileSync(new URL(name, GUIDES), 'utf8'))
  const named = pages.flatMap((text) => [
    ...text.matchAll(/(?:^|`|\/bin\/)arc ([a-z]+)((?: [a-z][a-z-]*)?)([^`\n#|]*)/gm),
  ])
  const wrong = named.flatMap(([whole, word = '', sub = '', rest = '']) => {
    const isGroup = [...options.keys()].some((name) => name.startsWith(`${word} `))
    // A group with its own options takes arguments beside its subcommands: arc allow last.
    const own = options.get(word) ?? []
    const known = options.get(isGroup ? word + sub : word) ?? (own.length > 0 ? own : undefined)
    if (known === undefined) return [whole]
    // Quoted text belongs to another command.
    const [given = ''] = `${sub}${rest} `.replace(/'[^']*'|"[^"]*"/g, '').split(' -- ')
    return [...given.matchAll(/--[a-z][a-z-]*/g)].flatMap(([option]) => (known.includes(option) ? [] : [whole]))
  })
  expect(wrong).toEqual([])
  expect(new Set(named.map(([, word]) => word)).size).toBeGreaterThan(15)
})

// The commands with their options, from the page that is generated from the tree itself.
function readReference(): ReadonlyMap<string, readonly string[]> {
  const text = readFileSync(new URL('../reference/cli.md', GUIDES), 'utf8')
  const sections = text.split(/^##+ arc /m).slice(1)
  return new Map(
    sections.map((section) => {
      const [name = ''] = section.split('\n')
      return [name, [...section.matchAll(/^\| `[^`]*?(--[a-z][a-z-]*)/gm)].map(([, option = '']) => option)]
    }),
  )
}

it('C1 the profile and the script of the guide load without a problem', async () => {
  const text = guide('configuration')
  place.write(PROFILE, {})
  place.write('home/profiles/strict.json', block(text, 'jsonc'))
  place.write('home/profiles/hooks.arma', block(text, 'arma'))
  const shown = onlyJson(await runArcInProcess(['profile', 'show', 'strict', '--json'], { home: place.home }))
  expect(shown).toMatchObject({ problems: [], enforcement: 'enforce' })
  const { settings } = shown as { settings: { key: string }[] }
  expect(settings.map(({ key }) => key)).toEqual(expect.arrayContaining(['commands[0]', 'scripts[0]']))
})
