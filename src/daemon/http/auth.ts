// Who may use the port: programs that show the token, and browsers with the cookie of a login link. Other web pages may
// not, whatever the browser sends along: Host and Origin must be our own, and a change takes a page of ours or the token.
// Links are valid once and briefly; cookies end with the daemon. The token approves nothing: only a page's session does.

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { ArcError, describe } from '../../engine/errors.ts'
import { runDir, tokenFile } from '../process/paths.ts'

const TOKEN_BYTES = 32
const COOKIE = 'arc_session'
const CODE_BYTES = 24
const CODE_MS = 5 * 60_000
const MAX_CODES = 100
const MAX_SESSIONS = 1_000
const LOCAL_NAMES = ['127.0.0.1', 'localhost', '[::1]']

/** What a request brings along. */
export interface RequestCredentials {
  readonly host: string | undefined
  readonly origin: string | undefined
  readonly authorization: string | undefined
  readonly cookie: string | undefined
}

/** What a request wants, and what the browser says of where it comes from. */
export interface RequestTarget {
  readonly method: string
  readonly path: string
  /** `Sec-Fetch-Site`. */
  readonly site: string | undefined
}

/** The token of a home; made when there is none. Only its owner can read it. */
export function loadToken(home: string): string {
  const file = tokenFile(home)
  try {
    mkdirSync(runDir(home), { recursive: true, mode: 0o700 })
    // The folder may have been there before, with more rights.
    chmodSync(runDir(home), 0o700)
    const known = tryRead(file)
    if (known !== undefined && /^[\w-]{40,}$/.test(known)) {
      chmodSync(file, 0o600)
      return known
    }
    const token = randomBytes(TOKEN_BYTES).toString('base64url')
    writeFileSync(file, `${token}\n`, { mode: 0o600 })
    chmodSync(file, 0o600)
    return token
  } catch (error) {
    throw new ArcError('ARC_DAEMON_FAILED', `The token ${file} cannot be kept: ${describe(error)}.`)
  }
}

function tryRead(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** A browser that signed in. */
export interface PageSession {
  /** Names it in the record; opens nothing. */
  readonly id: string
  /** The process that was given the login link. */
  readonly openedBy: object
}

interface LoginCode {
  readonly openedBy: object
  readonly expiresAt: number
}

/** Guards the port. */
export class Authenticator {
  readonly #token: string
  readonly #now: () => number
  // By the digest of the secret. Only in memory: another daemon knows none of them.
  readonly #codes = new Map<string, LoginCode>()
  readonly #sessions = new Map<string, PageSession>()
  #port = 0

  constructor(token: string, now: () => number = Date.now) {
    this.#token = token
    this.#now = now
  }

  /** Known once the server listens. */
  set port(port: number) {
    this.#port = port
  }

  /** Is it addressed to us by name? A page that resolves its own name to 127.0.0.1 is not. */
  isOurHost(host: string | undefined): boolean {
    return host !== undefined && LOCAL_NAMES.some((name) => host.toLowerCase() === `${name}:${this.#port}`)
  }

  /** Does it come from our own page, or from no page at all? */
  isOurOrigin(origin: string | undefined): boolean {
    if (origin === undefined) return true
    return LOCAL_NAMES.some((name) => origin.toLowerCase() === `http://${name}:${this.#port}`)
  }

  /**
   * Could another page have made the browser send it? The cookie goes along with whatever comes from the same name, whichever
   * the port: a change takes the Origin that browsers always send with one, and what pages read is for our own pages.
   */
  isCrossSite({ method, path, site }: RequestTarget, { origin, authorization }: RequestCredentials): boolean {
    if (this.hasToken(authorization)) return false
    const isChange = method !== 'GET' && method !== 'HEAD'
    if (isChange && origin === undefined) return true
    return path.startsWith('/v1/') && (site === 'cross-site' || site === 'same-site')
  }

  /** Does it show the token or the cookie? */
  isAuthenticated({ authorization, cookie }: Pick<RequestCredentials, 'authorization' | 'cookie'>): boolean {
    return this.hasToken(authorization) || this.findSession(cookie) !== undefined
  }

  /** The status line that refuses a WebSocket upgrade; undefined when the request is allowed. */
  refuseUpgrade({ host, origin, authorization, cookie }: IncomingHttpHeaders): string | undefined {
    if (!this.isOurHost(host) || !this.isOurOrigin(origin)) return '403 Forbidden'
    return this.isAuthenticated({ authorization, cookie }) ? undefined : '401 Unauthorized'
  }

  /** The page's session that a request belongs to. */
  findSession(cookie: string | undefined): PageSession | undefined {
    const shown = cookieIn(cookie, this.#cookieName)
    return shown === undefined ? undefined : this.#sessions.get(digestOf(shown))
  }

  /** Does it show the token itself? */
  hasToken(authorization: string | undefined): boolean {
    const [, shown] = /^Bearer (\S+)$/i.exec(authorization ?? '') ?? []
    return isSame(shown, this.#token)
  }

  /** A code for a login link: valid once, for some minutes. */
  createLoginCode(openedBy: object): { readonly code: string; readonly expiresAt: number } {
    const now = this.#now()
    for (const [key, { expiresAt }] of this.#codes) if (expiresAt <= now) this.#codes.delete(key)
    dropOldest(this.#codes, MAX_CODES)
    const code = randomBytes(CODE_BYTES).toString('base64url')
    const expiresAt = now + CODE_MS
    this.#codes.set(digestOf(code), { openedBy, expiresAt })
    return { code, expiresAt }
  }

  /** The cookie for a login link; undefined when the link was used, is too old or was never made. */
  login(code: string | undefined): string | undefined {
    const key = digestOf(code ?? '')
    const found = this.#codes.get(key)
    this.#codes.delete(key)
    if (found === undefined || found.expiresAt <= this.#now()) return undefined
    const secret = randomBytes(TOKEN_BYTES).toString('base64url')
    dropOldest(this.#sessions, MAX_SESSIONS)
    this.#sessions.set(digestOf(secret), { id: randomBytes(9).toString('base64url'), openedBy: found.openedBy })
    return `${this.#cookieName}=${secret}; HttpOnly; SameSite=Strict; Path=/`
  }

  // Cookies know no ports: daemons of two homes must not sign each other's pages out.
  get #cookieName(): string {
    return `${COOKIE}_${this.#port}`
  }
}

// The order of a Map is that of insertion.
function dropOldest(map: Map<string, unknown>, most: number): void {
  const [oldest] = map.keys()
  if (map.size >= most && oldest !== undefined) map.delete(oldest)
}

// Looked up by digest, so that the time of the look-up tells nothing of the secret.
function digestOf(secret: string): string {
  return createHmac('sha256', 'arc').update(secret).digest('base64url')
}

function cookieIn(header: string | undefined, wanted: string): string | undefined {
  for (const part of (header ?? '').split(';')) {
    const [name, value] = part.trim().split('=', 2)
    if (name === wanted) return value
  }
  return undefined
}

// In a time that does not tell how much of it was right.
function isSame(shown: string | undefined, wanted: string): boolean {
  const digest = (text: string): Buffer => createHmac('sha256', 'arc').update(text).digest()
  return timingSafeEqual(digest(shown ?? ''), digest(wanted)) && shown !== undefined
}
