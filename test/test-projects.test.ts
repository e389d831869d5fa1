// Which test files belong to which project. Unit tests need no build and start no process or browser, so that they run in a
// minute from a fresh checkout; process tests are named *.process.test.ts. test/refuse-processes.ts enforces the same at run
// time for processes that the code under test would start.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const FORBIDDEN = /^(?:node:)?child_process$|^playwright|\/dist\/|\/run-arc\.ts$/

it('K4 unit tests import no child process, build or browser, directly or through a helper', () => {
  const files = listTestFiles().filter((file) => !file.endsWith('.process.test.ts'))
  expect(files.length).toBeGreaterThan(100)
  expect(files.flatMap((file) => findForbidden(file).map((name) => `${file}: ${name}`))).toEqual([])
})

it('K4 the files that start first exist', () => {
  const table = readFileSync(join(ROOT, 'test/longest-first.ts'), 'utf8')
  const files = [...table.matchAll(/^ {2}'(.+\.test\.ts)',$/gm)].map(([, file = '']) => file)
  expect(files.length).toBeGreaterThan(10)
  expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([])
})

it.each([
  ["import { spawn } from 'node:child_process'", ['node:child_process']],
  ["import { execFile } from 'child_process'", ['child_process']],
  ["import { runArc } from '../../test/run-arc.ts'", ['../../test/run-arc.ts']],
  ["const { createEngine } = await import('../dist/index.js')", ['../dist/index.js']],
  ["import { chromium } from 'playwright-core'", ['playwright-core']],
  ["import type { Page } from 'playwright-core'", []],
  ["import { execFiles } from './files.ts'", []],
])('%s', (text, found) => {
  expect(readImports(text).filter((name) => FORBIDDEN.test(name))).toEqual(found)
})

/** The forbidden imports of a test file and of the test helpers that it imports. The code under test is not followed. */
function findForbidden(file: string, seen = new Set<string>()): string[] {
  if (seen.has(file)) return []
  seen.add(file)
  const imports = readImports(readFileSync(join(ROOT, file), 'utf8'))
  const helpers = imports
    .filter((name) => name.startsWith('.'))
    .map((name) => relative(ROOT, join(ROOT, dirname(file), name)))
    .filter((path) => (path.startsWith('test/') || /[.-]fixture/.test(path)) && existsSync(join(ROOT, path)))
  const own = imports.filter((name) => FORBIDDEN.test(name))
  return [...own, ...helpers.flatMap((helper) => findForbidden(helper, seen))]
}

function readImports(text: string): string[] {
  const values = text.replaceAll(/^import type .*$/gm, '')
  return ts.preProcessFile(values, true, true).importedFiles.map(({ fileName }) => fileName)
}

function listTestFiles(): string[] {
  return ['src', 'test', 'dashboard'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .map((name) => `${folder}/${name}`)
      .filter((file) => file.endsWith('.test.ts') && !file.includes('node_modules')),
  )
}
