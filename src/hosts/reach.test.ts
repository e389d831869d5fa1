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
    expect(others).toEqual(['pre:view:render', 'pre:launch', 'post:launch', 'config:change'])
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
