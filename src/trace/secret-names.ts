// Which names mean secrets, and which values under such a name are no secrets after all: paths, references to
// variables, type names. The same answers hold for fields of objects and for assignments in texts.

import { existsSync } from 'node:fs'

/**
 * How certain it is that a value under a name is a secret. `sure`: any value. `likely`: only a value that looks random.
 */
export type Certainty = 'sure' | 'likely' | 'no'

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '))

const SECRET_WORDS = words(
  'password passwd passphrase passcode passwort pwd pw secret secrets token apikey authorization cookie credential credentials bearer passkey authtoken accesstoken secretkey accesskey privatekey jwt',
)
// `…key` is a secret after one of these words.
const KEY_PAIRS = words(
  'api access private secret signing encryption auth account master ssh deploy shared storage session service subscription admin integration ingest license app application client root server write webhook hmac jwt aes rsa gpg pgp tls ssl age sas sendgrid stripe datadog',
)
// `…pass` is a secret after one of these words; elsewhere it may count tests or name a phase.
const PASS_PAIRS = words(
  'db database smtp mail email imap pop mysql maria mariadb pg pgsql postgres postgresql redis mongo mongodb ftp sftp ssh admin root user login sudo ldap proxy http https auth svc service api app rabbit rabbitmq mq amqp elastic es keystore truststore store key cert ca wifi vpn git sa oracle mssql sql master node basic bind sign signing jenkins nexus jira registry docker',
)
const NOT_KEYS = words(
  'public primary foreign sort cache partition row hash index group map object routing registry idempotency dedupe natural',
)
const COMPOUNDS = /(?:password|passwd|passphrase|secretkey|secret|apikey|authtoken|accesstoken|bindpw|rootpw)$/
const known = new Map<string, Certainty>()
const MAX_KNOWN = 2_000
const MAX_NAME = 200

/** Must any value under this name be hidden? `apiKey` and `GITHUB_TOKEN` are such names, `max_tokens` and `author` are not. */
export function isSecretName(name: string): boolean {
  return rateSecretName(name) === 'sure'
}

/** How certain it is that a value under this name is a secret, by the words of the name. */
export function rateSecretName(name: string): Certainty {
  if (name.length > MAX_NAME) return 'no'
  const cached = known.get(name)
  if (cached !== undefined) return cached
  const certainty = judge(name)
  if (known.size >= MAX_KNOWN) known.clear()
  known.set(name, certainty)
  return certainty
}

function judge(name: string): Certainty {
  const parts = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== '')
  const last = parts.at(-1)
  if (last === undefined) return 'no'
  const before = parts.at(-2) ?? ''
  const sure = isSure(last, before, parts)
  return sure ? 'sure' : isLikely(name, last, before, parts.length) ? 'likely' : 'no'
}

function isSure(last: string, before: string, parts: readonly string[]): boolean {
  if (SECRET_WORDS.has(last)) return true
  if (last === 'key' || last === 'keys') return KEY_PAIRS.has(before)
  if (last === 'pass') return PASS_PAIRS.has(before)
  if (/^(?:hash|value|confirm|confirmation|base)$/.test(last) && SECRET_WORDS.has(before)) return true
  // A kubeconfig's `client-key-data` and a service account's `private_key_id`.
  const third = parts.at(-3) ?? ''
  if (before === 'key' && (last === 'data' || last === 'id')) return third === 'private' || third === 'client'
  if (last === 'pgpass' || last === 'sshpass') return true
  return last.length > 8 && COMPOUNDS.test(last)
}

function isLikely(name: string, last: string, before: string, count: number): boolean {
  if (last === 'auth' || last === 'sig') return true
  if (last === 'signature' && before === 'amz') return true
  if (last === 'pass') return count > 1
  // Variables of the environment: `ACME_KEY`.
  return last === 'key' && count > 1 && name === name.toUpperCase() && !NOT_KEYS.has(before)
}

/** Does a value have figures among letters, as secrets have and words, numbers and paths of words have not? */
export function looksRandom(value: string): boolean {
  return /\d/.test(value) && /[A-Za-z]/.test(value)
}

const RUNS = /[A-Za-z0-9]{12,}/g

/** Has it a long run of letters and figures, or of figures alone, that no word has? */
export function hasRandomRun(value: string): boolean {
  for (const [run] of value.matchAll(RUNS)) if (/\d/.test(run)) return true
  return false
}

const PATH_START = /^(?:file:\/\/|~?\/|~$|\.{1,2}(?:\/|$)|[A-Za-z]:[\\/]|%[A-Za-z]+%[\\/])/
const FILE_PATH = /^[\w.@-]+(?:\/[\w.@-]+)+\.[A-Za-z]\w{0,7}$/
const FOLDERS =
  /^(?:\/(?:home|root|users|usr|var|tmp|etc|opt|run|mnt|media|srv|work|workspace|workspaces|app|private|data|volumes|dev|proc|sys|builds)(?:\/|$)|~)/i

/** Is it clearly the path of something, and not a secret that begins like one? */
export function isPath(value: string): boolean {
  if (value.length > 4_096) return false
  if (!PATH_START.test(value)) return FILE_PATH.test(value) && !hasMixedRun(value)
  return FOLDERS.test(value) || !hasMixedRun(value) || exists(value)
}

/** `PWD` and `OLDPWD` hold folders: under these names whatever begins like a path is one. */
export function isFolderUnder(name: string, value: string): boolean {
  return /^(?:old_?)?pwd$/i.test(name) && (PATH_START.test(value) || value === '')
}

// A run of letters in both cases with figures or many changes between the cases: base64 may begin with a slash.
function hasMixedRun(value: string): boolean {
  for (const [run] of value.matchAll(/[A-Za-z0-9]{8,}/g)) {
    if (!/[a-z]/.test(run) || !/[A-Z]/.test(run)) continue
    const changes = run.match(/[a-z0-9][A-Z]/g)?.length ?? 0
    if (/\d/.test(run) || changes >= 3) return true
  }
  return /[+=]/.test(value)
}

function exists(path: string): boolean {
  return path.startsWith('/') && !path.includes('\0') && existsSync(path)
}
