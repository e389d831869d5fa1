// One table of tools: the names that hosts give to the same tool, and the class each belongs to.
// Matchers speak of a class (`shell`) or a tool (`Edit`), and meet every host's spelling through it.

import { isRecord } from './plain-data.ts'

/** What a tool can do, whatever its name. */
export type ToolClass = 'shell' | 'write' | 'read' | 'net' | 'spawn' | 'mcp'

interface ToolRow {
  readonly class: ToolClass
  /** Names of this one tool in the hosts we know, in lower case. */
  readonly names: readonly string[]
}

/** A row a tool: hosts that run the same thing under another name share the row. */
export const TOOLS: readonly ToolRow[] = [
  {
    class: 'shell',
    names: [
      ...['shell', 'bash', 'sh', 'run_shell_command', 'exec_command', 'execute_command', 'run_command', 'run_commands'],
      ...['local_shell', 'shell_command', 'run_terminal_cmd', 'run_in_terminal', 'terminal', 'powershell', 'exec'],
    ],
  },
  { class: 'write', names: ['edit', 'file_edit', 'edit_file', 'replace', 'str_replace', 'search_replace', 'editor'] },
  { class: 'write', names: ['multiedit', 'multi_edit'] },
  { class: 'write', names: ['write', 'file_write', 'write_file', 'create', 'create_file', 'write_to_file'] },
  { class: 'write', names: ['apply_patch', 'applypatch', 'patch'] },
  { class: 'write', names: ['notebookedit', 'notebook_edit'] },
  { class: 'write', names: ['delete', 'delete_file', 'file_delete'] },
  { class: 'read', names: ['read', 'file_read', 'read_file', 'view', 'cat', 'read_files', 'read_many_files'] },
  { class: 'read', names: ['grep', 'search', 'search_files', 'search_file_content', 'grep_search', 'rg'] },
  { class: 'read', names: ['glob', 'find', 'file_search'] },
  { class: 'read', names: ['ls', 'list', 'list_files', 'list_directory', 'list_dir'] },
  { class: 'net', names: ['webfetch', 'web_fetch', 'fetch', 'fetch_web_content'] },
  { class: 'net', names: ['websearch', 'web_search', 'google_web_search'] },
  { class: 'spawn', names: ['task', 'agent', 'spawn_agent', 'delegate', 'new_task'] },
]

const CLASSES: readonly ToolClass[] = ['shell', 'write', 'read', 'net', 'spawn', 'mcp']

/** The class of a tool by its name, or nothing for a tool we do not know. */
export function toolClass(tool: string): ToolClass | undefined {
  const name = tool.toLowerCase()
  if (isMcp(name)) return 'mcp'
  return TOOLS.find((row) => row.names.includes(name))?.class
}

/** Does a matcher's plain name (a class, or any spelling of a tool) mean this tool? Case does not matter. */
export function isToolNamed(wanted: string, tool: string): boolean {
  const name = tool.toLowerCase()
  const want = wanted.toLowerCase()
  if (name === want) return true
  if ((CLASSES as readonly string[]).includes(want)) return toolClass(name) === want
  return TOOLS.some((row) => row.names.includes(want) && row.names.includes(name))
}

// Servers' tools come as `mcp__server__tool` (Claude, Codex, Qwen) or `mcp_server_tool` (Gemini, Copilot).
function isMcp(name: string): boolean {
  return name.startsWith('mcp__') || name.startsWith('mcp_')
}

// The argument names under which the hosts we know pass files.
const PATH_ARGUMENTS = new Set(
  (
    'path paths file files file_path file_paths filepath filename notebook_path target_file absolute_path ' +
    'dir_path directory old_path new_path source destination'
  ).split(' '),
)

/** The files that a tool call names in its arguments, a patch's headers included. */
export function fileArguments(args: unknown): string[] {
  if (!isRecord(args)) return typeof args === 'string' ? patchedFiles(args) : []
  const found: string[] = []
  for (const key of Object.keys(args)) {
    const value = args[key]
    if (PATH_ARGUMENTS.has(snakeCase(key))) found.push(...texts(value))
    else for (const text of texts(value)) found.push(...patchedFiles(text))
  }
  return found
}

function texts(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (!Array.isArray(value)) return []
  return value.flatMap((item) => (isRecord(item) ? texts(item.path) : texts(item)))
}

// `apply_patch` names its files inside the text of the patch.
function patchedFiles(text: string): string[] {
  if (!text.includes('*** ')) return []
  const header = /^\*\*\* (?:Add File|Update File|Delete File|Move to): (.+)$/gm
  return [...text.matchAll(header)].map((match) => (match[1] ?? '').trim())
}

function snakeCase(name: string): string {
  return name.replace(/([a-z])([A-Z])/g, '$1_$2').toLowerCase()
}
