// One table of tools: the names that hosts give to the same tool, and the class each belongs to. A host's own names are in
// its facts. Matchers speak of a class (`shell`) or a tool (`Edit`), and meet every host's spelling through it.

import type { ToolKind } from '../hosts/facts/agent-facts.ts'
import { HOST_TOOLS } from '../hosts/facts/list.ts'
import { isMessageTool } from './message-tools.ts'

/** What a tool can do, whatever its name. */
export type ToolClass = 'shell' | 'write' | 'read' | 'net' | 'spawn' | 'message' | 'mcp'

interface ToolRow {
  readonly class: ToolClass
  /** Names of this tool, in lower case. */
  readonly names: readonly string[]
}

// The class of each tool, and names that several hosts and frameworks use for it.
const KINDS: Readonly<Record<ToolKind, readonly [ToolClass, string]>> = {
  shell: ['shell', 'shell bash sh run_command terminal exec execute'],
  edit: ['write', 'edit file_edit edit_file str_replace'],
  'multi-edit': ['write', 'multiedit'],
  write: ['write', 'write file_write write_file create create_file'],
  patch: ['write', 'apply_patch patch'],
  notebook: ['write', 'notebookedit'],
  delete: ['write', 'delete delete_file file_delete'],
  read: ['read', 'read file_read read_file view cat'],
  'search-text': ['read', 'grep search search_files'],
  'find-files': ['read', 'glob find'],
  'list-files': ['read', 'ls list list_files'],
  fetch: ['net', 'web_fetch fetch'],
  'search-web': ['net', 'web_search'],
  spawn: ['spawn', 'task agent delegate'],
  message: ['message', 'send_message message_agent'],
}

/** A row per tool: hosts that have the same tool under another name share the row. */
export const TOOLS: readonly ToolRow[] = Object.entries(KINDS).map(([kind, [toolClass, names]]) => {
  const ofHosts = Object.values(HOST_TOOLS).flatMap((tools) => tools[kind as ToolKind] ?? [])
  return { class: toolClass, names: [...new Set([...names.split(' '), ...ofHosts])] }
})

const ROWS = new Map(TOOLS.flatMap((one) => one.names.map((name) => [squash(name), one] as const)))

// Other spellings of a shell: `ExecuteShell`, `zsh_tool`. Not its neighbours, such as `bash_output` and `kill_shell`.
const SHELL = /^(run|exec(ute)?)?(ba|z)?sh(ell)?(tool|exec(ute)?|run|command|script)?$/

function findRow(tool: string): ToolRow | undefined {
  const name = squash(tool)
  return ROWS.get(name) ?? (SHELL.test(name) ? TOOLS[0] : undefined)
}

/** The class of a tool by its name, or nothing for a tool we do not know. */
export function toolClass(tool: string): ToolClass | undefined {
  // Servers' tools come as `mcp__server__tool` (Claude, Codex, Qwen) or `mcp_server_tool` (Gemini, Copilot).
  if (foldName(tool).startsWith('mcp_')) return 'mcp'
  return findRow(tool)?.class ?? (isMessageTool(tool) ? 'message' : undefined)
}

/** Does a matcher's plain name (a class, or any spelling of a tool) mean this tool? Case does not matter. */
export function isToolNamed(wanted: string, tool: string): boolean {
  const want = foldName(wanted)
  if (foldName(tool) === want || toolClass(tool) === want) return true
  // A server's tool stays one of the class `mcp`.
  if (want === 'message' && isMessageTool(tool)) return true
  return findRow(want) !== undefined && findRow(want) === findRow(tool)
}

// A name without what only changes its look: case, blanks around it, invisible characters, compatibility forms.
function foldName(name: string): string {
  if (/^\w+$/.test(name)) return name.toLowerCase()
  return name
    .normalize('NFKC')
    .replace(/[\p{Cc}\p{Cf}]/gu, '')
    .trim()
    .toLowerCase()
}

function squash(name: string): string {
  return foldName(name).replace(/[\s_-]+/g, '')
}

// The fields in which hosts pass the task of a spawned agent, the most common first.
const PROMPT_FIELDS = ['prompt', 'task', 'message', 'instructions', 'input', 'query', 'systemPrompt', 'system_prompt']

/** The argument with the task of a spawned agent; undefined if there is none. */
export function findPromptArgument(args: Readonly<Record<string, unknown>>): string | undefined {
  return PROMPT_FIELDS.find((name) => typeof args[name] === 'string')
}

// The argument names under which files are passed.
const PATH_KEY = /^((.+_|file)?paths?|(.+_)?files?|filename|directory|source|destination)$/

// Arguments that hold a text, an address or an expression: one that begins with a slash is no path.
const NO_PATH = /text|str|cont|body|mess|desc|prompt|tit|comm|cmd|quer|patt|scri|code|sql|ur[il]|href|endp|rout|shell/

const CLEAR_PATH = /^(~$|(~|\.\.?)?\/(?!\/)).*$/
const PATCH_HEADER = /^\*\*\* (?:Add File|Update File|Delete File|Move to): (.+)$/gm
// Both sides of a unified diff; git's own lines for files that are renamed or copied.
const DIFF_HEADER = /^--- ([^\t\n]+).*\n\+\+\+ ([^\t\n]+)|^(?:rename|copy) (?:from|to) (.+)$/gm
const MAX_DEPTH = 20

/**
 * The files that a tool call names in its arguments, at any depth: as values, as keys (`{files: {"a.txt": "…"}}`), in
 * JSON texts and in the headers of a patch. In the arguments of a tool that we do not know, a value that is clearly a path
 * (`/x`, `~/x`, `./x`) counts under any name.
 */
export function fileArguments(args: unknown, tool = 'read'): string[] {
  const isUnknown = (toolClass(tool) ?? 'mcp') === 'mcp'
  return collectFiles(args, { isUnknown, isPatch: /patch|diff|apply/i.test(tool) }, '', 0)
}

interface ToolTraits {
  readonly isUnknown: boolean
  readonly isPatch: boolean
}

function collectFiles(value: unknown, tool: ToolTraits, key: string, depth: number): string[] {
  if (typeof value === 'string') return filesInText(value, tool, key, depth)
  if (depth >= MAX_DEPTH || typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) return value.flatMap((item) => collectFiles(item, tool, key, depth + 1))
  return Object.entries(value).flatMap(([name, inner]) =>
    isPathAsKey(name, key, tool.isUnknown)
      ? [name, ...collectFiles(inner, tool, 'content', depth + 1)]
      : collectFiles(inner, tool, snakeCase(name), depth + 1),
  )
}

const FILE_ADDRESS = /^(?:view-source:)?file:(?:\/\/[^/]*)?(\/[^?#]*)/i

function filesInText(text: string, tool: ToolTraits, key: string, depth: number): string[] {
  const address = FILE_ADDRESS.exec(text)?.[1]
  if (address !== undefined) return [decode(address)]
  const mayBePath = !NO_PATH.test(key)
  const json = depth < MAX_DEPTH && mayBePath ? parseObject(text) : undefined
  if (json !== undefined) return collectFiles(json, tool, key, depth + 1)
  const isUnknown = tool.isUnknown && mayBePath
  if (PATH_KEY.test(key) || (isUnknown && CLEAR_PATH.test(text))) return [text]
  // `apply_patch` names its files inside the text of the patch.
  return patchedFiles(text, tool.isPatch || isUnknown || /patch|diff/.test(key))
}

// `{files: {"src/a.ts": "…"}}`, and elsewhere a key that can be nothing but a path.
function isPathAsKey(name: string, parent: string, isUnknown: boolean): boolean {
  if (name.length > 4096 || !/[/.~\\]/.test(name)) return false
  return PATH_KEY.test(parent) || (isUnknown && (CLEAR_PATH.test(name) || /^[^\s:/]+\/[^\s:]+$/.test(name)))
}

function parseObject(text: string): object | undefined {
  if (!/^\s*[{[]/.test(text) || text.length > 1_000_000) return undefined
  try {
    return JSON.parse(text) as object
  } catch {
    // Not JSON: a text like any other.
    return undefined
  }
}

function patchedFiles(text: string, isDiff: boolean): string[] {
  const files = [...text.matchAll(PATCH_HEADER)].map(([, file = '']) => file.trim())
  if (!isDiff || !/^(?:--- |rename |copy )/m.test(text)) return files
  for (const [, from = '', to = '', moved = ''] of text.matchAll(DIFF_HEADER)) {
    for (const file of [from, to, moved]) {
      const path = file
        .trim()
        .replace(/^"(.*)"$/, '$1')
        .replace(/^[ab]\//, '')
      if (path !== '' && path !== '/dev/null') files.push(path)
    }
  }
  return files
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    // Not encoded as an address should be: the path as it is written.
    return path
  }
}

function snakeCase(name: string): string {
  return name.replace(/-|(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase()
}
