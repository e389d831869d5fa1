import { describe, expect, it } from 'vitest'
import { POINTS } from '../engine/points.ts'
import { HOST_NAMES } from './host.ts'
import { HOSTS } from './list.ts'
import { findOtherWay, findReach, hostsThatReach } from './reach.ts'

describe('E4 the agents that reach a point', () => {
  it('are those with an installed event of it, or of a point that leads to it', () => {
    expect(hostsThatReach('pre:tool')).toEqual(HOST_NAMES)
    expect(hostsThatReach('pre:git:write')).toEqual(HOST_NAMES)
    const without = (point: string) => HOST_NAMES.filter((name) => !hostsThatReach(point).includes(name))
    expect(without('run:start')).toEqual(['antigravity'])
    expect(without('post:message')).toEqual(['copilot', 'kimi', 'antigravity', 'kiro'])
    expect(hostsThatReach('pre:permission')).toEqual(['claude', 'codex', 'qwen', 'copilot', 'opencode'])
    expect(hostsThatReach('post:permission')).toEqual(['claude', 'qwen'])
    expect(hostsThatReach('pre:view:render')).toEqual([])
  })

  it('E4 cover every installed event of every table', () => {
    for (const name of HOST_NAMES) {
      for (const row of Object.values(HOSTS[name].events)) {
        if (row.isInstalled) expect(hostsThatReach(row.point), row.point).toContain(name)
      }
    }
  })

  it('E4 leave only points without any event to programs and to arc launch', () => {
    const others = Object.keys(POINTS).filter((point) => findOtherWay(point) !== undefined)
    expect(others).toEqual(['post:ingest', 'pre:view:render', 'pre:launch', 'post:launch', 'config:change'])
  })
})

describe('E4 the note on a hook', () => {
  it.each([
    [['pre:tool'], ['claude', 'codex'], undefined],
    [['post:compact'], ['claude', 'gemini', 'cline'], 'never fires with gemini, cline'],
    [['post:compact', 'pre:tool'], ['gemini'], undefined],
    [['pre:view:render'], ['claude'], 'fires only if a program dispatches it'],
    [['own:point'], ['claude'], 'fires only if a program dispatches it'],
    [['pre:launch'], ['claude'], 'fires only with arc launch'],
    [['config:change'], ['claude'], undefined],
    [['post:compact'], [], undefined],
  ] as const)('at %j with %j is %s', (points, installed, note) => {
    expect(findReach(points, installed).note).toBe(note)
  })
})

describe('E4 the note on a hook whose event is registered on demand', () => {
  const again = (name: string): string => `never fires with ${name}: run arc install ${name} again`

  it.each([
    [['pre:model'], ['gemini'], [], again('gemini'), ['gemini']],
    [['pre:model'], ['gemini'], ['BeforeModel'], undefined, []],
    [['post:model'], ['gemini'], ['BeforeModel'], again('gemini'), ['gemini']],
    [['post:tool:batch'], ['claude', 'qwen'], ['PostToolBatch'], undefined, []],
    [['pre:model'], ['claude', 'codex'], [], `never fires with claude; ${again('codex')}`, ['claude', 'codex']],
    [
      ['pre:tool', 'pre:model'],
      ['gemini'],
      [],
      'never fires at pre:model with gemini: run arc install gemini again',
      [],
    ],
    [['post:ingest'], ['gemini'], [], 'fires only if a program dispatches it', ['gemini']],
  ] as const)('at %j with %j and %j is %s', (points, installed, registered, note, neverFiresWith) => {
    expect(findReach(points, installed, () => registered)).toMatchObject({ neverFiresWith })
    expect(findReach(points, installed, () => registered).note).toBe(note)
  })
})
