// The guides to the command line and the configuration are true: their commands exist and their examples load.

import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { onlyJson, runArc } from '../../test/run-arc.ts'
import { makeHome, PROFILE, type SupervisedHome } from '../../test/supervised-home.ts'

let place: SupervisedHome

beforeEach(() => {
  place = makeHome()
})
afterEach(() => place.remove())

const guide = (name: string) => readFileSync(new URL(`../../docs/guides/${name}.md`, import.meta.url), 'utf8')
const block = (text: string, language: string) => text.split(`\`\`\`${language}\n`)[1]?.split('\n```')[0] ?? ''

it('every command that the guides name exists, with the options they give it', async () => {
  const text = guide('cli') + guide('configuration')
  const named = [...text.matchAll(/(?:^|`)arc ([a-z]+)((?: [a-z]+)?)([^`\n#]*)/gm)].map((match) => match.slice(1, 4))
  const helps = new Map<string, string>()
  for (const [command = '', sub = '', rest = ''] of named) {
    const path = [command, ...(GROUPS.includes(command) ? [sub.trim()] : [])].filter(Boolean)
    const key = path.join(' ')
    if (!helps.has(key)) {
      const { code, stdout } = await runArc([...path, '--help'], { home: place.home })
      expect([key, code]).toEqual([key, 0])
      helps.set(key, stdout)
    }
    expect(helps.get(key)).toContain(`arc ${key} `)
    const [own = ''] = rest.split(' -- ')
    for (const [option] of own.matchAll(/--[a-z]+/g))
      expect([key, helps.get(key)]).toEqual([key, expect.stringContaining(option)])
  }
  expect(helps.size).toBeGreaterThan(25)
}, 120_000)

const GROUPS = ['profile', 'hooks', 'breaker', 'approvals', 'trace', 'script', 'task']

it('C1 the profile and the script of the guide load without a problem', async () => {
  const text = guide('configuration')
  place.write(PROFILE, {})
  place.write('home/profiles/strict.json', block(text, 'jsonc'))
  place.write('home/profiles/hooks.arma', block(text.slice(text.indexOf('## Scripts')), ''))
  const shown = onlyJson(await runArc(['profile', 'show', 'strict', '--json'], { home: place.home }))
  expect(shown).toMatchObject({ problems: [], enforcement: 'enforce' })
  const { settings } = shown as { settings: { key: string }[] }
  expect(settings.map(({ key }) => key)).toEqual(expect.arrayContaining(['commands[0]', 'scripts[0]']))
})
