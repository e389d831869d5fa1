// Authenticates requests on the port: programs by the token, browsers by the cookie of a login link. Other web pages are
// refused whatever the browser sends: Host and Origin must be ARC's, and a change needs ARC's page or the token.
// Login links are valid once, for minutes; cookies end with the daemon. The token cannot approve: only a page's session can.

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

/** The headers that authenticate a request. */
export interface RequestCredentials {
  readonly host: string | undefined
  readonly origin: string | undefined
  readonly authorization: string | undefined
  readonly cookie: string | undefined
}

/** The target of a request, and its site as the browser reports it. */
export interface RequestTarget {
  readonly method: string
  readonly path: string
  /** `Sec-Fetch-Site`. */
  readonly site: string | undefined
}

/** The token of a home; created if there is none. Only its owner can read it. */
export function loadToken(home: string): string {
  const file = tokenFile(home)
  try {
    mkdirSync(runDir(home), { recursive: true, mode: 0o700 })
    // An existing folder may have had more rights.
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
    throw new ArcError('ARC_DAEMON_FAILED', `The token ${file} cannot be stored: ${describe(error)}.`)
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

/** A signed-in browser. */
export interface PageSession {
  /** Identifies the session in the trace; is no secret. */
  readonly id: string
  /** The process that received the login link. */
  readonly openedBy: object
}

interface LoginCode {
  readonly openedBy: object
  readonly expiresAt: number
}

/** Authenticates requests on the port. */
export class Authenticator {
  readonly #token: string
  readonly #now: () => number
  // By the digest of the secret. Only in memory: they end with the daemon.
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

  /** Does the Host header name this daemon? Refuses DNS rebinding: a page that resolves its own name to 127.0.0.1. */
  isOurHost(host: string | undefined): boolean {
    return host !== undefined && LOCAL_NAMES.some((name) => host.toLowerCase() === `${name}:${this.#port}`)
  }

  /** Does the request come from ARC's own page, or from no page? */
  isOurOrigin(origin: string | undefined): boolean {
    if (origin === undefined) return true
    return LOCAL_NAMES.some((name) => origin.toLowerCase() === `http://${name}:${this.#port}`)
  }

  /**
   * Could another page have made the browser send the request? Cookies are sent to every port of the same name: a change
   * needs an Origin, which browsers always send with a change, and `/v1/` is only for ARC's own pages.
   */
  isCrossSite({ method, path, site }: RequestTarget, { origin, authorization }: RequestCredentials): boolean {
    if (this.hasToken(authorization)) return false
    const isChange = method !== 'GET' && method !== 'HEAD'
    if (isChange && origin === undefined) return true
    return path.startsWith('/v1/') && (site === 'cross-site' || site === 'same-site')
  }

  /** Does the request have the token or a session's cookie? */
  isAuthenticated({ authorization, cookie }: Pick<RequestCredentials, 'authorization' | 'cookie'>): boolean {
    return this.hasToken(authorization) || this.findSession(cookie) !== undefined
  }

  /** The status line that refuses a WebSocket upgrade; undefined when the request is allowed. */
  refuseUpgrade({ host, origin, authorization, cookie }: IncomingHttpHeaders): string | undefined {
    if (!this.isOurHost(host) || !this.isOurOrigin(origin)) return '403 Forbidden'
    return this.isAuthenticated({ authorization, cookie }) ? undefined : '401 Unauthorized'
  }

  /** The page's session of a cookie. */
  findSession(cookie: string | undefined): PageSession | undefined {
    const shown = readCookie(cookie, this.#cookieName)
    return shown === undefined ? undefined : this.#sessions.get(hashSecret(shown))
  }

  /** Does the request have the token? */
  hasToken(authorization: string | undefined): boolean {
    const [, shown] = /^Bearer (\S+)$/i.exec(authorization ?? '') ?? []
    return isSame(shown, this.#token)
  }

  /** A code for a login link: valid once, for 5 minutes. */
  createLoginCode(openedBy: object): { readonly code: string; readonly expiresAt: number } {
    const now = this.#now()
    for (const [key, { expiresAt }] of this.#codes) if (expiresAt <= now) this.#codes.delete(key)
    dropOldest(this.#codes, MAX_CODES)
    const code = randomBytes(CODE_BYTES).toString('base64url')
    const expiresAt = now + CODE_MS
    this.#codes.set(hashSecret(code), { openedBy, expiresAt })
    return { code, expiresAt }
  }

  /** The cookie for a login code; undefined if the code was used, has expired or does not exist. */
  login(code: string | undefined): string | undefined {
    const key = hashSecret(code ?? '')
    const found = this.#codes.get(key)
    this.#codes.delete(key)
    if (found === undefined || found.expiresAt <= this.#now()) return undefined
    const secret = randomBytes(TOKEN_BYTES).toString('base64url')
    dropOldest(this.#sessions, MAX_SESSIONS)
    this.#sessions.set(hashSecret(secret), { id: randomBytes(9).toString('base64url'), openedBy: found.openedBy })
    return `${this.#cookieName}=${secret}; HttpOnly; SameSite=Strict; Path=/`
  }

  // Cookies are shared by all ports: daemons of two homes must not overwrite each other's.
  get #cookieName(): string {
    return `${COOKIE}_${this.#port}`
  }
}

// A Map keeps the order of insertion.
function dropOldest(map: Map<string, unknown>, most: number): void {
  const [oldest] = map.keys()
  if (map.size >= most && oldest !== undefined) map.delete(oldest)
}

// Looked up by digest, so that the time of the lookup reveals nothing about the secret.
function hashSecret(secret: string): string {
  return createHmac('sha256', 'arc').update(secret).digest('base64url')
}

function readCookie(header: string | undefined, wanted: string): string | undefined {
  for (const part of (header ?? '').split(';')) {
    const [name, value] = part.trim().split('=', 2)
    if (name === wanted) return value
  }
  return undefined
}

// In constant time.
function isSame(shown: string | undefined, wanted: string): boolean {
  const digest = (text: string): Buffer => createHmac('sha256', 'arc').update(text).digest()
  return timingSafeEqual(digest(shown ?? ''), digest(wanted)) && shown !== undefined
}
