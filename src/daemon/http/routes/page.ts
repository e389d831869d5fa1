// The files of the built dashboard, else a page with links to the JSON routes. And the login.

import { createHash } from 'node:crypto'
import { readFileSync, realpathSync, rmSync, statSync } from 'node:fs'
import { extname, join, sep } from 'node:path'
import type { Context } from 'hono'
import { loginFile } from '../../process/paths.ts'
import type { Env, HttpApp, Service } from '../service.ts'

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

// No content from other origins, no frames, no text as markup or code: the pages show text of agents. The stream's address
// is listed because not every browser counts it as 'self'.
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
<p>This build has no dashboard. The data as JSON:</p>
<ul>
<li><a href="/v1/status">/v1/status</a></li><li><a href="/v1/hooks">/v1/hooks</a></li>
<li><a href="/v1/decisions">/v1/decisions</a></li><li><a href="/v1/approvals">/v1/approvals</a></li>
<li><a href="/v1/breaker">/v1/breaker</a></li><li><a href="/v1/profiles">/v1/profiles</a></li>
</ul>
<p>In a terminal: <code>arc logs --follow</code></p>`)

// After a link from another site the browser has the cookie but does not send it with this request.
const SIGN_IN_BODY = `<h1>Not signed in</h1>
<p>To sign in, run <code>arc open</code>, or open the link that <code>arc status</code> prints.</p>
<p>Already signed in? <a href="/">Continue</a></p>`
const SIGN_IN_PAGE = plainPage(SIGN_IN_BODY)
// The same with a reload: the browser then sends the cookie, if it has one.
const SIGN_IN_RELOAD_PAGE = plainPage(SIGN_IN_BODY, '<meta http-equiv="refresh" content="0;url=/">')

function plainPage(body: string, head = ''): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8">${head}<meta name="viewport" content="width=device-width"><title>ARC</title></head>
<body>
${body}
</body></html>
`
}

/** The page for a browser that is not signed in. */
export function signInPage(c: Context<Env>): Response | Promise<Response> {
  const isCrossSite = c.req.header('sec-fetch-site') === 'cross-site'
  return c.html(isCrossSite ? SIGN_IN_RELOAD_PAGE : SIGN_IN_PAGE, 401, { ...pageHeaders(undefined), ...NO_STORE })
}

const NO_STORE = { 'cache-control': 'no-store' } as const
const IMMUTABLE = { 'cache-control': 'public, max-age=31536000, immutable' } as const
// Checked on every request: it names the immutable files.
const REVALIDATE = { 'cache-control': 'no-cache' } as const

export function addPageRoutes(app: HttpApp, { auth, home, url }: Service, folder: string | undefined): void {
  app.get('/login', (c) => {
    const headers = { ...pageHeaders(url()), ...NO_STORE }
    const cookie = auth.login(c.req.query('code'))
    if (cookie === undefined) {
      return c.text('This link was already used or has expired. Get a new one: arc status', 401, headers)
    }
    rmSync(loginFile(home), { force: true })
    // Removes the code from the address bar and the history.
    return c.body(null, 303, { ...headers, location: '/', 'set-cookie': cookie })
  })
  app.get('*', (c) => {
    const file = folder === undefined ? undefined : findFile(folder, c.req.path)
    const headers = pageHeaders(url())
    if (file !== undefined) return answerFile(c, file, headers)
    if (c.req.path === '/') return c.html(BARE_PAGE, 200, headers)
    return c.json({ error: { code: 'ARC_NOT_FOUND', message: `Not found: ${c.req.path}` } }, 404)
  })
}

function answerFile(c: Context<Env>, file: PageFile, headers: Readonly<Record<string, string>>): Response {
  // The names of these files contain a hash of their content.
  const isHashed = c.req.path.startsWith('/assets/')
  const tag = { etag: `"${createHash('sha256').update(file.body).digest('base64url').slice(0, 22)}"` }
  const caching = { ...tag, ...(isHashed ? IMMUTABLE : REVALIDATE) }
  if (c.req.header('if-none-match') === tag.etag) return c.body(null, 304, { ...headers, ...caching })
  return c.body(file.body, 200, { ...headers, ...caching, 'content-type': file.type })
}

interface PageFile {
  readonly body: Uint8Array<ArrayBuffer>
  readonly type: string
}

// The pages of the app have no files: index.html renders all of them.
function findFile(folder: string, path: string): PageFile | undefined {
  const exact = read(folder, path === '/' ? '/index.html' : path)
  if (exact !== undefined || path.startsWith('/v1/') || extname(path) !== '') return exact
  return read(folder, '/index.html')
}

// Only files inside the folder, after symbolic links are resolved.
function read(folder: string, path: string): PageFile | undefined {
  try {
    const root = realpathSync(folder)
    const file = realpathSync(join(root, decodeURIComponent(path)))
    if (!file.startsWith(root + sep) || !statSync(file).isFile()) return undefined
    return { body: new Uint8Array(readFileSync(file)), type: TYPES[extname(file)] ?? 'application/octet-stream' }
  } catch {
    // Missing file or invalid name.
    return undefined
  }
}
