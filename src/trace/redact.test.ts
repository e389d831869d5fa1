import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Redactor } from './redact.ts'
import { isSecretName } from './secret-names.ts'

// Put together at run time, so that nothing here looks like a real one to those who scan sources.
const random = (length: number): string => 'a1B2c3D4e5F6g7H8i9J0'.repeat(10).slice(0, length)
const jwt = `eyJ${random(20)}.eyJ${random(30)}.${random(43)}`
const pem = `-----BEGIN RSA PRIVATE KEY-----\n${random(64)}\n${random(64)}\n-----END RSA PRIVATE KEY-----`

describe('redaction of texts', () => {
  it.each([
    [`sk-${random(48)}`],
    [`sk-ant-api03-${random(80)}`],
    [`sk-proj-${random(60)}`],
    [`ghp_${random(36)}`],
    [`github_pat_${random(60)}`],
    [`glpat-${random(20)}`],
    [`xoxb-${random(40)}`],
    [`AKIA${'A1B2C3D4E5F6G7H8'}`],
    [`AIza${random(35)}`],
    [`npm_${random(36)}`],
    [`hf_${random(34)}`],
    [`sk_live_${random(24)}`],
    [`SG.${random(22)}.${random(43)}`],
    [jwt],
    [pem],
    [pem.slice(0, 120)],
  ])('hides %s everywhere', (secret) => {
    for (const text of [
      secret,
      `key ${secret} end`,
      `"${secret}"`,
      `X=${secret}`,
      `{"k":"${secret}"}`,
      `(${secret})`,
    ]) {
      const clean = new Redactor().clean(text)
      expect(clean).not.toContain(secret)
      expect(clean).not.toContain(secret.slice(-12))
      expect(clean).toContain('[redacted]')
    }
  })

  it.each([
    ['Authorization: Bearer abc123def456ghi', 'abc123def456ghi'],
    ['curl -u x -H "authorization: basic dXNlcjpwYXNzMTIz"', 'dXNlcjpwYXNzMTIz'],
    ['Cookie: sid=abcdef; theme=dark', 'abcdef'],
    ['postgres://me:s3cr3t-pw@db.local/app', 's3cr3t-pw'],
    ['git clone https://x:tok%20en@host/r.git', 'tok%20en'],
    ['export AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG', 'wJalrXUtnFEMI/K7MDENG'],
    ['DB_PASSWORD=correcthorse npm start', 'correcthorse'],
    ['{"password":"correct horse battery"}', 'correct horse battery'],
    ['{\\"client_secret\\":\\"correct horse\\"}', 'correct horse'],
    ["api_key = 'hunter22'", 'hunter22'],
    ['password: hunter2', 'hunter2'],
    ['login --password hunter2 --user me', 'hunter2'],
    ['Error: invalid token=abcd1234 given', 'abcd1234'],
  ])('hides what is given as a secret in %s', (text, secret) => {
    expect(new Redactor().clean(text)).not.toContain(secret)
  })

  it.each([
    ['the token count was 1234 and max_tokens: 4096'],
    ['a basic understanding of internationalization'],
    ['the bearer of this message'],
    ['a cookie: sweet, and authorization: none'],
    ['const token = await getToken(user)'],
    ['password = req.body.password'],
    ['if (secret === undefined) throw new Error("no secret given")'],
    ['https://example.com/path?page=2#top'],
    ['git@github.com:me/project.git'],
    ['http://localhost:8080/@scope/package'],
    ['commit 3f786850e387550fdab836ed7e6dc881de23001b'],
    ['550e8400-e29b-41d4-a716-446655440000'],
    ['sk-learn is a library; task-force-one-two-three'],
    ['-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----'],
    ['keyboard shortcuts and key: value pairs'],
    ['passwordless login, secretary, tokenizer, author'],
    ['SELECT * FROM tokens WHERE id = 5'],
    ['日本語のテキスト 😀 and ümlauts'],
  ])('leaves alone: %s', (text) => {
    expect(new Redactor().clean(text)).toBe(text)
  })

  it('hides the values of secret environment variables, the longer first, and no others', () => {
    const env = {
      MY_TOKEN: 'plain words here',
      MY_API_KEY: 'plain words here too',
      HOME: '/home/somebody',
      A_SECRET: 'short',
    }
    const clean = new Redactor({ env }).clean('plain words here too, plain words here, /home/somebody, short')
    expect(clean).toBe('[redacted], [redacted], /home/somebody, short')
  })

  it('takes time in proportion to the length, whatever the text', () => {
    const parts = [
      'eyJ',
      'eyJa.',
      '://',
      '://a:',
      'password=',
      'password="',
      "token='",
      '-----BEGIN PRIVATE KEY-----',
      'a',
      '-',
      'sk-',
      'bearer ',
      '\\',
      '"',
      ' ',
    ]
    const redactor = new Redactor({ maxText: Number.POSITIVE_INFINITY })
    for (const part of parts) {
      const text = part.repeat(400_000 / part.length)
      expect(() => redactor.clean(text), part).not.toThrow()
    }
  })
})

describe('redaction of values', () => {
  it.each([
    'password',
    'apiKey',
    'API_KEY',
    'GITHUB_TOKEN',
    'set-cookie',
    'clientSecret',
    'aws_secret_access_key',
    'privateKey',
    'Authorization',
    'dbPassword2',
    'passwordHash',
  ])('hides the value of %s', (name) => {
    expect(new Redactor().value({ [name]: 'plain', list: [{ [name]: ['plain'] }], ok: 1 })).toEqual({
      [name]: '[redacted]',
      list: [{ [name]: '[redacted]' }],
      ok: 1,
    })
  })

  it.each([
    'max_tokens',
    'tokensBefore',
    'tokenCount',
    'author',
    'keyboard',
    'key',
    'secretary',
    'passwordless',
    'primaryKey',
    'sort_keys',
  ])('does not hide the value of %s', (name) => {
    expect(isSecretName(name)).toBe(false)
  })

  it('keeps a digest and a preview of a long text, without the secrets in it', () => {
    const secret = `ghp_${random(36)}`
    const kept = new Redactor().value({ content: `begin ${secret} ${'line of text\n'.repeat(5_000)}` }) as {
      content: { preview: string }
    }
    expect(kept.content).toMatchObject({ $digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/), length: 65_047 })
    expect(kept.content.preview).toMatch(/^begin \[redacted\] line of text/)
    expect(kept.content.preview.length).toBeLessThanOrEqual(1_024)
  })

  it('never shows part of a secret that the cut of a preview goes through', () => {
    for (let pad = 0; pad < 5_000; pad += 61) {
      const text = `${`ghp_${random(36)} `.repeat(60)}${'x '.repeat(pad / 2)}ghp_${random(36)} ${'y '.repeat(9_000)}`
      const { preview } = new Redactor().textOrDigest(text) as { preview: string }
      expect(preview).not.toMatch(/ghp_/)
    }
  })

  it('keeps a digest of a value that is large as a whole', () => {
    const kept = new Redactor().value(Array.from({ length: 5_000 }, (_, at) => ({ at, text: 'some text' })))
    expect(kept).toMatchObject({ $digest: expect.any(String), length: expect.any(Number) })
    expect(JSON.stringify(kept).length).toBeLessThan(2_000)
  })

  it('keeps everything when asked to', () => {
    const data = { password: 'hunter2', text: `ghp_${random(36)}` }
    expect(new Redactor({ raw: true, env: { A_TOKEN: 'hunter2hunter2' } }).value(data)).toEqual(data)
  })

  it('leaves plain data without secrets as it is', () => {
    const names = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'X', '_') })
    const values = fc.oneof(
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.string({ unit: fc.constantFrom('a', ' ', 'é', '{', '.') }),
    )
    fc.assert(
      fc.property(fc.dictionary(names, fc.oneof(values, fc.array(values))), (data) => {
        expect(new Redactor().value(data)).toEqual({ ...data })
      }),
    )
  })
})
