// Who may use the port: whoever shows the token, or the cookie that the token was exchanged for. Other web pages may not,
// whatever the browser sends along: Host and Origin must be our own, and a change takes a page of ours or the token itself.

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { ArcError, describe } from '../core/errors.ts'
import { runDir, tokenFile } from './places.ts'

const TOKEN_BYTES = 32
const COOKIE = 'arc_session'
const LOCAL_NAMES = ['127.0.0.1', 'localhost', '[::1]']

/** What a request brings along. */
export interface RequestFacts {
  readonly host: string | undefined
  readonly origin: string | undefined
  readonly authorization: string | undefined
  readonly cookie: string | undefined
}

/** What a request wants, and what the browser says of where it comes from. */
export interface RequestAim {
  readonly method: string
  readonly path: string
  /** `Sec-Fetch-Site`. */
  readonly site: string | undefined
}

/** The token of a home; made when there is none. Only its owner can read it. */
export function readToken(home: string): string {
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

/** Guards the port. */
export class Gate {
  readonly #token: string
  readonly #cookie: string
  #port = 0

  constructor(token: string) {
    this.#token = token
    // Not the token itself: what a browser keeps is worth nothing elsewhere, and changes with the token.
    this.#cookie = createHmac('sha256', token).update('dashboard').digest('base64url')
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
  isForged({ method, path, site }: RequestAim, { origin, authorization }: RequestFacts): boolean {
    if (this.hasToken(authorization)) return false
    const isChange = method !== 'GET' && method !== 'HEAD'
    if (isChange && origin === undefined) return true
    return path.startsWith('/v1/') && (site === 'cross-site' || site === 'same-site')
  }

  /** Does it show the token or the cookie? */
  isKnown({ authorization, cookie }: RequestFacts): boolean {
    return this.hasToken(authorization) || isSame(cookieIn(cookie, this.#cookieName), this.#cookie)
  }

  /** Does it show the token itself? */
  hasToken(authorization: string | undefined): boolean {
    const [, shown] = /^Bearer (\S+)$/i.exec(authorization ?? '') ?? []
    return isSame(shown, this.#token)
  }

  /**
   * The cookie for a login link with the right token. A link can be used again, so that it can be kept as a bookmark: it is worth
   * as much as the file it comes from, and a new file makes both worthless.
   */
  login(token: string | undefined): string | undefined {
    if (!isSame(token, this.#token)) return undefined
    return `${this.#cookieName}=${this.#cookie}; HttpOnly; SameSite=Strict; Path=/; Max-Age=31536000`
  }

  // Cookies know no ports: daemons of two homes must not sign each other's pages out.
  get #cookieName(): string {
    return `${COOKIE}_${this.#port}`
  }
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
