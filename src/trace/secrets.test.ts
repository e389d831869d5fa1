import { describe, expect, it } from 'vitest'
import { ORDINARY_TEXTS, SECRET_SAMPLES } from '../../test/secret-samples.ts'
import { Redactor } from './redact.ts'

const redactor = new Redactor()

// The texts in which a secret, or a piece of it that is long enough to be of use, is still there.
function survivors(secret: string, texts: readonly string[]): string[] {
  const pieces = secret.length < 24 ? [secret] : [secret.slice(0, 20), secret.slice(-20)]
  return texts.filter((text) => {
    const clean = redactor.clean(text)
    return pieces.some((piece) => clean.includes(piece))
  })
}

describe('G10 redaction', () => {
  it('G10 hides at least 95 of 100 published kinds of secrets, in every form they appear in', () => {
    const kinds = new Set(SECRET_SAMPLES.map(({ kind }) => kind))
    expect(kinds.size).toBeGreaterThanOrEqual(80)
    const left = SECRET_SAMPLES.flatMap(({ kind, secret, texts }) => {
      const found = survivors(secret, texts)
      return found.length === 0 ? [] : [{ kind, found }]
    })
    expect(left.length / kinds.size, JSON.stringify(left, undefined, 1)).toBeLessThanOrEqual(0.05)
  })

  it('G10 keeps at least 98 of 100 ordinary texts as they are', () => {
    expect(ORDINARY_TEXTS.length).toBeGreaterThanOrEqual(80)
    const changed = ORDINARY_TEXTS.map((text) => [text, redactor.clean(text)]).filter(([text, clean]) => text !== clean)
    expect(changed.length / ORDINARY_TEXTS.length, JSON.stringify(changed, undefined, 1)).toBeLessThanOrEqual(0.02)
  })

  it.each([
    ['# -----BEGIN PRIVATE KEY-----\nrm -rf ~/work', 'rm -rf ~/work'],
    ['echo cookie: a=b; rm -rf ~/work', 'rm -rf ~/work'],
    ['password="x$(rm -rf ~/work)"', 'rm -rf ~/work'],
    ['TOKEN=`rm -rf ~/work` ls', 'rm -rf ~/work'],
    ['deploy --password x1;rm -rf ~/work', 'rm -rf ~/work'],
    ['Private-Lines: 1\nrm -rf ~/work', 'rm -rf ~/work'],
    ['authorization: $(reboot-all-hosts)', '$(reboot-all-hosts)'],
  ])('G10 hides no command behind what looks like a secret: %s', (text, command) => {
    expect(redactor.clean(text)).toContain(command)
  })

  it('G10 hides single words only in texts that a person decides by', () => {
    const cautious = new Redactor({ isCautious: true })
    expect(cautious.clean(`token='rm -rf ~/work'; eval $token`)).toBe(`token='rm -rf ~/work'; eval $token`)
    expect(cautious.clean(`DB_PASSWORD=${'hunter'}22 npm start`)).toBe('DB_PASSWORD=[redacted] npm start')
    expect(cautious.hide({ token: 'rm -rf ~/work', password: `${'hunter'}22` })).toEqual({
      token: 'rm -rf ~/work',
      password: '[redacted]',
    })
  })

  it('G10 never takes the path of a project for a secret', () => {
    const project = '/home/me/My-Projects/ApiV2Server3'
    const env = { PWD: project, OLDPWD: '/home/me', CREDENTIALS: '/home/me/keys', A_TOKEN: 'projects' }
    const inside = new Redactor({ env })
    const data = {
      cwd: project,
      PWD: project,
      token: `${project}/token.txt`,
      command: `rm -rf ${project}/src /home/me/keys`,
    }
    expect(inside.value(data)).toEqual(data)
    expect(inside.clean('cd /home/me/projects/app')).toBe('cd /home/me/projects/app')
    expect(inside.path('/work/sk-A1b2C3d4E5f6G7h8I9j0K1l2')).toBe('/work/sk-A1b2C3d4E5f6G7h8I9j0K1l2')
  })
})
