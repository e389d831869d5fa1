// Handlers that leave the process, from their description in a configuration: a command, an address or a question.

import { ArcError, show } from '../../engine/errors.ts'
import type { Handler } from '../../engine/hook.ts'
import { isRecord } from '../../engine/plain-data.ts'
import { type CommandOptions, commandHandler } from './command/command.ts'
import { type HttpOptions, httpHandler } from './http.ts'
import { type PromptOptions, promptHandler } from './prompt/prompt.ts'

const KINDS = ['command', 'url', 'prompt'] as const

/**
 * Makes a handler from its description. The other keys are the options of that kind of handler.
 * @example
 * makeHandler({ command: './review.sh', timeoutMs: 20_000 })
 * makeHandler({ prompt: 'Block what claims too much.', format: 'anthropic', model: 'claude-haiku-4-5' })
 */
export function makeHandler(description: Readonly<Record<string, unknown>>): Handler {
  const given = isRecord(description) ? KINDS.filter((kind) => description[kind] !== undefined) : []
  if (given.length !== 1) {
    throw new ArcError(
      'ARC_OPTION_INVALID',
      `A handler is described by one of ${KINDS.join(', ')}, not by ${given.join(' and ') || show(description)}.`,
    )
  }
  // Each handler checks its own options, types included.
  if (given[0] === 'command') return commandHandler(description as unknown as CommandOptions)
  if (given[0] === 'url') return httpHandler(description as unknown as HttpOptions)
  const { prompt, ...rest } = description
  const options = isRecord(prompt) ? { ...rest, ...prompt } : { ...rest, instructions: prompt }
  return promptHandler(options as unknown as PromptOptions)
}

/** What is wrong with a command that cannot be run, if anything. */
export function whyNotRunnable(command: string | readonly string[]): string | undefined {
  try {
    commandHandler({ command })
    return undefined
  } catch (error) {
    if (!(error instanceof ArcError)) throw error
    return error.message
  }
}
