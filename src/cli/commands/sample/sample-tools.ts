// The tools of the sample agent: real files and a real shell, in its repository.

import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { ToolArgs } from '../../../engine/points.ts'
import { gitEnvironment } from './workspace.ts'

type Tool = (repository: string, args: ToolArgs) => Promise<string>

export type ToolName = 'read_file' | 'edit_file' | 'shell'

const SHELL_MS = 30_000

export const SAMPLE_TOOLS: Readonly<Record<ToolName, Tool>> = {
  read_file: (repository, { path }) => readFile(join(repository, String(path)), 'utf8'),
  edit_file: async (repository, { path, old_string, new_string }) => {
    const file = join(repository, String(path))
    await writeFile(file, (await readFile(file, 'utf8')).replace(String(old_string), String(new_string)))
    return 'written'
  },
  shell: async (repository, { command }) => {
    const options = { cwd: repository, timeout: SHELL_MS, env: shellEnvironment() }
    try {
      const { stdout, stderr } = await run('sh', ['-c', String(command)], options)
      return (stdout.trim() || stderr.trim() || 'done').trim()
    } catch (error) {
      const { stdout = '', stderr = '', message } = error as Error & { stdout?: string; stderr?: string }
      return `failed: ${stdout.trim() || stderr.trim() || message}`
    }
  },
}

// With these variables a nested test run would count as part of the outer one.
function shellEnvironment(): NodeJS.ProcessEnv {
  const { NODE_TEST_CONTEXT: _context, NODE_OPTIONS: _options, ...rest } = gitEnvironment()
  return rest
}

const run = promisify(execFile)
