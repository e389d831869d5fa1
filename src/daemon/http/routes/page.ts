// The dashboard's files, where they were built; else a page that says what there is. And the login link.

import { createHash } from 'node:crypto'
import { readFileSync, realpathSync, rmSync, statSync } from 'node:fs'
import { extname, join, sep } from 'node:path'
import type { Context } from 'hono'
import { loginFile } from '../../process/paths.ts'
import type { App, Env, Service } from '../service.ts'

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

// Nothing from elsewhere, nothing inside a frame, no text that becomes markup or code: what agents wrote is shown on these
// pages. The stream's address is named because not every browser counts it as its own.
function pageHeaders(url: string | undefined): Readonly<Record<string, string>> {
  const stream = url === undefined ? '' : ` ${url.replace(/^http/, 'ws')}`
  const policy = {
    'default-src': "'none'",
    'script-src': "'self'",
    'style-src': "'self'",
    'img-src': "'self' data:",
    'font-src': "'self'",
    'manifest-src': "'self'",
    'connect-src': `'self'${stream}`,
    'frame-ancestors': "'none'",
    'base-uri': "'none'",
    'form-action': "'none'",
    'require-trusted-types-for': "'script'",
    'trusted-types': "'none'",
  }
  return {
    'content-security-policy': Object.entries(policy)
      .map((parts) => parts.join(' '))
      .join('; '),
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  }
}

/** The page where no dashboard was built. */
const BARE_PAGE = plainPage(`<h1>ARC is running</h1>
<p>The dashboard is not part of this build. What it would show is here as JSON:</p>
<ul>
<li><a href="/v1/status">/v1/status</a></li><li><a href="/v1/hooks">/v1/hooks</a></li>
<li><a href="/v1/decisions">/v1/decisions</a></li><li><a href="/v1/approvals">/v1/approvals</a></li>
<li><a href="/v1/breaker">/v1/breaker</a></li><li><a href="/v1/profiles">/v1/profiles</a></li>
</ul>
<p>In the terminal: <code>arc logs --follow</code></p>`)

// A browser that came by a link on another page has the cookie, but does not show it before something here was clicked.
const SIGN_IN_BODY = `<h1>Not signed in</h1>
<p>This page is for the owner of this computer's ARC. Open the link that <code>arc status</code> prints, or run
<code>arc open</code>.</p>
<p>Did that already? <a href="/">Go on</a></p>`
const SIGN_IN_PAGE = plainPage(SIGN_IN_BODY)
// The same, and tries again from here: then the browser sends the cookie, if it has one.
const SIGN_IN_AGAIN_PAGE = plainPage(SIGN_IN_BODY, '<meta http-equiv="refresh" content="0;url=/">')

function plainPage(body: string, head = ''): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8">${head}<meta name="viewport" content="width=device-width"><title>ARC</title></head>
<body>
${body}
</body></html>
`
}

/** What a browser gets that is not signed in. */
export function signInPage(c: Context<Env>): Response | Promise<Response> {
  const isFromElsewhere = c.req.header('sec-fetch-site') === 'cross-site'
  return c.html(isFromElsewhere ? SIGN_IN_AGAIN_PAGE : SIGN_IN_PAGE, 401, { ...pageHeaders(undefined), ...NOT_KEPT })
}

const NOT_KEPT = { 'cache-control': 'no-store' } as const
const KEPT_FOR_EVER = { 'cache-control': 'public, max-age=31536000, immutable' } as const
// Asked for anew each time: it names the files that are kept.
const ASKED_ANEW = { 'cache-control': 'no-cache' } as const

export function addPageRoutes(app: App, { auth, home, url }: Service, folder: string | undefined): void {
  app.get('/login', (c) => {
    const headers = { ...pageHeaders(url()), ...NOT_KEPT }
    const cookie = auth.login(c.req.query('code'))
    if (cookie === undefined) {
      return c.text('This link was used already or is too old. A new one: arc status', 401, headers)
    }
    rmSync(loginFile(home), { force: true })
    // Out of the address bar and the history, and sent to nobody.
    return c.body(null, 303, { ...headers, location: '/', 'set-cookie': cookie })
  })
  app.get('*', (c) => {
    const file = folder === undefined ? undefined : findFile(folder, c.req.path)
    const headers = pageHeaders(url())
    if (file !== undefined) return answerFile(c, file, headers)
    if (c.req.path === '/') return c.html(BARE_PAGE, 200, headers)
    return c.json({ error: { code: 'ARC_NOT_FOUND', message: `There is nothing at ${c.req.path}.` } }, 404)
  })
}

function answerFile(c: Context<Env>, file: PageFile, headers: Readonly<Record<string, string>>): Response {
  // Their names change with what is in them.
  const isHashed = c.req.path.startsWith('/assets/')
  const tag = { etag: `"${createHash('sha256').update(file.body).digest('base64url').slice(0, 22)}"` }
  const kept = { ...tag, ...(isHashed ? KEPT_FOR_EVER : ASKED_ANEW) }
  if (c.req.header('if-none-match') === tag.etag) return c.body(null, 304, { ...headers, ...kept })
  return c.body(file.body, 200, { ...headers, ...kept, 'content-type': file.type })
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
