// The dashboard's files, where they were built; else a page that says what there is. And the login link.

import { readFileSync, realpathSync, statSync } from 'node:fs'
import { extname, join, sep } from 'node:path'
import type { App, Service } from '../service.ts'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.map': 'application/json',
}

// Nothing from elsewhere, nothing inside a frame: what agents wrote is shown on these pages.
const PAGE_HEADERS = {
  'content-security-policy':
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
} as const

/** The page where no dashboard was built. */
const BARE_PAGE = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>ARC</title>
<style>body{font:16px/1.5 system-ui;max-width:40rem;margin:3rem auto;padding:0 1rem}code{background:#8882;padding:.1em .3em}</style>
<h1>ARC is running</h1>
<p>The dashboard is not part of this build. What it would show is here as JSON:</p>
<ul>
<li><a href="/v1/status">/v1/status</a></li><li><a href="/v1/hooks">/v1/hooks</a></li>
<li><a href="/v1/decisions">/v1/decisions</a></li><li><a href="/v1/approvals">/v1/approvals</a></li>
<li><a href="/v1/breaker">/v1/breaker</a></li><li><a href="/v1/profiles">/v1/profiles</a></li>
</ul>
<p>In the terminal: <code>arc logs --follow</code></p>
</html>
`

export function addPageRoutes(app: App, { gate }: Service, folder: string | undefined): void {
  app.get('/login', (c) => {
    const cookie = gate.login(c.req.query('token'))
    if (cookie === undefined)
      return c.text('This link is not valid any more: arc status --json has the present one.', 401)
    // Out of the address bar and the history, and sent to nobody.
    return c.body(null, 303, { location: '/', 'set-cookie': cookie, ...PAGE_HEADERS })
  })
  app.get('*', (c) => {
    const file = folder === undefined ? undefined : findFile(folder, c.req.path)
    if (file !== undefined) return c.body(file.body, 200, { ...PAGE_HEADERS, 'content-type': file.type })
    if (c.req.path === '/') return c.html(BARE_PAGE, 200, PAGE_HEADERS)
    return c.json({ error: { code: 'ARC_NOT_FOUND', message: `There is nothing at ${c.req.path}.` } }, 404)
  })
}

interface PageFile {
  readonly body: Uint8Array<ArrayBuffer>
  readonly type: string
}

// A page of the app has no file of its own: it is drawn by the one there is.
function findFile(folder: string, path: string): PageFile | undefined {
  const asked = read(folder, path === '/' ? '/index.html' : path)
  if (asked !== undefined || path.startsWith('/v1/') || extname(path) !== '') return asked
  return read(folder, '/index.html')
}

// Only what really lies inside the folder, links followed.
function read(folder: string, path: string): PageFile | undefined {
  try {
    const root = realpathSync(folder)
    const file = realpathSync(join(root, decodeURIComponent(path)))
    if (!file.startsWith(root + sep) || !statSync(file).isFile()) return undefined
    return { body: new Uint8Array(readFileSync(file)), type: TYPES[extname(file)] ?? 'application/octet-stream' }
  } catch {
    // No such file, or no such name.
    return undefined
  }
}
