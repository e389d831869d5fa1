// Classifies calls of tools other than shells: files, URLs, MCP servers, sub-agents.

import { isRecord } from '../engine/plain-data.ts'
import { fileArguments, type ToolClass } from '../engine/tools.ts'
import type { Access } from './access.ts'
import type { Effect, Tier } from './assessment.ts'
import { classifyArguments } from './classify-arguments.ts'
import { classifyShell } from './classify-shell.ts'
import { joinWords } from './command-text.ts'
import { addFileEffect } from './file-effects.ts'
import { addEvidence, type ClassifyContext, type Findings, raiseEffect, readResult } from './findings.ts'
import type { Rule } from './rule.ts'
import {
  argumentName,
  CHANGE_WORDS,
  DELETE_WORDS,
  DEPLOY_WORDS,
  MESSAGE_WORDS,
  MOVE_WORDS,
  RUN_WORDS,
  readToolTraits,
  SEND_WORDS,
  splitWords,
  type ToolTraits,
} from './tool-traits.ts'
import { findAddedLines, findContents, findWrittenScripts } from './written-scripts.ts'

type Args = Readonly<Record<string, unknown>>

/** Classifies a tool call by the class of the tool and by its arguments. */
export function classifyTool(
  tool: string,
  kind: ToolClass | undefined,
  args: Args,
  scene: ClassifyContext,
  findings: Findings,
): void {
  const traits = readToolTraits(tool)
  const { hasRead, mutations } = classifyArguments(traits, kind, args, scene, findings)
  if (kind === 'shell') {
    if (!hasRead && Object.keys(args).length > 0) findings.isUnknown = true
  } else if (kind === 'write') classifyFiles(tool, args, isDeletion(traits, args) ? 'delete' : 'write', scene, findings)
  else if (kind === 'read') classifyFiles(tool, args, 'read', scene, findings)
  else if (kind === 'net') {
    classifyAddresses(args, findings)
    classifyFiles(tool, args, 'read', scene, findings)
  } else if (kind === 'spawn') raiseEffect(findings, 'file-modification')
  else {
    if (kind === 'mcp') classifyServerTool(tool, traits, hasRead, findings)
    else classifyUnknownTool(tool, traits, findings)
    for (const text of mutations) classifyMutation(text, findings)
    classifyFiles(tool, args, findAccessKind(traits, args), scene, findings)
    classifyAddresses(args, findings)
  }
}

function isDeletion({ verbs }: ToolTraits, args: Args): boolean {
  return verbs.includes('delete') || collectTexts(args).some((text) => text.includes('*** Delete File: '))
}

const CONTENT = /^(?:new_)?(?:contents?|text|data|body|file_text|string|str|edits|patch|bytes|lines)$/

// The access of a tool to its files: by the verbs of its name, then by a verb argument, then by content arguments.
function findAccessKind({ verbs, isReader }: ToolTraits, args: Args): Access['kind'] {
  const { names, given } = collectNamesAndVerbs(args)
  const words = [...verbs, ...given]
  if (words.some((word) => DELETE_WORDS.has(word))) return 'delete'
  if (words.some((word) => CHANGE_WORDS.has(word) || DEPLOY_WORDS.has(word))) return 'write'
  if (isReader) return 'read'
  return names.some((name) => CONTENT.test(name) || CHANGE_WORDS.has(name)) ? 'write' : 'read'
}

const VERB_NAME = /^(?:command|action|operation|op|method|verb|type)$/

// The names of all arguments, and verb arguments such as `{op: "write"}`, at any depth and in JSON texts.
function collectNamesAndVerbs(args: Args): { names: string[]; given: string[] } {
  const names: string[] = []
  const given: string[] = []
  const open: unknown[] = [args]
  for (let seen = 0; open.length > 0 && seen < MAX_TEXTS; seen++) {
    const item = open.pop()
    if (Array.isArray(item)) open.push(...item.slice(0, MAX_TEXTS))
    else if (isRecord(item)) {
      for (const key of Object.keys(item).slice(0, MAX_TEXTS)) {
        const { name } = argumentName(key)
        const value = item[key]
        names.push(name)
        if (VERB_NAME.test(name) && isOneWord(value)) given.push(...splitWords(value))
        else if (!CONTENT.test(name)) open.push(typeof value === 'string' ? parseJsonText(value) : value)
      }
    }
  }
  return { names, given }
}

function parseJsonText(text: string): unknown {
  if (!/^\s*[{[]/.test(text) || text.length > 1_000_000) return undefined
  try {
    return JSON.parse(text)
  } catch {
    // Not JSON: contains no arguments.
    return undefined
  }
}

function isOneWord(value: unknown): value is string {
  return typeof value === 'string' && value.length < 40 && !/[\s/]/.test(value)
}

function classifyFiles(
  tool: string,
  args: Args,
  kind: Access['kind'],
  scene: ClassifyContext,
  findings: Findings,
): void {
  if (kind !== 'read') raiseEffect(findings, 'file-modification')
  const { verbs } = readToolTraits(tool)
  const isMove = verbs.some((verb) => MOVE_WORDS.has(verb))
  const isSent = kind !== 'read' && verbs.some((verb) => SEND_WORDS.has(verb))
  const files = fileArguments(args, tool)
  if (isMove && files.length > 1)
    classifyAsCommand(`mv -- ${joinWords(files.slice(0, 20))}`, files[0] ?? '', scene, findings)
  if (kind === 'write' && scene.facts.files !== undefined) classifyContents(files, args, scene, findings)
  for (const path of files) {
    classifyAccess(tool, path, kind, scene, findings)
    if (isSent) classifyAccess(tool, path, 'read', scene, findings)
    if (isMove) classifyAccess('mv', path, 'delete', scene, findings)
    if (kind === 'delete') classifyDeletion(tool, path, args, scene, findings)
  }
}

// The content of a script is classified when it is written, and again when it runs.
function classifyContents(files: readonly string[], args: Args, scene: ClassifyContext, findings: Findings): void {
  for (const text of Object.values(args)) {
    if (typeof text !== 'string' || !/^(?:\*\*\* |\+\+\+ )/m.test(text)) continue
    for (const [path, added] of findAddedLines(text)) classifyContent(path, added, scene, findings)
  }
  const [path] = files
  if (path === undefined) return
  for (const content of findContents(args)) classifyContent(path, content, scene, findings)
}

function classifyContent(path: string, content: string, scene: ClassifyContext, findings: Findings): void {
  for (const { text, line, skippedLines, isCode } of findWrittenScripts(path, content)) {
    const trial: Findings = { evidence: [], effect: 'read-only', tier: 1, isUnknown: false }
    classifyShell(text, scene, trial)
    for (const { rule, effect, tier, span, reason, file, isUncertain } of trial.evidence) {
      if (tier < (isCode ? 5 : 4) || isUncertain === true || file !== undefined) continue
      const before = text.slice(0, span?.start ?? 0).split('\n').length - 1
      const at = `${path}:${line + Math.max(0, before - skippedLines)}`
      const found = toolRule(
        rule,
        effect,
        tier === 5 ? 4 : 3,
        `${reason} The call writes it to ${at}, where it would run later.`,
      )
      addEvidence(findings, found, { at: { start: 0, end: path.length } }, path)
    }
  }
}

function classifyAccess(
  by: string,
  path: string,
  kind: Access['kind'],
  scene: ClassifyContext,
  findings: Findings,
): void {
  const file = { text: path, isKnown: true, isGlob: false, span: { start: 0, end: path.length } }
  const access: Access = { kind, file, cwd: scene.cwd, location: 'local', by, isAppend: false }
  if (findings.effects !== undefined) addFileEffect(findings.effects, access, scene.facts)
  for (const { rule, when } of scene.rulebook.forAccess(kind)) {
    const hit = readResult(when.test(access, scene.facts), file.span)
    if (hit !== undefined) addEvidence(findings, rule, hit, path)
  }
}

const TREE_WORDS = new Set(['directory', 'directories', 'folder', 'folders', 'dir', 'tree', 'recursive'])

// A deletion by a tool has the same effect as `rm`.
function classifyDeletion(tool: string, path: string, args: Args, scene: ClassifyContext, findings: Findings): void {
  const whole = { start: 0, end: path.length }
  addEvidence(findings, DELETES_FILE, { at: whole }, path)
  const isTree =
    args.recursive === true ||
    readToolTraits(tool).verbs.some((verb) => TREE_WORDS.has(verb)) ||
    !path.slice(path.lastIndexOf('/') + 1).includes('.')
  classifyAsCommand(`rm ${isTree ? '-rf ' : ''}-- ${joinWords([path])}`, path, scene, findings)
}

// Classifies a tool call as an equivalent shell command.
function classifyAsCommand(command: string, path: string, scene: ClassifyContext, findings: Findings): void {
  const trial: Findings = { evidence: [], effect: 'read-only', tier: 1, isUnknown: false }
  classifyShell(command, scene, trial)
  for (const { rule, effect, tier, reason } of trial.evidence) {
    if (tier < 4) continue
    addEvidence(findings, toolRule(rule, effect, tier, reason), { at: { start: 0, end: path.length } }, path)
  }
}

const DELETES_FILE = toolRule('tools/delete-file', 'destructive', 3, 'Deletes a file.')
const METADATA = toolRule(
  'tools/metadata-address',
  'read-only',
  4,
  "Reads the machine's credentials from the cloud metadata address.",
)
const CARRIES_SECRET = toolRule('tools/secret-in-address', 'read-only', 4, 'The URL contains what looks like a secret.')
const SERVER_DELETES = toolRule(
  'tools/server-delete',
  'destructive',
  4,
  'Deletes data through a tool of an MCP server. ARC cannot undo it.',
)
const SERVER_CHANGES = toolRule(
  'tools/server-change',
  'deploy-affecting',
  3,
  'Changes data outside the project through a tool of an MCP server.',
)
const SERVER_DEPLOYS = toolRule(
  'tools/server-deploy',
  'deploy-affecting',
  4,
  'Deploys or sends something through a tool of an MCP server.',
)

const TOOL_DEPLOYS = toolRule('tools/deploy', 'deploy-affecting', 4, 'The name of the tool says that it deploys.')

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

function classifyAddresses(args: Args, findings: Findings): void {
  for (const text of collectTexts(args)) {
    const whole = { start: 0, end: Math.min(text.length, 200) }
    if (METADATA_HOSTS.some((host) => text.includes(host))) addEvidence(findings, METADATA, { at: whole }, text)
    if (text.includes('://') && SECRET_SIGNS.some((sign) => text.includes(sign)))
      addEvidence(findings, CARRIES_SECRET, { at: whole }, text)
  }
}

function classifyServerTool(tool: string, { verbs }: ToolTraits, hasRead: boolean, findings: Findings): void {
  const whole = { start: 0, end: tool.length }
  const has = (set: ReadonlySet<string>): boolean => verbs.some((verb) => set.has(verb))
  if (has(CHANGE_WORDS)) raiseEffect(findings, 'file-modification')
  // If the command was classified, the verb `run` adds no evidence.
  const isChange = verbs.some((verb) => CHANGE_WORDS.has(verb) && !(hasRead && RUN_WORDS.has(verb)))
  if (has(DELETE_WORDS)) addEvidence(findings, SERVER_DELETES, { at: whole, isUncertain: true }, tool)
  else if (has(DEPLOY_WORDS) && !isPostedSearch(verbs))
    addEvidence(findings, has(MESSAGE_WORDS) ? SERVER_CHANGES : SERVER_DEPLOYS, { at: whole }, tool)
  else if (isChange) addEvidence(findings, SERVER_CHANGES, { at: whole }, tool)
}

// Tools made from an HTTP interface have its method in their name: `post-search` only reads.
function isPostedSearch(verbs: readonly string[]): boolean {
  return verbs.includes('post') && (verbs.includes('search') || verbs.includes('query'))
}

// An unknown tool is classified by its name; its files and commands are classified by the caller.
function classifyUnknownTool(tool: string, { verbs }: ToolTraits, findings: Findings): void {
  const at = { start: 0, end: tool.length }
  if (verbs.some((verb) => DELETE_WORDS.has(verb))) addEvidence(findings, SERVER_DELETES, { at, tier: 3 }, tool)
  else if (verbs.some((verb) => RELEASE_WORDS.has(verb))) addEvidence(findings, TOOL_DEPLOYS, { at }, tool)
}

const RELEASE_WORDS = new Set(['deploy', 'redeploy', 'publish', 'release', 'rollout'])

// GraphQL mutations are named like tools of a server: `deleteIssue(…)`.
function classifyMutation(text: string, findings: Findings): void {
  const words = splitWords(text.slice(0, 10_000))
  const isDeletion = words.some((word) => DELETE_WORDS.has(word))
  const at = { start: 0, end: Math.min(text.length, 200) }
  addEvidence(findings, isDeletion ? SERVER_DELETES : SERVER_CHANGES, { at, isUncertain: isDeletion }, text)
}

const MAX_TEXTS = 1000

function collectTexts(value: unknown): string[] {
  const found: string[] = []
  const open: unknown[] = [value]
  for (let seen = 0; open.length > 0 && seen < MAX_TEXTS; seen++) {
    const item = open.pop()
    if (typeof item === 'string') found.push(item)
    else if (typeof item === 'object' && item !== null) open.push(...Object.values(item).slice(0, MAX_TEXTS))
  }
  return found
}
