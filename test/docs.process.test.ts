// The docs say what is true: the reference follows the tables, and links and commands lead somewhere.

import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { ERRORS } from '../src/engine/errors.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const PAGES = [
  ...[
    'README.md',
    'ARCHITECTURE.md',
    'AGENTS.md',
    'GLOSSARY.md',
    'CONTRIBUTING.md',
    'CHANGELOG.md',
    'SECURITY.md',
    'examples/README.md',
  ],
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
]
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }

it('the reference is in step with the tables', () => {
  expect(() => execFileSync(process.execPath, [join(ROOT, 'scripts/docs.mjs'), '--check'])).not.toThrow()
})

it('every error code is documented, with what to do about it', () => {
  const page = read('docs/reference/errors.md')
  for (const [code, { fix }] of Object.entries(ERRORS))
    expect(page).toContain(`\`${code}\` | ${ERRORS[code as keyof typeof ERRORS].when} | ${fix}`)
})

it.each(PAGES)('%s links only to what exists', (page) => {
  const links = [...read(page).matchAll(/\]\((?!https?:)([^)#]+)/g)].map((match) => match[1] ?? '')
  const broken = links.filter((link) => !existsSync(join(ROOT, dirname(page), link)))
  expect(broken).toEqual([])
})

it('the index leads to every guide and every page of the reference', () => {
  const index = read('docs/README.md')
  const pages = PAGES.filter((page) => /^docs.(?:guides|reference)./.test(page)).map((page) =>
    page.slice('docs/'.length),
  )
  expect(pages.filter((page) => !index.includes(`](${page})`))).toEqual([])
})

it.each(PAGES)('%s names only npm scripts and source files that exist', (page) => {
  const text = read(page)
  const names = [...text.matchAll(/npm (?:run )?(start|test|check|bench|docs|format|build)\b/g)].map(
    (match) => match[1] ?? '',
  )
  expect(names.filter((name) => scripts[name] === undefined)).toEqual([])
  const files = [...text.matchAll(/`((?:src|test|scripts|bench|examples|docs|dashboard)\/[\w./-]+)`/g)].map(
    (match) => match[1] ?? '',
  )
  expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([])
})

it.each(PAGES)('%s has no conflict marker', (page) => {
  expect(read(page)).not.toMatch(/<<<<<<<|>>>>>>>|> > > >/)
})

// The package's page resolves the relative links of the README against this address.
it('package.json names one address of the project', () => {
  const { homepage, repository, bugs } = JSON.parse(read('package.json'))
  const address = 'https://github.com/arc-supervisor/arc'
  expect({ homepage, repository: repository.url, bugs }).toEqual({
    homepage: `${address}#readme`,
    repository: `git+${address}.git`,
    bugs: `${address}/issues`,
  })
})

function read(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8')
}
