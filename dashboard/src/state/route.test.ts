import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { buildAddress, PAGES, readRoute } from './route.ts'

describe('the address of a page', () => {
  it('leads back to the page and to what of it is shown, whatever that is called', () => {
    const page = fc.constantFrom(...PAGES.map(({ id }) => id))
    fc.assert(
      fc.property(page, fc.string({ minLength: 1 }), fc.string(), (id, what, text) => {
        const url = new URL(buildAddress(id, id === 'overview' ? undefined : what, { text }), 'http://127.0.0.1:4747')
        expect(url.origin).toBe('http://127.0.0.1:4747')
        const route = readRoute(url.pathname, url.search)
        expect(route.page).toBe(id)
        if (!isDots(what)) expect(route.id).toBe(id === 'overview' ? undefined : what)
        expect(route.params.get('text')).toBe(text)
      }),
    )
  })

  it.each([
    ['/', 'overview'],
    ['/feed', 'feed'],
    ['/sessions/a%2Fb', 'sessions'],
    ['/nothing-of-ours', 'overview'],
    ['/sessions/100%', 'sessions'],
  ])('%s is read as %s', (path, page) => {
    expect(readRoute(path, '').page).toBe(page)
  })

  it('has a separate key for each page', () => {
    expect(new Set(PAGES.map(({ key }) => key)).size).toBe(PAGES.length)
  })
})

// A browser takes these for steps in the path before anybody can read them.
function isDots(text: string): boolean {
  return /^\.{1,2}$/.test(text)
}
