// The completion scripts of bash, zsh and fish, generated from the command tree. Each script walks the words before the
// cursor, then offers subcommands, options or values, else file names.

import { quoteForShell } from '../../../engine/shell-quote.ts'
import type { CommandNode, OptionNode, Values } from './command-nodes.ts'

/** A supported shell. */
export type Shell = 'bash' | 'zsh' | 'fish'

/** The completion script of a shell. */
export function scriptFor(shell: Shell, nodes: readonly CommandNode[]): string {
  if (shell === 'bash') return bashScript(nodes)
  return shell === 'zsh' ? zshScript(nodes) : fishScript(nodes)
}

// Functions that bash and zsh share: case tables by command, in syntax that both understand.
function tables(nodes: readonly CommandNode[]): string {
  return `# The subcommands of a command.
__arc_subcommands() {
  case "$1" in
${cases(nodes, ({ path, subcommands }) => [path, subcommands.map(({ name }) => name).join(' ')])}
  esac
}

# The options of a command.
__arc_options() {
  case "$1" in
${cases(nodes, ({ path, options }) => [path, options.flatMap(({ flags }) => flags).join(' ')])}
  esac
}

# Does this option of a command take a value?
__arc_takes_value() {
  case "$1|$2" in
${takers(nodes)}
    *) return 1 ;;
  esac
}

# The values of an option, or of an argument by its number.
__arc_values() {
  case "$1|$2" in
${values(nodes)}
  esac
}
`
}

function cases(nodes: readonly CommandNode[], row: (node: CommandNode) => readonly [string, string]): string {
  const rows = nodes.map(row).filter(([, words]) => words !== '')
  return rows.map(([path, words]) => `    ${quoteForShell(path)}) echo ${quoteForShell(words)} ;;`).join('\n')
}

function takers(nodes: readonly CommandNode[]): string {
  const keys = nodes.flatMap(({ path, options }) =>
    options.filter(({ takesValue }) => takesValue).flatMap(({ flags }) => flags.map((flag) => `${path}|${flag}`)),
  )
  return keys.length === 0 ? '' : `    ${keys.map(quoteForShell).join(' | \\\n    ')}) return 0 ;;`
}

function values(nodes: readonly CommandNode[]): string {
  const rows = nodes.flatMap(({ path, options, args }) => [
    ...options.flatMap(({ flags, values: given }) =>
      flags.map((flag) => [quoteForShell(`${path}|${flag}`), given] as const),
    ),
    ...args.map((given, index) => [numbered(path, index, given.isVariadic), given] as const),
  ])
  return rows
    .flatMap(([pattern, given]) => (isEmpty(given) ? [] : [`    ${pattern}) ${echoLine(given)} ;;`]))
    .join('\n')
}

// A variadic argument matches any position.
function numbered(path: string, index: number, isVariadic: boolean): string {
  return isVariadic ? `${quoteForShell(`${path}|`)}[0-9]*` : quoteForShell(`${path}|${index}`)
}

function isEmpty({ words, lookUp }: Values): boolean {
  return words.length === 0 && lookUp === undefined
}

function echoLine({ words, lookUp }: Values): string {
  return lookUp === undefined ? `echo ${quoteForShell(words.join(' '))}` : `command arc complete ${lookUp} 2>/dev/null`
}

// The walk over the words, the same in both shells: `before` holds the words between `arc` and the one to complete.
const WALK = `  local place='' count=0 skip='' word
  for word in "\${before[@]}"; do
    if [ -n "$skip" ]; then
      skip=''
    elif [ "$word" = -- ]; then
      return
    elif [ "\${word#-}" != "$word" ]; then
      if __arc_takes_value "$place" "$word"; then skip=$word; fi
    else
      case " $(__arc_subcommands "$place") " in
        *" $word "*) place="\${place:+$place }$word"; count=0 ;;
        *) count=$((count + 1)) ;;
      esac
    fi
  done
  local found
  if [ -n "$skip" ]; then
    found=$(__arc_values "$place" "$skip")
  elif [ "\${current#-}" != "$current" ]; then
    found=$(__arc_options "$place")
  else
    found=$(__arc_values "$place" "$count")
    if [ "$count" = 0 ]; then found="$(__arc_subcommands "$place") $found"; fi
  fi`

function bashScript(nodes: readonly CommandNode[]): string {
  return `# Completion of arc for bash: eval "$(arc completion bash)"

${tables(nodes)}
_arc() {
  COMPREPLY=()
  # From the line itself: bash takes words apart at ":", "=" and "@" as well.
  local IFS=$' \\t\\n' line=\${COMP_LINE:0:COMP_POINT} before current='' last
  read -ra before <<<"$line"
  before=("\${before[@]:1}")
  case "$line" in
    *[[:blank:]]) ;;
    *) last=$((\${#before[@]} - 1)); current=\${before[last]}; unset "before[last]" ;;
  esac
  case "$current" in --*=*) before+=("\${current%%=*}"); current=\${current#*=} ;; esac
${WALK}
  COMPREPLY=($(compgen -W "$found" -- "$current"))
  local breaks=\${COMP_WORDBREAKS//[^:=@]/} index
  if [ -z "$breaks" ]; then return; fi
  for index in "\${!COMPREPLY[@]}"; do
    COMPREPLY[index]=\${COMPREPLY[index]#"\${current%"\${current##*[$breaks]}"}"}
  done
}

complete -o bashdefault -o default -F _arc arc
`
}

function zshScript(nodes: readonly CommandNode[]): string {
  return `#compdef arc
# Completion of arc for zsh: eval "$(arc completion zsh)" after compinit, or this text as the file _arc in $fpath

${tables(nodes)}
_arc() {
  local current="\${words[CURRENT]}"
  local -a before
  before=(\${words[2,CURRENT-1]})
  if [[ "$current" == --*=* ]]; then
    before+=("\${current%%=*}")
    compset -P 1 '*='
    current="\${current#*=}"
  fi
${WALK}
  local -a offered
  offered=(\${=found})
  if (( \${#offered} )); then
    compadd -- "\${offered[@]}"
  else
    _files
  fi
}

if [ "\${funcstack[1]}" = _arc ]; then
  _arc "$@"
elif (( \${+functions[compdef]} )); then
  compdef _arc arc
fi
`
}

function fishScript(nodes: readonly CommandNode[]): string {
  const paths = nodes.map(({ path }) => path).filter((path) => path !== '')
  const takes = nodes.flatMap(({ options }) => options.filter(({ takesValue }) => takesValue).flatMap((o) => o.flags))
  return `# Completion of arc for fish: arc completion fish | source

# Is the cursor at this command? Optionally checks the number of arguments before it.
function __arc_at
    set -l place
    set -l count 0
    set -l skip 0
    for word in (commandline -opc)[2..-1]
        if test $skip = 1
            set skip 0
        else if string match -q -- '-*' $word
            if contains -- $word ${[...new Set(takes)].map(quoteForShell).join(' ')}
                set skip 1
            end
        else if contains -- (string join ' ' $place $word) ${paths.map(quoteForShell).join(' ')}
            set -a place $word
            set count 0
        else
            set count (math $count + 1)
        end
    end
    test "$place" = "$argv[1]"; or return 1
    test (count $argv) -lt 2; or test $count -ge $argv[2] -a $count -le $argv[3]
end

${nodes.flatMap(fishLines).join('\n')}
`
}

const ANY_NUMBER = 999

function fishLines({ path, subcommands, options, args }: CommandNode): string[] {
  const at = (range = '') => quoteForShell(`__arc_at "${path}"${range}`)
  return [
    ...subcommands.map(({ name, description }) => {
      return `complete -c arc -n ${at(' 0 0')} -f -a ${quoteForShell(name)} -d ${quoteForShell(description)}`
    }),
    ...options.map((option) => `complete -c arc -n ${at()} ${fishOption(option)}`),
    ...args.flatMap((given, index) => {
      if (isEmpty(given)) return []
      const range = ` ${index} ${given.isVariadic ? ANY_NUMBER : index}`
      return [`complete -c arc -n ${at(range)} -f -a ${fishValues(given)}`]
    }),
  ]
}

function fishOption({ flags, description, takesValue, values: given }: OptionNode): string {
  const names = flags.map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`))
  const value = takesValue ? ['-r', ...(isEmpty(given) ? [] : [`-f -a ${fishValues(given)}`])] : []
  return [...names, ...value, `-d ${quoteForShell(description)}`].join(' ')
}

function fishValues({ words, lookUp }: Values): string {
  return quoteForShell(lookUp === undefined ? words.join(' ') : `(command arc complete ${lookUp} 2>/dev/null)`)
}
