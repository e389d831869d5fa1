// The command tree as completion needs it, read from commander: a new command needs no change here.

import type { Argument, Command, Option } from 'commander'

/** The values of an option or argument: fixed words, or names that `arc complete` looks up. */
export interface Values {
  readonly words: readonly string[]
  readonly lookUp?: NameLookup
}

// The kinds of names that are looked up while the user types.
const LOOK_UPS = ['profile', 'hook', 'host', 'agent'] as const

/** A kind of name to look up. */
export type NameLookup = (typeof LOOK_UPS)[number]

/** An option of a command. */
export interface OptionNode {
  readonly flags: readonly string[]
  readonly description: string
  readonly takesValue: boolean
  readonly values: Values
}

/** A command with its subcommands, options and arguments. */
export interface CommandNode {
  /** The name with its parents, without `arc`: `profile set`. */
  readonly path: string
  readonly subcommands: readonly { readonly name: string; readonly description: string }[]
  readonly options: readonly OptionNode[]
  readonly args: readonly (Values & { readonly isVariadic: boolean })[]
}

/** Lists every command that is not hidden. */
export function readNodes(command: Command, path: readonly string[] = []): CommandNode[] {
  const help = command.createHelp()
  const visible = help.visibleCommands(command)
  const own: CommandNode = {
    path: path.join(' '),
    subcommands: visible.map((inner) => ({ name: inner.name(), description: inner.description() })),
    options: help.visibleOptions(command).map(readOption),
    args: command.registeredArguments.map((argument) => readArgument(argument, path)),
  }
  const inner = visible.filter((one) => command.commands.includes(one))
  return [own, ...inner.flatMap((one) => readNodes(one, [...path, one.name()]))]
}

function readOption(option: Option): OptionNode {
  const { long, short, description, argChoices } = option
  const placeholder = /[<[]([\w-]+)/.exec(option.flags)?.[1]
  const lookUp = findLookUp(placeholder) ?? findLookUp(option.attributeName())
  return {
    flags: [long, short].filter((flag) => typeof flag === 'string'),
    description,
    takesValue: option.required || option.optional,
    values: { words: argChoices ?? [], ...(placeholder !== undefined && lookUp !== undefined && { lookUp }) },
  }
}

// `<name>` under `arc profile` is the name of a profile, under `arc hooks` that of a hook.
function readArgument(argument: Argument, path: readonly string[]): Values & { readonly isVariadic: boolean } {
  const name = argument.name()
  const lookUp = findLookUp(name) ?? (name === 'name' ? findLookUp(path[0]?.replace(/s$/, '')) : undefined)
  return { words: argument.argChoices ?? [], isVariadic: argument.variadic, ...(lookUp !== undefined && { lookUp }) }
}

function findLookUp(name: string | undefined): NameLookup | undefined {
  return LOOK_UPS.find((kind) => kind === name)
}
