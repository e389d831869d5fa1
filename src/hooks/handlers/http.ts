// A hook that is an HTTP endpoint: the step is POSTed as JSON, the answer is the verdict.
// 2xx with a JSON object is a verdict; 2xx with nothing or plain text is a pass; every other status is a failure,
// redirects included, since they would send the step to somebody else.

import { validateHeaderName, validateHeaderValue } from 'node:http'
import { Failure } from '../../engine/degradation.ts'
import { ArcError, rejectUnknownOptions, show } from '../../engine/errors.ts'
import { readTimeout } from '../../engine/hook.ts'
import { isRecord } from '../../engine/plain-data.ts'
import type { HandlerResult } from '../../engine/verdict.ts'
import { createRedactor, type FilledHeaders, fillFromEnvironment, hideInVerdict, type Redact } from './credentials.ts'
import { buildHookInput } from './envelope.ts'
import { type Handler, readAnswerText, shown } from './handler.ts'
import { type PostAnswer, postJson, readUrl, shownUrl, toFailure } from './post.ts'
import { MARK_HEADER, newMark, ownVerdict } from './step-echo.ts'

/** An endpoint to ask. */
export interface HttpOptions {
  /** A user name and password in it are sent as basic authentication. */
  readonly url: string
  /** `$NAME` in a value is taken from the environment when the request is sent. Values are never shown. */
  readonly headers?: Readonly<Record<string, string>>
  /** Default: the limit of the engine. */
  readonly timeoutMs?: number
}

const OPTIONS = ['url', 'headers', 'timeoutMs'] as const

/**
 * A handler that asks an HTTP endpoint.
 * @example
 * engine.register('pre:tool', httpHandler({ url: 'http://127.0.0.1:8080/review', headers: { authorization: 'Bearer $KEY' } }))
 */
export function httpHandler(options: HttpOptions): Handler {
  rejectUnknownOptions(options, OPTIONS, 'httpHandler')
  const { url, headers: urlHeaders } = readUrl(options.url, 'url of httpHandler')
  const ownHeaders = readHeaders(options.headers)
  const timeoutMs = readTimeout(options.timeoutMs, 'httpHandler')
  const mark = newMark()
  const handler: Handler = async (step, { signal }) => {
    const filled = fillFromEnvironment(ownHeaders)
    const headers = { ...urlHeaders, ...filled.headers, [MARK_HEADER]: mark }
    const envelope = buildHookInput(step)
    const posted = await postJson({ url, headers, body: JSON.stringify(envelope), signal })
    if (posted.kind !== 'answer') return toFailure(posted, shownUrl(url))
    const values = [urlHeaders, filled.headers, filled.values].flatMap((given) => Object.values(given))
    const asked = { where: shownUrl(url), redact: createRedactor(values, url), missing: filled.missing }
    return ownVerdict(readAnswer(posted, asked), envelope, mark) as HandlerResult
  }
  return Object.assign(handler, timeoutMs === undefined ? {} : { timeoutMs })
}

interface Asked extends Pick<FilledHeaders, 'missing'> {
  readonly where: string
  readonly redact: Redact
}

function readAnswer({ status, text, contentType, encoding }: PostAnswer, asked: Asked): unknown {
  const { where, redact, missing } = asked
  const said = (): string => after(shown(redact(text)))
  if (status < 200 || status >= 300) {
    const unset = missing.length === 0 ? '' : ` (not set: ${missing.join(', ')})`
    return new Failure('crash', `${where} answered ${status}${unset}${said()}`)
  }
  // What cannot be read may be a block, so it is not taken for plain text.
  if (encoding !== undefined) {
    return new Failure('invalid-output', `${where} answered in the encoding ${show(encoding)}, not as plain text`)
  }
  const answer = readAnswerText(text)
  if (answer instanceof Failure) return new Failure(answer.kind, `${where} answered JSON that cannot be read${said()}`)
  if (answer === undefined && isJson(contentType) && !/^\s*(null\s*)?$/.test(text)) {
    return new Failure('invalid-output', `${where} answered JSON that is no object${said()}`)
  }
  return hideInVerdict(answer, redact)
}

function after(text: string): string {
  return text === '' ? '' : `: ${text}`
}

function isJson(contentType: string): boolean {
  return /^application\/([\w.-]+\+)?json\b/i.test(contentType)
}

// They say where the body ends or what becomes of the connection, which is not the caller's to decide.
const FRAMING = new Set(['connection', 'content-length', 'expect', 'transfer-encoding', 'upgrade'])

// Messages name headers but not their values, which may be secret.
function readHeaders(given: unknown = {}): Readonly<Record<string, string>> {
  if (!isRecord(given)) throw invalidHeaders(`must be an object of texts, not ${typeof given}`)
  for (const [name, value] of Object.entries(given)) {
    if (typeof value !== 'string') throw invalidHeaders(`must hold texts, but ${show(name)} is ${typeof value}`)
    if (FRAMING.has(name.toLowerCase())) throw invalidHeaders(`cannot set ${show(name)}`)
    try {
      validateHeaderName(name)
      validateHeaderValue(name, value)
    } catch {
      throw invalidHeaders(`hold a character that cannot be sent, at ${show(name)}`)
    }
  }
  return { ...given } as Record<string, string>
}

function invalidHeaders(what: string): ArcError {
  return new ArcError('ARC_OPTION_INVALID', `headers of httpHandler ${what}.`)
}
