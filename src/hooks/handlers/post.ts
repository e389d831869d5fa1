// One POST of JSON: bounded in time and size, no redirects, connections kept alive. Shared by HTTP and prompt handlers.

import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import { Failure } from '../../engine/degradation.ts'
import { ArcError, show } from '../../engine/errors.ts'
import { MAX_OUTPUT_BYTES } from './handler.ts'

/** What to send. */
export interface Post {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly signal: AbortSignal
}

/** What came back. */
export interface PostAnswer {
  readonly kind: 'answer'
  readonly status: number
  readonly text: string
  readonly contentType: string
  /** Set when the body is compressed, which was not asked for: it was not read. */
  readonly encoding: string | undefined
}

/** What came back, or why nothing did. */
export type Posted =
  | PostAnswer
  | { readonly kind: 'too-large' }
  | { readonly kind: 'unreachable'; readonly why: string; readonly isStale?: boolean }
  | { readonly kind: 'broken-off' }
  | { readonly kind: 'aborted' }

// Idle connections of these agents do not keep the process alive.
const AGENTS = { 'http:': new HttpAgent({ keepAlive: true }), 'https:': new HttpsAgent({ keepAlive: true }) }

/** Sends one request. Never rejects. */
export async function postJson(post: Post): Promise<Posted> {
  const posted = await send(post, true)
  // A server may close an idle connection just when it is used again. Being asked twice about a step does no harm.
  return posted.kind === 'unreachable' && posted.isStale === true ? send(post, false) : posted
}

/** The failure of an attempt without an answer; undefined if there is an answer. */
export function toFailure(posted: Posted, where: string): Failure | undefined {
  if (posted.kind === 'aborted') return new Failure('timeout', `no answer from ${where} in time`)
  if (posted.kind === 'unreachable') return new Failure('start', `${where} cannot be reached: ${posted.why}`)
  if (posted.kind === 'broken-off') return new Failure('crash', `the answer of ${where} broke off`)
  if (posted.kind === 'too-large') return new Failure('output-limit', `${where} answered more than 1 MiB`)
  return undefined
}

function send({ url, headers, body, signal }: Post, reuse: boolean): Promise<Posted> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve({ kind: 'aborted' })
    let request: ClientRequest
    try {
      request = start(url, headers, body, reuse)
    } catch (error) {
      // A header that cannot be sent. The message names it and leaves its value out.
      return resolve({ kind: 'unreachable', why: (error as Error).message })
    }
    let isDone = false
    const abort = (): void => finish({ kind: 'aborted' })
    const finish = (posted: Posted): void => {
      if (isDone) return
      isDone = true
      signal.removeEventListener('abort', abort)
      resolve(posted)
      if (posted.kind !== 'answer') request.destroy()
    }
    signal.addEventListener('abort', abort, { once: true })
    listen(request, finish)
    request.end(body)
  })
}

function start(url: URL, headers: Post['headers'], body: string, reuse: boolean): ClientRequest {
  const isHttps = url.protocol === 'https:'
  const own = { 'content-type': 'application/json', accept: 'application/json', 'accept-encoding': 'identity' }
  return (isHttps ? requestHttps : requestHttp)(url, {
    method: 'POST',
    agent: reuse && AGENTS[isHttps ? 'https:' : 'http:'],
    headers: { ...own, ...headers, 'content-length': Buffer.byteLength(body) },
  })
}

function listen(request: ClientRequest, finish: (posted: Posted) => void): void {
  request.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    const isStale = request.reusedSocket && (code === 'ECONNRESET' || code === 'EPIPE')
    finish({ kind: 'unreachable', why: code ?? message, isStale })
  })
  // A server that switches protocols ends the request without an error.
  const closed = (): void => finish({ kind: 'unreachable', why: 'it closed the connection' })
  request.on('close', closed)
  request.on('response', (response: IncomingMessage) => {
    request.off('close', closed)
    const chunks: Buffer[] = []
    let size = 0
    response.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > MAX_OUTPUT_BYTES) finish({ kind: 'too-large' })
      else chunks.push(chunk)
    })
    response.on('end', () => finish(readAnswer(response, chunks)))
    response.on('error', () => finish({ kind: 'broken-off' }))
    response.on('close', () => finish({ kind: 'broken-off' }))
  })
}

function readAnswer({ statusCode = 0, headers }: IncomingMessage, chunks: readonly Buffer[]): PostAnswer {
  const encoding = /^(identity)?$/i.test(headers['content-encoding'] ?? '') ? undefined : headers['content-encoding']
  const text = encoding === undefined ? Buffer.concat(chunks).toString('utf8') : ''
  return { kind: 'answer', status: statusCode, text, contentType: headers['content-type'] ?? '', encoding }
}

/** A URL without user name and password, and the headers for them. */
export function readUrl(given: unknown, where: string): { url: URL; headers: Record<string, string> } {
  const url = typeof given === 'string' && URL.canParse(given) ? new URL(given) : undefined
  if (url === undefined || !(url.protocol in AGENTS)) {
    throw new ArcError('ARC_URL_INVALID', `${where} must be an http or https URL, not ${shownGiven(given)}.`)
  }
  const { username, password } = url
  url.username = url.password = ''
  if (username === '' && password === '') return { url, headers: {} }
  const secret = Buffer.from(`${decoded(username)}:${decoded(password)}`).toString('base64')
  return { url, headers: { authorization: `Basic ${secret}` } }
}

/** A URL as it may be shown: neither credentials nor a query, where keys are often put. */
export function shownUrl(url: URL): string {
  return `${url.origin}${url.pathname}`
}

// A stray % is literal.
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

// It may be nearly a URL, and then its credentials are before the last @ or after the first ?.
function shownGiven(given: unknown): string {
  if (typeof given === 'object' && given !== null) return 'an object'
  if (typeof given !== 'string') return show(given)
  return show(given.replace(/^(\w+:\/\/)?.*@/s, '$1…@').replace(/[?#].*$/s, '?…'))
}
