import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Script } from 'node:vm'
import { beforeEach, expect, it } from 'vitest'
import { makeTempFolder } from '../../../test/temp-folder.ts'
import { cachePath, loadCached } from './cached-code.ts'

let folder: string
let file: string

beforeEach(() => {
  folder = makeTempFolder('arc-code-')
  file = join(folder, 'bundle.cjs')
})

const CODE =
  '(function (exports, require, module, file, dir) { exports.answer = () => require("node:path").basename(dir) })'

it('loads a bundle with and without what was made of it before', () => {
  writeFileSync(file, CODE)
  const load = () => (loadCached(file) as { answer(): string }).answer()
  const name = folder.split('/').at(-1)
  expect(load()).toBe(name)
  writeFileSync(cachePath(file), new Script(CODE).createCachedData())
  expect(load()).toBe(name)
  writeFileSync(cachePath(file), 'made by another version')
  expect(load()).toBe(name)
})

it('gives nothing where there is no bundle, or none that works', () => {
  expect(loadCached(file)).toBeUndefined()
  writeFileSync(file, '(function () { throw new Error("broken") })')
  expect(loadCached(file)).toBeUndefined()
  writeFileSync(file, '(function () {')
  expect(loadCached(file)).toBeUndefined()
})
