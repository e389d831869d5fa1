// Endpoints as hooks, against real servers on this machine: what is sent, what each answer means, and what never shows.

import { spawn } from 'node:child_process'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { describe, expect, it, vi } from 'vitest'
import { ask } from '../../../test/ask-handler.ts'
import { freePort, json, serve, until } from '../../../test/loopback-server.ts'
import { makeTempFolder } from '../../../test/temp-folder.ts'
import { createEngine } from '../../platform/hook-engine.ts'
import { MAX_OUTPUT_BYTES } from './handler.ts'
import { type HttpOptions, httpHandler } from './http.ts'

const JSON_TYPE = { 'content-type': 'application/json' }

function raw(body: string | Buffer, headers: Record<string, string> = {}, status = 200) {
  return (response: ServerResponse) => void response.writeHead(status, headers).end(body)
}

describe('what an HTTP handler sends', () => {
  it('H5 HTTP posts the whole envelope as JSON', async () => {
    const server = await serve((response) => json(response, { decision: 'pass' }))
    const data = { tool: 'shell', args: { command: 'echo "ünï" 🦊' } }
    await ask(httpHandler({ url: `${server.url}/review?a=1` }), { data, context: { session: 's-9', workspace: '/w' } })
    const [request] = server.requests
    expect(request).toMatchObject({ method: 'POST', path: '/review?a=1' })
    expect(request?.headers).toMatchObject({
      'content-type': 'application/json',
      'content-length': `${Buffer.byteLength(request?.body ?? '')}`,
    })
    expect(JSON.parse(request?.body ?? '')).toMatchObject({
      point: 'pre:tool',
      session: 's-9',
      workspace: '/w',
      data,
      session_id: 's-9',
      cwd: '/w',
      hook_event: 'pre_tool_use',
      tool_name: 'shell',
      tool_input: data.args,
    })
  })

  it('H5 HTTP sends a step of 5 MB', async () => {
    const server = await serve((response, { body }) => json(response, { metadata: { bytes: body.length } }))
    const data = { tool: 'write', args: { text: 'x'.repeat(5_000_000) } }
    const { outcome } = await ask(httpHandler({ url: server.url }), { data })
    expect(outcome.metadata.bytes).toBeGreaterThan(10_000_000)
  })

  it('H5 HTTP fills variables of the environment into headers when it sends', async () => {
    const server = await serve((response) => response.end())
    const handler = httpHandler({
      url: server.url,
      headers: {
        authorization: 'Bearer $ARC_TEST_KEY',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: the other way to write a variable
        'x-both': '${ARC_TEST_KEY}-$ARC_TEST_KEY',
        'x-none': '[$toString]',
      },
    })
    for (const value of ['first-value', 'second-value']) {
      vi.stubEnv('ARC_TEST_KEY', value)
      await ask(handler)
      expect(server.requests.at(-1)?.headers).toMatchObject({
        authorization: `Bearer ${value}`,
        'x-both': `${value}-${value}`,
        'x-none': '[]',
      })
    }
    vi.unstubAllEnvs()
  })

  it('H5 HTTP sends user name and password of the URL as basic authentication', async () => {
    const server = await serve((response) => response.end())
    await ask(httpHandler({ url: server.url.replace('//', '//us%40er:p%3Ass%@') }))
    const code = server.requests[0]?.headers.authorization?.replace('Basic ', '') ?? ''
    expect(Buffer.from(code, 'base64').toString()).toBe('us@er:p%3Ass%')
  })

  it('H5 HTTP keeps one connection over many requests', async () => {
    const server = await serve((response) => json(response, { decision: 'pass' }))
    const handler = httpHandler({ url: server.url })
    for (let i = 0; i < 20; i++) await ask(handler)
    expect([server.requests.length, server.connections()]).toEqual([20, 1])
  })

  it('H5 HTTP asks again when the server has closed the idle connection', async () => {
    const server = await serve((response) => {
      if (server.requests.length === 2) response.socket?.destroy()
      else json(response, { decision: 'flag', reason: 'heard' })
    })
    const handler = httpHandler({ url: server.url })
    await ask(handler)
    const { evaluation } = await ask(handler)
    expect(evaluation).toMatchObject({ decision: 'flag', cause: 'policy', reason: 'heard' })
    expect([server.requests.length, server.connections()]).toEqual([3, 2])
  })
})

describe('what the answer of an endpoint means', () => {
  it('H5 HTTP gives the verdict that is answered', async () => {
    const verdict = { decision: 'block', reason: 'not here', suggestion: 'elsewhere', metadata: { rule: 7 } }
    const server = await serve((response) => json(response, verdict))
    const { outcome, evaluation } = await ask(httpHandler({ url: server.url }))
    expect(outcome).toMatchObject({ decision: 'block', blocked: true, reason: 'not here', suggestion: 'elsewhere' })
    expect(evaluation).toMatchObject({ cause: 'policy', metadata: { rule: 7 } })
  })

  it('H5 HTTP takes verdict JSON with controls and fields', async () => {
    const server = await serve((response) => json(response, { control: null, args: { command: 'pwd' } }))
    const { outcome } = await ask(httpHandler({ url: server.url }))
    expect(outcome.data).toEqual({ tool: 'shell', args: { command: 'pwd' } })
  })

  it.each([
    ['nothing', raw('')],
    ['204', raw('', {}, 204)],
    ['blanks', raw(' \r\n\n')],
    ['plain text', raw('all fine', { 'content-type': 'text/plain' })],
    ['a page', raw('<!doctype html><p>fine')],
    ['JSON null', raw('null', JSON_TYPE)],
    ['an empty object', raw('{}', JSON_TYPE)],
    ['202 and a text', raw('accepted', {}, 202)],
    ['nothing as JSON', raw('', JSON_TYPE)],
  ])('H5 HTTP takes %s for a pass', async (_, respond) => {
    const server = await serve(respond)
    const { evaluation } = await ask(httpHandler({ url: server.url }), { hook: { onError: 'abort' } })
    expect([evaluation.decision, evaluation.cause]).toEqual(['pass', 'policy'])
  })

  it.each([
    ['half a JSON object', raw('{"decision": "blo', JSON_TYPE)],
    ['half a JSON object called text', raw('{"decision": "block', { 'content-type': 'text/plain' })],
    ['a JSON list', raw('[{"decision":"block"}]', JSON_TYPE)],
    ['a JSON text that is no decision', raw('"no"', { 'content-type': 'application/problem+json; charset=utf-8' })],
    ['true', raw('true', JSON_TYPE)],
    ['a number', raw('1', JSON_TYPE)],
    ['text that claims to be JSON', raw('block', JSON_TYPE)],
    ['JSON in another encoding', raw(Buffer.from('\ufeff{"decision":"block"}', 'utf16le'), JSON_TYPE)],
    ['a compressed verdict', raw(gzipSync('{"decision":"block"}'), { ...JSON_TYPE, 'content-encoding': 'gzip' })],
    ['an unknown decision', raw('{"decision":"maybe"}', JSON_TYPE)],
    ['an unknown shape', raw('{"ok":true}', JSON_TYPE)],
  ])('H5 HTTP takes %s for a failure, not for consent', async (_, respond) => {
    const server = await serve(respond)
    const { evaluation } = await ask(httpHandler({ url: server.url }), { hook: { onError: 'abort' } })
    expect([evaluation.decision, evaluation.cause]).toEqual(['block', 'failure:invalid-output'])
  })

  it('H5 HTTP reads a verdict behind a byte order mark', async () => {
    const server = await serve(raw('\ufeff{"decision":"block"}', JSON_TYPE))
    expect((await ask(httpHandler({ url: server.url }))).outcome.decision).toBe('block')
  })

  it.each([300, 301, 302, 303, 307, 308])('H5 HTTP never follows a redirect (%i)', async (status) => {
    const elsewhere = await serve((response) => json(response, { decision: 'pass' }))
    const server = await serve(raw('', { location: elsewhere.url }, status))
    const { evaluation } = await ask(httpHandler({ url: server.url }))
    expect(evaluation).toMatchObject({ cause: 'failure:crash', reason: expect.stringContaining(`answered ${status}`) })
    expect(elsewhere.requests).toEqual([])
  })

  it.each([400, 401, 404, 413, 429, 500, 503])(
    'H5 HTTP takes %i for a failure that names the status',
    async (status) => {
      const server = await serve(raw('{"decision":"pass"} sorry', {}, status))
      const { evaluation } = await ask(httpHandler({ url: `${server.url}/x` }))
      expect(evaluation.cause).toBe('failure:crash')
      expect(evaluation.reason).toContain(`${server.url}/x answered ${status}: {"decision":"pass"} sorry`)
      expect(server.requests).toHaveLength(1)
    },
  )

  it('H5 HTTP names the variables that are not set when it is refused', async () => {
    const server = await serve(raw('', {}, 401))
    const { evaluation } = await ask(httpHandler({ url: server.url, headers: { 'x-key': '$ARC_TEST_UNSET' } }))
    expect(evaluation.reason).toMatch(/answered 401 \(not set: ARC_TEST_UNSET\)$/)
  })
})

describe('an endpoint that does not answer', () => {
  it.each([
    ['refuses connections', async () => `http://127.0.0.1:${await freePort()}`, 'ECONNREFUSED'],
    ['has no address', async () => 'http://nowhere.invalid/', /ENOTFOUND|EAI_AGAIN/],
    [
      'resets the connection',
      async () => (await serve((response) => response.socket?.resetAndDestroy())).url,
      'ECONNRESET',
    ],
    ['hangs up', async () => (await serve((response) => response.socket?.destroy())).url, 'ECONNRESET'],
    [
      'does not speak HTTP',
      async () => (await serve((response) => response.socket?.end('hello\r\n\r\n'))).url,
      'HPE_INVALID',
    ],
    ['does not speak TLS', async () => (await serve((response) => response.end())).url.replace('http', 'https'), ''],
    ['switches protocols', async () => (await serve(raw('', { upgrade: 'x', connection: 'upgrade' }, 101))).url, ''],
  ])('H5 HTTP fails to start when it %s', async (_, place, why) => {
    const { evaluation } = await ask(httpHandler({ url: await place() }), { hook: { onError: 'abort' } })
    expect([evaluation.decision, evaluation.cause]).toEqual(['block', 'failure:start'])
    expect(evaluation.reason).toMatch(why)
  })

  it('H5 HTTP asks only once over a new connection', async () => {
    const server = await serve((response) => response.socket?.destroy())
    await ask(httpHandler({ url: server.url }))
    expect(server.requests).toHaveLength(1)
  })

  it.each([
    ['announced', { 'content-length': '100' }],
    ['chunked', {}],
  ])('H5 HTTP takes an answer that breaks off for a crash (%s)', async (_, headers) => {
    const server = await serve((response) => {
      response.writeHead(200, { ...JSON_TYPE, ...headers }).write('{"decision":"pass"}')
      setImmediate(() => response.socket?.destroy())
    })
    const { evaluation } = await ask(httpHandler({ url: server.url }))
    expect(evaluation).toMatchObject({ cause: 'failure:crash', reason: expect.stringContaining('broke off') })
  })

  it.each<[string, (response: ServerResponse) => void]>([
    ['never starts to answer', () => undefined],
    ['stops in the middle', (response) => void response.writeHead(200, JSON_TYPE).write('{"decision":')],
    [
      'drips without end',
      (response) => {
        const drip = setInterval(() => response.write(' '), 5)
        response.on('close', () => clearInterval(drip))
      },
    ],
  ])('H5 HTTP ends at the time limit when the server %s', async (_, respond) => {
    const server = await serve(respond)
    const { evaluation } = await ask(httpHandler({ url: server.url, timeoutMs: 100 }), { hook: { onError: 'abort' } })
    expect([evaluation.decision, evaluation.cause]).toEqual(['block', 'failure:timeout'])
    await until(() => server.open() === 0)
  })

  it("H5 HTTP keeps the engine's time limit if it has no limit", async () => {
    const server = await serve(() => undefined)
    const { evaluation } = await ask(httpHandler({ url: server.url }), { engine: { timeoutMs: 80 } })
    expect(evaluation.reason).toContain('no answer within 80 ms')
    await until(() => server.open() === 0)
  })

  it('H5 HTTP sends nothing if it was aborted before', async () => {
    const server = await serve((response) => response.end())
    const signal = AbortSignal.abort()
    const step = { data: {}, toJSON: () => ({}), point: 'pre:tool' } as never
    expect(await httpHandler({ url: server.url })(step, { signal, hook: 'h', limitMs: 1, mode: 'log' })).toMatchObject({
      kind: 'timeout',
    })
    expect(server.requests).toEqual([])
  })
})

describe('the size of an answer', () => {
  const verdictOf = (bytes: number) => '{"decision":"flag"}'.padEnd(bytes, ' ')

  it('H5 HTTP reads an answer of exactly 1 MiB', async () => {
    const server = await serve(raw(verdictOf(MAX_OUTPUT_BYTES)))
    const { evaluation } = await ask(httpHandler({ url: server.url }))
    expect([evaluation.decision, evaluation.cause]).toEqual(['flag', 'policy'])
  })

  it.each([200, 500])('H5 HTTP fails on one byte more (%i)', async (status) => {
    const server = await serve(raw(verdictOf(MAX_OUTPUT_BYTES + 1), {}, status))
    const { evaluation } = await ask(httpHandler({ url: server.url }))
    expect(evaluation.cause).toBe('failure:output-limit')
  })

  it('H5 HTTP does not read the rest of an answer that is too large', async () => {
    let sent = 0
    const server = await serve((response) => {
      const chunk = Buffer.alloc(64 * 1024, 'x')
      const pump = (): void => {
        while (!response.destroyed) {
          sent += chunk.length
          if (!response.write(chunk)) return void response.once('drain', pump)
        }
      }
      pump()
    })
    const { evaluation } = await ask(httpHandler({ url: server.url }))
    expect(evaluation.cause).toBe('failure:output-limit')
    await until(() => server.open() === 0)
    // What the buffers of the system hold comes on top.
    expect(sent).toBeLessThan(32 * MAX_OUTPUT_BYTES)
  })

  it('H5 HTTP fails on an answer that is nested without end', async () => {
    const server = await serve(raw(`{"metadata":{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}}`, JSON_TYPE))
    const headers = { 'x-key': 'some-long-secret' }
    const { evaluation } = await ask(httpHandler({ url: server.url, headers }))
    expect(evaluation.cause).toBe('failure:output-limit')
  })
})

describe('an idle connection', () => {
  it('H5 HTTP does not keep the process alive by it', async () => {
    const server = await serve((response) => json(response, { decision: 'flag', reason: 'seen' }))
    const program = await bundle(`
      import { httpHandler } from './http.ts'
      import { createEngine } from '../../platform/hook-engine.ts'
      const engine = createEngine({ mode: 'enforce', sink: () => undefined })
      engine.register('pre:tool', httpHandler({ url: process.argv[2] }))
      const outcome = await engine.dispatch('pre:tool', { tool: 'shell', args: {} })
      console.log(outcome.reason)
    `)
    const child = spawn(process.execPath, [program, server.url], { stdio: ['ignore', 'pipe', 'inherit'] })
    // Ends nothing but a child that hangs: the test then fails by its exit.
    const guard = setTimeout(() => child.kill('SIGKILL'), 100_000)
    let output = ''
    child.stdout.on('data', (text: Buffer) => {
      output += text
    })
    const code = await new Promise((resolve) => child.on('close', resolve))
    clearTimeout(guard)
    expect([code, output]).toEqual([0, 'seen\n'])
  })

  async function bundle(contents: string): Promise<string> {
    const folder = makeTempFolder('arc-http-')
    const outfile = join(folder, 'program.mjs')
    const stdin = { contents, resolveDir: fileURLToPath(new URL('.', import.meta.url)), loader: 'ts' as const }
    await build({ stdin, bundle: true, platform: 'node', format: 'esm', outfile, logLevel: 'error' })
    return outfile
  }
})

describe('credentials', () => {
  const SECRET = 'sk-Zq9"x/7+vB=='
  const PASSWORD = 'hunter2-äö'
  const BASIC = Buffer.from(`robot:${PASSWORD}`).toString('base64')
  const FORMS = [SECRET, JSON.stringify(SECRET).slice(1, -1), encodeURIComponent(SECRET), PASSWORD, BASIC, 'robot:']

  const PLACES: Record<string, (url: string) => HttpOptions> = {
    'a header': (url) => ({ url, headers: { 'X-Api-Key': SECRET } }),
    'a bearer token': (url) => ({ url, headers: { authorization: `Bearer ${SECRET}` } }),
    'a variable': (url) => ({ url, headers: { 'x-any': 'prefix-$ARC_TEST_SECRET-suffix' } }),
    'a cookie': (url) => ({ url, headers: { cookie: `theme=dark; session=${SECRET}` } }),
    'the URL': (url) => ({ url: url.replace('//', `//robot:${encodeURIComponent(PASSWORD)}@`) }),
    'a header of basic authentication': (url) => ({ url, headers: { Authorization: `Basic ${BASIC}` } }),
    'the query': (url) => ({ url: `${url}/?key=${encodeURIComponent(SECRET)}` }),
  }
  // What a talkative server makes of a request: every form in which it may repeat what it was sent.
  const echoOf = (path = '', headers: object = {}, full = false) => {
    const { authorization = '' } = headers as { authorization?: string }
    const code = /^Basic (.*)/.exec(authorization)?.[1] ?? ''
    const decoded = Buffer.from(code, 'base64').toString()
    const custom = Object.entries(headers).filter(([name]) => /^(x-|auth|cookie)/.test(name))
    // The secret first: what is shown of an answer is cut.
    return { password: decoded.split(':')[1], decoded, ...(full && { SECRET }), ...Object.fromEntries(custom), path }
  }
  const ANSWERS: Record<string, (response: ServerResponse, echo: object) => void> = {
    'in an error': (response, echo) => json(response, echo, 500),
    'in an error as text': (response, echo) => raw(Object.values(echo).join('\n'), {}, 403)(response),
    'in half a JSON object': (response, echo) => raw(JSON.stringify(echo).slice(0, -1), JSON_TYPE)(response),
    'in a list': (response, echo) => json(response, [echo]),
    'as a JSON text': (response, echo) => json(response, Object.values(echo).join(' ')),
    'in a reason': (response, echo) =>
      json(response, { decision: 'block', reason: JSON.stringify(echo), suggestion: Object.values(echo).join('\n') }),
    'in metadata': (response, echo) =>
      json(response, { metadata: { deep: [{ echo }] }, additional_context: ['a', 'b'] }),
    'as the decision': (response, echo) => json(response, { decision: Object.values(echo).join('\n') }),
    'in an unknown control': (response, echo) => json(response, { control: JSON.stringify(echo) }),
  }
  const COMBINATIONS = Object.keys(PLACES).flatMap((place) =>
    Object.keys(ANSWERS).map((answer) => [place, answer] as const),
  )

  it.each(COMBINATIONS)('H5 HTTP never shows credentials of %s that the server repeats %s', async (place, answer) => {
    vi.stubEnv('ARC_TEST_SECRET', SECRET)
    const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    const full = place !== 'the URL' && !place.includes('basic')
    const server = await serve((response, { path, headers }) =>
      ANSWERS[answer]?.(response, echoOf(path, headers, full)),
    )
    const handler = httpHandler(PLACES[place]?.(server.url) as HttpOptions)
    const { told } = await ask(handler)
    const talkative = createEngine({ mode: 'enforce' })
    talkative.register('pre:tool', handler as never, { name: 'talkative' })
    const outcome = await talkative.dispatch('pre:tool', { tool: 'shell', args: {} })
    const written = stderr.mock.calls.map(([text]) => text).join('')
    stderr.mockRestore()
    vi.unstubAllEnvs()
    expect(server.requests).toHaveLength(2)
    for (const text of [told, JSON.stringify(outcome), written]) {
      for (const form of FORMS) expect(text).not.toContain(form)
      for (const form of FORMS) expect(text).not.toContain(JSON.stringify(form).slice(1, -1))
    }
  })

  it.each([200, 500])('H5 HTTP shows no part of a credential where a long answer is cut (%i)', async (status) => {
    const server = await serve(raw(`{"broken": "${'x'.repeat(1_970)}${'0123456789'.repeat(10)}`, JSON_TYPE, status))
    const headers = { 'x-key': '0123456789'.repeat(10) }
    const { told, evaluation } = await ask(httpHandler({ url: server.url, headers }))
    expect(evaluation.reason).toContain('xxx')
    expect(told).not.toContain('01234')
  })

  it('H5 HTTP never shows credentials of a place that cannot be reached', async () => {
    const url = `http://robot:${encodeURIComponent(PASSWORD)}@127.0.0.1:${await freePort()}/p?key=${encodeURIComponent(SECRET)}`
    const { told } = await ask(httpHandler({ url }))
    for (const form of FORMS) expect(told).not.toContain(form)
    expect(told).toContain('/p cannot be reached: ECONNREFUSED')
  })

  it('H5 HTTP leaves an edit as it is, whatever it holds', async () => {
    const headers = { 'x-project': 'my-repository' }
    const server = await serve((response) => json(response, { modify: { args: { command: 'cd my-repository' } } }))
    const { outcome } = await ask(httpHandler({ url: server.url, headers }))
    expect(outcome.data).toEqual({ tool: 'shell', args: { command: 'cd my-repository' } })
  })

  it('H5 HTTP still reads a verdict whose words are in a header', async () => {
    const headers = { 'x-decision': 'block', 'x-control': 'continue', 'x-field': 'decision' }
    const server = await serve((response) => json(response, { decision: 'block', control: 'continue' }))
    expect((await ask(httpHandler({ url: server.url, headers }))).outcome.decision).toBe('block')
  })

  it('H5 HTTP refuses a variable that would add a header', async () => {
    const server = await serve((response) => response.end())
    vi.stubEnv('ARC_TEST_SECRET', 'secret-value\r\nx-evil: 1')
    const handler = httpHandler({ url: server.url, headers: { 'x-key': '$ARC_TEST_SECRET' } })
    const { evaluation, told } = await ask(handler)
    vi.unstubAllEnvs()
    expect(evaluation).toMatchObject({ cause: 'failure:start', reason: expect.stringContaining('x-key') })
    expect(told).not.toContain('secret-value')
    expect(server.requests).toEqual([])
  })
})

describe('options of an HTTP handler', () => {
  const url = 'http://127.0.0.1:1/'

  it.each([
    'localhost:8080/review',
    '127.0.0.1:8080',
    '/review',
    '',
    'ftp://host/x',
    'file:///etc/passwd',
    'http://',
    'http://host:99999/',
    undefined,
    null,
    42,
    { href: url },
    new URL(url),
  ])('H5 HTTP refuses %s as a URL', (given) => {
    expect(() => httpHandler({ url: given as string })).toThrow(
      expect.objectContaining({ code: 'ARC_URL_INVALID', message: expect.stringContaining('http or https URL') }),
    )
  })

  it.each([
    'ftp://user:hunter2@host/',
    'ftp://user:p@hunter2@host/',
    'user:hunter2@host:80',
    'hunter2@host',
    'http://user:hunter2@host:99999/',
    '//user:hunter2@host/',
    'host/?key=hunter2',
    'host#hunter2',
    'ftp://user:hun\nhunter2@host/',
    new URL('http://user:hunter2@host/'),
    { url: 'http://user:hunter2@host/' },
    ['http://user:hunter2@host/'],
  ])('H5 HTTP refuses %s without showing its credentials', (given) => {
    const make = () => httpHandler({ url: given as string })
    expect(make).toThrow(expect.objectContaining({ code: 'ARC_URL_INVALID' }))
    expect(make).not.toThrow('hunter2')
  })

  it('H5 HTTP names an unknown option and the nearest known one', () => {
    expect(() => httpHandler({ url, header: {} } as HttpOptions)).toThrow(
      expect.objectContaining({ code: 'ARC_OPTION_UNKNOWN', message: expect.stringMatching(/"header".*"headers"\?/) }),
    )
  })

  it.each([
    [{ 'x-key': 'hunter2\r\nx-evil: 1' }, '"x-key"'],
    [{ 'x-key': 'hunter2\nx-evil: 1' }, '"x-key"'],
    [{ 'x-key': 'hunter2\u0000' }, '"x-key"'],
    [{ 'x-key': 'hunter2 ✓' }, '"x-key"'],
    [{ 'x key': 'hunter2' }, '"x key"'],
    [{ 'x-evil: 1\r\nx-key': 'hunter2' }, 'x-evil'],
    [{ '': 'hunter2' }, '""'],
    [{ 'x-key': ['hunter2'] }, '"x-key"'],
    [{ 'x-key': undefined }, '"x-key"'],
    [{ 'Content-Length': '7', 'x-key': 'hunter2' }, '"Content-Length"'],
    [{ 'transfer-encoding': 'chunked' }, '"transfer-encoding"'],
    ['x-key: hunter2', 'string'],
    [['x-key', 'hunter2'], 'object'],
    [null, 'object'],
  ])('H5 HTTP refuses the headers %j by name, without the value', (headers, name) => {
    const make = () => httpHandler({ url, headers: headers as Record<string, string> })
    expect(make).toThrow(
      expect.objectContaining({ code: 'ARC_OPTION_INVALID', message: expect.stringContaining(name) }),
    )
    expect(make).not.toThrow('hunter2')
  })

  it.each([0, -1, Number.NaN, '100', null])('H5 HTTP refuses %s as a time limit', (timeoutMs) => {
    expect(() => httpHandler({ url, timeoutMs: timeoutMs as number })).toThrow('ARC_OPTION_INVALID')
  })

  it('H5 HTTP does not see later changes of its options', async () => {
    const server = await serve((response) => response.end())
    const headers = { 'x-key': 'before' }
    const handler = httpHandler({ url: server.url, headers })
    headers['x-key'] = 'after'
    await ask(handler)
    expect(server.requests[0]?.headers['x-key']).toBe('before')
  })
})
