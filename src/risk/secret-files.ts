// Files with secrets, by name: private keys, stored credentials, environment files.

import { AGENT_FACTS } from '../hosts/facts/list.ts'
import { lastPart } from './path-class.ts'

/** The kind of secret: a private key, credentials, settings that often contain secrets, or a possible key. */
export type SecretKind = 'key' | 'credential' | 'environment' | 'maybe'

const KEY_NAMES = new Set([
  'id_rsa',
  'id_dsa',
  'id_ecdsa',
  'id_ed25519',
  'id_ecdsa_sk',
  'id_ed25519_sk',
  'identity',
  'wallet.dat',
  'secring.gpg',
  'trustdb.gpg',
  'privkey.pem',
  'private.pem',
  'master.key',
  'ssh_host_rsa_key',
  'ssh_host_ed25519_key',
  'ssh_host_ecdsa_key',
  'key.pem',
])
const KEY_ENDINGS = [
  '.key',
  '.p12',
  '.pfx',
  '.jks',
  '.keystore',
  '.kdbx',
  '.ppk',
  '-key.pem',
  '_key.pem',
  '.privkey',
  '.key.pem',
  '_rsa',
  '_ed25519',
  '_ecdsa',
]

// Ends of paths, under the home folder or anywhere else.
const CREDENTIAL_PATHS = [
  ...[
    '.aws/credentials',
    '.kube/config',
    '.docker/config.json',
    '.netrc',
    '_netrc',
    '.git-credentials',
    '.pgpass',
    '.my.cnf',
  ],
  ...[
    '.cargo/credentials',
    '.cargo/credentials.toml',
    '.pypirc',
    '.vault-token',
    '.config/gh/hosts.yml',
    '.gem/credentials',
  ],
  ...['.config/git/credentials', '.terraform.d/credentials.tfrc.json', '.terraformrc', '.azure/accesstokens.json'],
  ...[
    '.azure/msal_token_cache.json',
    'application_default_credentials.json',
    'gcloud/credentials.db',
    'gcloud/access_tokens.db',
  ],
  ...[
    ...AGENT_FACTS.flatMap(({ settings }) => settings.credentials ?? []),
    '.boto',
    '.s3cfg',
    '.rclone.conf',
    'rclone/rclone.conf',
  ],
  ...[
    '.config/doctl/config.yaml',
    '.config/hub',
    '.fly/config.yml',
    '.heroku/credentials',
    '.composer/auth.json',
    '.m2/settings.xml',
  ],
  ...[
    '.gradle/gradle.properties',
    '.nuget/nuget.config',
    '.password-store',
    '.electrum/wallets',
    '.bitcoin/wallet.dat',
    '.ethereum/keystore',
  ],
  ...[
    '.config/solana/id.json',
    'login data',
    'cookies.sqlite',
    'logins.json',
    'key4.db',
    'login.keychain',
    'login.keychain-db',
  ],
  ...[
    '/etc/shadow',
    '/etc/gshadow',
    '/etc/shadow-',
    '/etc/master.passwd',
    '/etc/krb5.keytab',
    '/etc/security/opasswd',
    '/etc/sudoers',
  ],
  ...[
    '.arc/run/token',
    'kubeconfig',
    '.ssh/id_rsa',
    '/secrets/kubernetes.io/serviceaccount/token',
    '.oci/config',
    '.passwd-s3fs',
  ],
]

// Command line clients store their tokens in a folder under ~/.config.
const TOKEN_FOLDERS = new Set(
  'glab-cli gh hub doctl gcloud op heroku netlify vercel fly stripe configstore hcloud scw rclone circleci ngrok cloudflared wrangler supabase railway turso linode-cli exoscale sops age sentry snyk jfrog argocd pulumi doppler 1password bitwarden'.split(
    ' ',
  ),
)
const TOKEN_NAMES = [
  'config',
  'hosts',
  'credentials',
  'credential',
  'auth',
  'token',
  'tokens',
  'access_token',
  'session',
]

const PUBLIC_IN_SSH = new Set(['known_hosts', 'known_hosts.old', 'config', 'authorized_keys', 'rc', 'environment', ''])
const HARMLESS_ENDINGS = [
  '.pub',
  '.example',
  '.sample',
  '.template',
  '.dist',
  '.tmpl',
  '.md',
  '.test',
  '.defaults',
  '.schema',
  '.d.ts',
  '.crt',
  '.csr',
]
const KEY_FOLDERS = new Set([
  'certs',
  'secrets',
  'private',
  'keys',
  'credentials',
  '.ssh',
  '.gnupg',
  '.aws',
  '.secrets',
])

interface NamedPath {
  /** In lower case. */
  readonly path: string
  readonly parts: readonly string[]
  readonly name: string
}

const SETTINGS_WITH_SECRETS = new Set(['credentials.json', 'secrets.yml', 'secrets.yaml', 'secrets.json'])
const REGISTRY_SETTINGS = new Set(['.npmrc', '.yarnrc.yml'])

/** The first row that holds decides. */
const SECRET_ROWS: readonly (readonly [kind: SecretKind, test: (file: NamedPath) => boolean])[] = [
  ['key', ({ name }) => KEY_NAMES.has(name) || isKeyFile(name)],
  ['key', ({ parts, name }) => isKeyring(parts, name)],
  ['credential', ({ path }) => CREDENTIAL_PATHS.some((end) => endsWithPath(path, end))],
  ['credential', ({ parts }) => isProcessEnvironment(parts)],
  ['credential', ({ parts, name }) => isTokenFile(parts, name)],
  ['credential', ({ path, name }) => REGISTRY_SETTINGS.has(name) && isInHome(path)],
  ['environment', ({ name }) => REGISTRY_SETTINGS.has(name) || isEnvironmentFile(name)],
  ['credential', ({ name }) => name.includes('service-account') && name.endsWith('.json')],
  ['environment', ({ name }) => name.endsWith('.tfvars') || name.endsWith('.tfstate')],
  ['environment', ({ name }) => SETTINGS_WITH_SECRETS.has(name) || /^\.\w+_history$/.test(name)],
  ['maybe', ({ parts }) => parts.some((part) => KEY_FOLDERS.has(part))],
  ['maybe', ({ name }) => KEY_FOLDERS.has(name) || name.endsWith('.pem')],
  ['maybe', ({ path }) => path === '/etc/passwd' || path === '/etc/group'],
]

/** Which secret a file would hold, by its path. Also accepts paths as written in a command. */
export function classifySecretFile(written: string): SecretKind | undefined {
  const path = written.toLowerCase()
  if (HARMLESS_ENDINGS.some((ending) => path.endsWith(ending))) return undefined
  const file: NamedPath = { path, parts: path.split('/'), name: lastPart(path) }
  return SECRET_ROWS.find(([, test]) => test(file))?.[0]
}

function isTokenFile(parts: readonly string[], name: string): boolean {
  const stem = name.split('.')[0] || name.slice(1).split('.')[0] || ''
  if (!TOKEN_NAMES.includes(stem)) return false
  const at = parts.indexOf('.config')
  if (at >= 0 && TOKEN_FOLDERS.has(parts[at + 1] ?? '')) return true
  // For example ~/.tool/credentials.json.
  return (
    stem !== 'config' &&
    stem !== 'hosts' &&
    stem !== 'session' &&
    parts.slice(0, -1).some((part) => part.length > 1 && part.startsWith('.') && part !== '..')
  )
}

function isKeyFile(name: string): boolean {
  return name.length > 4 && KEY_ENDINGS.some((ending) => name.endsWith(ending)) && !name.startsWith('public')
}

function isKeyring(parts: readonly string[], name: string): boolean {
  const ssh = parts.indexOf('.ssh')
  if (ssh >= 0 && ssh < parts.length - 1) return !PUBLIC_IN_SSH.has(name) && !name.startsWith('known_hosts')
  const gnupg = parts.indexOf('.gnupg')
  return gnupg >= 0 && (parts[gnupg + 1] ?? '').startsWith('private-keys')
}

function isProcessEnvironment(parts: readonly string[]): boolean {
  return parts[1] === 'proc' && parts.at(-1) === 'environ'
}

function isEnvironmentFile(name: string): boolean {
  return (
    name === '.env' ||
    name === '.envrc' ||
    (name.startsWith('.env.') && name !== '.env.') ||
    (name.endsWith('.env') && name.length > 4)
  )
}

function endsWithPath(path: string, end: string): boolean {
  if (!path.endsWith(end)) return false
  return end.startsWith('/') || path.length === end.length || path.charCodeAt(path.length - end.length - 1) === 47
}

function isInHome(path: string): boolean {
  return (
    path.startsWith('~') ||
    path.startsWith('/home/') ||
    path.startsWith('/root/') ||
    path.startsWith('/users/') ||
    path.startsWith('$home') ||
    path.startsWith('${home')
  )
}
