// The current page, from the URL. Links are built here and only for known pages: text from agents is never a URL, only an
// escaped part of one.

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
  /** The item of the page, as in `/sessions/<id>`. */
  readonly id: string | undefined
  readonly params: URLSearchParams
}

/** Parses a URL. An unknown path is the overview. */
export function readRoute(path: string, search: string): Route {
  const [, first = '', rest = ''] = /^\/([^/]*)\/?(.*)$/.exec(path) ?? []
  const page = PAGES.find((known) => known.path === `/${first}`)?.id ?? 'overview'
  return { page, id: rest === '' ? undefined : decode(rest), params: new URLSearchParams(search) }
}

/** Builds the URL of a page. */
export function buildAddress(page: PageId, id?: string, params?: Readonly<Record<string, string>>): string {
  const path = PAGES.find((known) => known.id === page)?.path ?? '/'
  const query = new URLSearchParams(params).toString()
  return `${path}${id === undefined ? '' : `/${encodeURIComponent(id)}`}${query === '' ? '' : `?${query}`}`
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // An invalid escape is used as it is.
    return text
  }
}

const here = (): Route => readRoute(location.pathname, location.search)

export const route = signal<Route>({ page: 'overview', id: undefined, params: new URLSearchParams() })

/** Follows changes of the URL. */
export function startRouting(): void {
  route.value = here()
  window.addEventListener('popstate', () => {
    route.value = here()
  })
  document.addEventListener('click', followLink)
}

/** Navigates to a page. */
export function go(address: string, { isReplacing = false }: { readonly isReplacing?: boolean } = {}): void {
  if (address === location.pathname + location.search) return
  if (isReplacing) history.replaceState(null, '', address)
  else history.pushState(null, '', address)
  route.value = here()
}

/** Sets the query parameters. */
export function setParams(params: URLSearchParams, options?: { readonly isReplacing?: boolean }): void {
  const query = params.toString()
  go(location.pathname + (query === '' ? '' : `?${query}`), options)
}

// Links to pages navigate without a reload; with a modifier key the browser handles them.
function followLink(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return
  const link = event.target instanceof Element ? event.target.closest('a') : null
  if (link === null || link.origin !== location.origin || link.target !== '') return
  event.preventDefault()
  go(link.pathname + link.search)
}
