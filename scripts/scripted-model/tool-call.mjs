// Which of an agent's tools is meant, and its arguments from its own schema: every agent names them differently.

const KINDS = {
  shell:
    /^(?:bash|shell|shell_command|exec_command|run_shell_command|local_shell|run_commands|execute|execute_command|terminal)$/i,
  write: /^(?:write|write_file|write_to_file|create|create_file|editor|apply_patch|edit)$/i,
  spawn: /^(?:task|agent|spawn_agent|spawn_subagent|subagent|use_subagents|delegate|delegate_to_agent|invoke_agent)$/i,
}

/** The tool of this kind; the first pattern that is offered wins, so that a whole file is written rather than edited. */
export function chooseTool(tools, kind) {
  const pattern = KINDS[kind]
  const order = pattern.source.replace(/^\^\(\?:|\)\$$/g, '').split('|')
  for (const word of order) {
    const found = tools.find(({ name = '' }) => name.toLowerCase() === word)
    if (found !== undefined) return found
  }
  return undefined
}

/** Arguments for a call. `turn` has `command`, or `path` and `content`, or `task`. */
export function fillArguments({ name, schema }, turn, cwd) {
  const properties = schema?.properties ?? { [turn.tool === 'shell' ? 'command' : 'input']: { type: 'string' } }
  const required = schema?.required ?? []
  const args = {}
  for (const [key, property] of Object.entries(properties)) {
    const value = meant(key, property, turn, name) ?? (required.includes(key) ? filler(key, property, cwd) : undefined)
    if (value !== undefined) args[key] = value
  }
  return args
}

/** The text of a patch that adds the file of a write turn. */
export function patchText({ path, content }) {
  const lines = content.split('\n').map((line) => `+${line}`)
  return ['*** Begin Patch', `*** Add File: ${path}`, ...lines, '*** End Patch', ''].join('\n')
}

function meant(key, property, turn, name) {
  const type = [property.type].flat()[0]
  if (turn.tool === 'shell') return shellValue(key, type, turn.command)
  if (turn.tool === 'spawn') return spawnValue(key, property, turn.task)
  return writeValue(key, property, turn, name)
}

function shellValue(key, type, command) {
  if (key === 'commands') return type === 'array' ? [command] : command
  if (!/^(?:command|cmd|script)$/.test(key)) return undefined
  return type === 'array' ? ['bash', '-lc', command] : command
}

function spawnValue(key, property, task) {
  if (/^(?:prompt|task|message|instructions|query|objective|input)$/.test(key)) return task
  if (/^(?:subagent_type|agent_type|agent|agent_name|type)$/.test(key)) return property.enum?.[0] ?? 'general-purpose'
  return undefined
}

function writeValue(key, property, turn, name) {
  if (/patch/i.test(name) && /^(?:input|patch|patch_text|patchText)$/.test(key)) return patchText(turn)
  if (/^(?:file_?path|absolute_path|path|filename|target_file)$/i.test(key)) return turn.path
  if (/^(?:content|contents|file_text|new_text|text)$/i.test(key)) return turn.content
  return key === 'command' && property.enum?.includes('create') ? 'create' : undefined
}

function filler(key, property, cwd) {
  const type = [property.type].flat()[0]
  if (property.enum !== undefined) return property.enum[0]
  if (/^(?:cwd|workdir)$/.test(key)) return cwd
  if (key === 'mode') return 'sync'
  const number = property.default ?? 30
  return { boolean: key === 'wait', number, integer: number, array: [], object: {} }[type] ?? 'a short task'
}
