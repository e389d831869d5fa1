// Judges the calls of tools that are not a shell: files, addresses, servers of others, sub-agents.

import { fileArguments, type ToolClass } from '../core/tools.ts'
import type { Access } from './access.ts'
import type { Effect, Tier } from './assessment.ts'
import { addEvidence, type Findings, raise, readResult, type Scene } from './judge-shell.ts'
import type { Rule } from './rule.ts'

type Args = Readonly<Record<string, unknown>>

/** Judges a tool call by the class of its tool. */
export function judgeTool(
  tool: string,
  kind: ToolClass | undefined,
  args: Args,
  scene: Scene,
  findings: Findings,
): void {
  if (kind === 'write') judgeFiles(tool, args, isDeletion(tool, args) ? 'delete' : 'write', scene, findings)
  else if (kind === 'read') judgeFiles(tool, args, 'read', scene, findings)
  else if (kind === 'net') judgeAddress(args, findings)
  else if (kind === 'mcp') judgeServerTool(tool, args, scene, findings)
  else if (kind === 'spawn') raise(findings, 'file-modification')
  else judgeUnknownTool(tool, args, scene, findings)
}

function isDeletion(tool: string, args: Args): boolean {
  return tool.toLowerCase().includes('delete') || textsIn(args).some((text) => text.includes('*** Delete File: '))
}

function judgeFiles(tool: string, args: Args, kind: Access['kind'], scene: Scene, findings: Findings): void {
  if (kind !== 'read') raise(findings, 'file-modification')
  for (const path of fileArguments(args)) {
    const file = { text: path, isKnown: true, isGlob: false, span: { start: 0, end: path.length } }
    const access: Access = { kind, file, cwd: scene.cwd, place: 'local', by: tool, isAppend: false }
    for (const { rule, when } of scene.book.forAccess(kind)) {
      const hit = readResult(when.test(access, scene.facts), file.span)
      if (hit !== undefined) addEvidence(findings, rule, hit, path)
    }
    if (kind === 'delete') addEvidence(findings, DELETES_FILE, { at: file.span }, path)
  }
}

const DELETES_FILE = toolRule('tools/delete-file', 'destructive', 3, 'It deletes a file.')
const METADATA = toolRule(
  'tools/metadata-address',
  'read-only',
  4,
  "It asks the cloud's own address for the credentials of this machine.",
)
const CARRIES_SECRET = toolRule(
  'tools/secret-in-address',
  'read-only',
  4,
  'The address carries what looks like a secret to another machine.',
)
const SERVER_DELETES = toolRule(
  'tools/server-delete',
  'destructive',
  4,
  'A tool of a server is asked to delete, and nothing here can undo that.',
)
const SERVER_CHANGES = toolRule(
  'tools/server-change',
  'deploy-affecting',
  3,
  'A tool of a server changes something outside the project.',
)
const SERVER_DEPLOYS = toolRule(
  'tools/server-deploy',
  'deploy-affecting',
  4,
  'A tool of a server deploys or sends something that others see.',
)

function toolRule(id: string, effect: Effect, tier: Tier, reason: string): Rule {
  return { id, effect, tier, reason, owasp: 'ASI02', when: { access: [], test: () => undefined }, match: [], pass: [] }
}

const METADATA_HOSTS = [
  '169.254.169.254',
  '169.254.170.2',
  'metadata.google.internal',
  '100.100.100.200',
  '[fd00:ec2::254]',
  'metadata.azure.internal',
]
const SECRET_SIGNS = [
  '-----BEGIN',
  'AKIA',
  'ghp_',
  'github_pat_',
  'sk-ant-',
  'sk_live_',
  'xoxb-',
  'AIza',
  'glpat-',
  'npm_',
]

function judgeAddress(args: Args, findings: Findings): void {
  for (const text of textsIn(args)) {
    const whole = { start: 0, end: Math.min(text.length, 200) }
    if (METADATA_HOSTS.some((host) => text.includes(host))) addEvidence(findings, METADATA, { at: whole }, text)
    if (text.includes('://') && SECRET_SIGNS.some((sign) => text.includes(sign)))
      addEvidence(findings, CARRIES_SECRET, { at: whole }, text)
  }
}

const DELETE_WORDS = new Set(
  'delete remove destroy drop purge truncate wipe erase terminate uninstall revoke unpublish clear reset kill'.split(
    ' ',
  ),
)
const DEPLOY_WORDS = new Set('deploy publish release promote send post merge transfer pay charge refund'.split(' '))
const CHANGE_WORDS = new Set(
  'create update set write edit put patch insert add move rename upload push close archive execute run invoke start stop restart'.split(
    ' ',
  ),
)

function judgeServerTool(tool: string, args: Args, scene: Scene, findings: Findings): void {
  const words = wordsOf(tool.slice(tool.startsWith('mcp__') ? tool.lastIndexOf('__') + 2 : 4))
  const whole = { start: 0, end: tool.length }
  raise(findings, words.some((word) => CHANGE_WORDS.has(word)) ? 'file-modification' : 'read-only')
  if (words.some((word) => DELETE_WORDS.has(word)))
    addEvidence(findings, SERVER_DELETES, { at: whole, isUncertain: true }, tool)
  else if (words.some((word) => DEPLOY_WORDS.has(word))) addEvidence(findings, SERVER_DEPLOYS, { at: whole }, tool)
  else if (words.some((word) => CHANGE_WORDS.has(word))) addEvidence(findings, SERVER_CHANGES, { at: whole }, tool)
  judgeFiles(tool, args, words.some((word) => CHANGE_WORDS.has(word)) ? 'write' : 'read', scene, findings)
}

// A tool that nobody knows is judged by its name and the files it names.
function judgeUnknownTool(tool: string, args: Args, scene: Scene, findings: Findings): void {
  const words = wordsOf(tool)
  const isChange = words.some((word) => CHANGE_WORDS.has(word) || DELETE_WORDS.has(word) || DEPLOY_WORDS.has(word))
  if (words.some((word) => DELETE_WORDS.has(word)))
    addEvidence(findings, SERVER_DELETES, { at: { start: 0, end: tool.length }, tier: 3 }, tool)
  judgeFiles(tool, args, isChange ? 'write' : 'read', scene, findings)
}

/** The words of a name: `deleteUser`, `delete_user`, `delete-user`. */
function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
}

const MAX_TEXTS = 1000

function textsIn(value: unknown): string[] {
  const found: string[] = []
  const open: unknown[] = [value]
  for (let seen = 0; open.length > 0 && seen < MAX_TEXTS; seen++) {
    const item = open.pop()
    if (typeof item === 'string') found.push(item)
    else if (typeof item === 'object' && item !== null) open.push(...Object.values(item).slice(0, MAX_TEXTS))
  }
  return found
}
