// What V8 knows of the classes of a dispatch outlives garbage collections that find no instance of them.

import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'

// Compiles the engine and a class of its own, collects often enough for V8 to forget shapes without instances, and
// tells them apart by a line in between.
const PROGRAM = `
  const { createEngine } = await import(process.env.ARC_LIBRARY)
  class Forgotten {
    #a = 1
    constructor(b) { this.b = b }
    sum() { return this.#a + this.b }
  }
  const call = { tool: 'shell', args: { command: 'ls' } }
  const engines = [createEngine(), createEngine({ sink: () => undefined })]
  for (const engine of engines) {
    engine.register('pre:tool', (step) => void step.data.args.command)
    engine.register('pre:tool', async () => undefined)
    engine.register('post:tool', () => undefined)
  }
  let total = 0
  let last
  const make = (i) => {
    last = new Forgotten(i)
    total += last.sum()
  }
  const control = () => {
    for (let i = 0; i < 100_000; i++) make(i)
    last = undefined
  }
  const dispatches = async () => {
    for (let i = 0; i < 20_000; i++) {
      for (const engine of engines) {
        await engine.dispatch('pre:tool', call)
        engine.dispatch('post:tool', call)
      }
    }
  }
  const collect = () => { for (let i = 0; i < 8; i++) gc() }
  // What was compiled to load the library.
  collect()
  console.log('= engine')
  for (let i = 0; i < 3; i++) await dispatches()
  collect()
  await dispatches()
  console.log('= control')
  for (let i = 0; i < 5; i++) control()
  collect()
`

describe('the shapes of what a dispatch makes', () => {
  it('are not forgotten with its last instance, so that no collection costs compiled code', ({ skip }) => {
    const library = new URL('../../dist/index.js', import.meta.url).href
    // Compiled where it runs, so that it does not depend on how quick another thread is.
    const flags = [
      '--expose-gc',
      '--trace-deopt',
      '--no-concurrent-recompilation',
      '--input-type=module',
      '-e',
      PROGRAM,
    ]
    const env = { ...process.env, ARC_LIBRARY: library }
    const { stdout, stderr } = spawnSync(process.execPath, flags, {
      env,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    })
    const [, engine = '', control = ''] = stdout.split(/= (?:engine|control)\n/)
    const thrownAway = (text: string) => text.split('\n').filter((line) => line.includes('weak objects'))
    expect(stderr).toBe('')
    // On the Node that we test with it does not say anything else.
    if (thrownAway(control).length === 0) skip('this V8 says in other words what it throws away')
    expect(thrownAway(engine)).toEqual([])
  })
})
