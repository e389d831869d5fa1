// A bus, a store and a SQLite driver are each added in one folder: the folder has the part and a test that runs its contract.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { loadableDrivers, loadDriver } from '../src/storage/sqlite/driver/load-driver.ts'

const SRC = fileURLToPath(new URL('../src', import.meta.url))

const CONTRACTS = [
  { parts: 'bus', contracts: ['busContract'] },
  { parts: 'storage', contracts: ['traceStoreContract', 'stateStoreContract', 'taskStoreContract'] },
]

const folders = CONTRACTS.flatMap(({ parts, contracts }) =>
  readdirSync(join(SRC, parts), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => ({ folder: join(parts, name), contracts })),
)

it('K6 there is more than one bus and one store', () => {
  expect(folders.map(({ folder }) => folder)).toEqual(
    expect.arrayContaining(['bus/memory', 'bus/sqlite', 'storage/memory', 'storage/sqlite']),
  )
})

it.each(folders)('K6 the tests in $folder run its contracts', ({ folder, contracts }) => {
  const files = readdirSync(join(SRC, folder)).filter((file) => file.endsWith('.test.ts'))
  const texts = files.map((file) => readFileSync(join(SRC, folder, file), 'utf8'))
  for (const contract of contracts) {
    expect([contract, texts.some((text) => new RegExp(`for \\(.*\\bof ${contract}\\)`).test(text))]).toEqual([
      contract,
      true,
    ])
  }
})

it('K6 every file of a SQLite driver is registered', () => {
  const files = readdirSync(join(SRC, 'storage/sqlite/driver')).filter((file) => file.endsWith('-driver.ts'))
  const registered = readFileSync(join(SRC, 'storage/sqlite/driver/load-driver.ts'), 'utf8')
  for (const file of files.filter((name) => name !== 'load-driver.ts')) expect(registered).toContain(`'./${file}'`)
  for (const name of loadableDrivers()) expect(loadDriver(name).name).toBe(name)
})
