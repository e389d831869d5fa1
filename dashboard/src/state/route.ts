// Which page is shown, as the address says. Links are made here and only of known pages: nothing that came from an agent
// becomes an address, except as an escaped part of our own.

import { signal } from '@preact/signals'

export const PAGES = [
  { id: 'overview', path: '/', title: 'Overview', key: 'o' },
  { id: 'pipeline', path: '/pipeline', title: 'Hook Pipeline', key: 'p' },
  { id: 'feed', path: '/feed', title: 'Live feed', key: 'f' },
  { id: 'sessions', path: '/sessions', title: 'Sessions', key: 's' },
  { id: 'approvals', path: '/approvals', title: 'Approvals', key: 'a' },
  { id: 'roundtables', path: '/roundtables', title: 'Roundtables', key: 'r' },
  { id: 'tasks', path: '/tasks', title: 'Tasks', key: 't' },
  { id: 'config', path: '/config', title: 'Configuration', key: 'c' },
] as const

export type PageId = (typeof PAGES)[number]['id']

export interface Route {
  readonly page: PageId
  /** What of the page, as in `/sessions/<id>`. */
  readonly id: string | undefined
  readonly params: URLSearchParams
}

/** Reads an address. One that is unknown leads to the overview. */
export function readRoute(path: string, search: string): Route {
  const [, first = '', rest = ''] = /^\/([^/]*)\/?(.*)$/.exec(path) ?? []
  const page = PAGES.find((known) => known.path === `/${first}`)?.id ?? 'overview'
  return { page, id: rest === '' ? undefined : decode(rest), params: new URLSearchParams(search) }
}

/** The address of a page. */
export function addressOf(page: PageId, id?: string, params?: Readonly<Record<string, string>>): string {
  const path = PAGES.find((known) => known.id === page)?.path ?? '/'
  const query = new URLSearchParams(params).toString()
  return `${path}${id === undefined ? '' : `/${encodeURIComponent(id)}`}${query === '' ? '' : `?${query}`}`
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // A stray percent sign: as it stands.
    return text
  }
}

const here = (): Route => readRoute(location.pathname, location.search)

export const route = signal<Route>({ page: 'overview', id: undefined, params: new URLSearchParams() })

/** Follows the address from now on. */
export function startRouting(): void {
  route.value = here()
  window.addEventListener('popstate', () => {
    route.value = here()
  })
  document.addEventListener('click', followLink)
}

/** Goes to an address of ours. */
export function go(address: string, { isReplacing = false }: { readonly isReplacing?: boolean } = {}): void {
  if (address === location.pathname + location.search) return
  if (isReplacing) history.replaceState(null, '', address)
  else history.pushState(null, '', address)
  route.value = here()
}

/** Changes what stands after the question mark. */
export function setParams(params: URLSearchParams, options?: { readonly isReplacing?: boolean }): void {
  const query = params.toString()
  go(location.pathname + (query === '' ? '' : `?${query}`), options)
}

// Our own links change the page without loading it again; with a modifier the browser does what it always does.
function followLink(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return
  const link = event.target instanceof Element ? event.target.closest('a') : null
  if (link === null || link.origin !== location.origin || link.target !== '') return
  event.preventDefault()
  go(link.pathname + link.search)
}
