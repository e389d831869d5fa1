// The command tree as completion needs it, read from commander's own tables: a new command needs no edit here.

import type { Argument, Command, Option } from 'commander'

/** What can stand at a place: words that are known now, or names that `arc complete` looks up. */
export interface Values {
  readonly words: readonly string[]
  readonly lookUp?: LookUp
}

// The kinds of names that are looked up when they are needed.
const LOOK_UPS = ['profile', 'hook', 'host'] as const

/** A kind of names. */
export type LookUp = (typeof LOOK_UPS)[number]

/** An option of a command. */
export interface OptionPlace {
  readonly flags: readonly string[]
  readonly description: string
  readonly takesValue: boolean
  readonly values: Values
}

/** A command, with what can follow it. */
export interface Place {
  /** Its name and those above it, without `arc`: `profile set`. */
  readonly path: string
  readonly subcommands: readonly { readonly name: string; readonly description: string }[]
  readonly options: readonly OptionPlace[]
  readonly args: readonly (Values & { readonly isVariadic: boolean })[]
}

/** Every command that is not hidden. */
export function placesOf(command: Command, path: readonly string[] = []): Place[] {
  const help = command.createHelp()
  const visible = help.visibleCommands(command)
  const own: Place = {
    path: path.join(' '),
    subcommands: visible.map((inner) => ({ name: inner.name(), description: inner.description() })),
    options: help.visibleOptions(command).map(placeOfOption),
    args: command.registeredArguments.map((argument) => placeOfArgument(argument, path)),
  }
  const inner = visible.filter((one) => command.commands.includes(one))
  return [own, ...inner.flatMap((one) => placesOf(one, [...path, one.name()]))]
}

function placeOfOption(option: Option): OptionPlace {
  const { long, short, description, argChoices } = option
  const placeholder = /[<[]([\w-]+)/.exec(option.flags)?.[1]
  const lookUp = lookUpOf(placeholder) ?? lookUpOf(option.attributeName())
  return {
    flags: [long, short].filter((flag) => typeof flag === 'string'),
    description,
    takesValue: option.required || option.optional,
    values: { words: argChoices ?? [], ...(placeholder !== undefined && lookUp !== undefined && { lookUp }) },
  }
}

// `<name>` under `arc profile` is the name of a profile, under `arc hooks` that of a hook.
function placeOfArgument(argument: Argument, path: readonly string[]): Values & { readonly isVariadic: boolean } {
  const name = argument.name()
  const lookUp = lookUpOf(name) ?? (name === 'name' ? lookUpOf(path[0]?.replace(/s$/, '')) : undefined)
  return { words: argument.argChoices ?? [], isVariadic: argument.variadic, ...(lookUp !== undefined && { lookUp }) }
}

function lookUpOf(name: string | undefined): LookUp | undefined {
  return LOOK_UPS.find((kind) => kind === name)
}
