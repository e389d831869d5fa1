// The completion scripts of bash, zsh and fish, written from the places of the command tree. Each walks the words that
// stand already, then offers subcommands, options or values; where there is nothing to offer the shell offers files.

import { quoteForShell } from '../../../engine/shell-quote.ts'
import type { OptionPlace, Place, Values } from './tree.ts'

/** A shell that there is a script for. */
export type Shell = 'bash' | 'zsh' | 'fish'

/** The completion script of a shell. */
export function scriptFor(shell: Shell, places: readonly Place[]): string {
  if (shell === 'bash') return bashScript(places)
  return shell === 'zsh' ? zshScript(places) : fishScript(places)
}

// What bash and zsh share: functions that answer for a place, with case tables in the language of both.
function tables(places: readonly Place[]): string {
  return `# The subcommands of a command.
__arc_subcommands() {
  case "$1" in
${cases(places, ({ path, subcommands }) => [path, subcommands.map(({ name }) => name).join(' ')])}
  esac
}

# The options of a command.
__arc_options() {
  case "$1" in
${cases(places, ({ path, options }) => [path, options.flatMap(({ flags }) => flags).join(' ')])}
  esac
}

# Does this option of a command take a value?
__arc_takes_value() {
  case "$1|$2" in
${takers(places)}
    *) return 1 ;;
  esac
}

# The values of an option, or of an argument by its number.
__arc_values() {
  case "$1|$2" in
${values(places)}
  esac
}
`
}

function cases(places: readonly Place[], row: (place: Place) => readonly [string, string]): string {
  const rows = places.map(row).filter(([, words]) => words !== '')
  return rows.map(([path, words]) => `    ${quoteForShell(path)}) echo ${quoteForShell(words)} ;;`).join('\n')
}

function takers(places: readonly Place[]): string {
  const keys = places.flatMap(({ path, options }) =>
    options.filter(({ takesValue }) => takesValue).flatMap(({ flags }) => flags.map((flag) => `${path}|${flag}`)),
  )
  return keys.length === 0 ? '' : `    ${keys.map(quoteForShell).join(' | \\\n    ')}) return 0 ;;`
}

function values(places: readonly Place[]): string {
  const rows = places.flatMap(({ path, options, args }) => [
    ...options.flatMap(({ flags, values: given }) =>
      flags.map((flag) => [quoteForShell(`${path}|${flag}`), given] as const),
    ),
    ...args.map((given, index) => [numbered(path, index, given.isVariadic), given] as const),
  ])
  return rows.flatMap(([pattern, given]) => (isEmpty(given) ? [] : [`    ${pattern}) ${echoOf(given)} ;;`])).join('\n')
}

// The last argument may stand any number of times.
function numbered(path: string, index: number, isVariadic: boolean): string {
  return isVariadic ? `${quoteForShell(`${path}|`)}[0-9]*` : quoteForShell(`${path}|${index}`)
}

function isEmpty({ words, lookUp }: Values): boolean {
  return words.length === 0 && lookUp === undefined
}

function echoOf({ words, lookUp }: Values): string {
  return lookUp === undefined ? `echo ${quoteForShell(words.join(' '))}` : `command arc complete ${lookUp} 2>/dev/null`
}

// The walk over the words, the same in both shells: `before` holds those between \`arc\` and the one to complete.
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

function bashScript(places: readonly Place[]): string {
  return `# Completion of arc for bash: eval "$(arc completion bash)"

${tables(places)}
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

function zshScript(places: readonly Place[]): string {
  return `#compdef arc
# Completion of arc for zsh: eval "$(arc completion zsh)" after compinit, or this text as the file _arc in $fpath

${tables(places)}
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

function fishScript(places: readonly Place[]): string {
  const paths = places.map(({ path }) => path).filter((path) => path !== '')
  const takes = places.flatMap(({ options }) => options.filter(({ takesValue }) => takesValue).flatMap((o) => o.flags))
  return `# Completion of arc for fish: arc completion fish | source

# Is the line, as it stands, at this command? Given too: how many arguments stand there already.
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

${places.flatMap(fishLines).join('\n')}
`
}

const ANY_NUMBER = 999

function fishLines({ path, subcommands, options, args }: Place): string[] {
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

function fishOption({ flags, description, takesValue, values: given }: OptionPlace): string {
  const names = flags.map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`))
  const value = takesValue ? ['-r', ...(isEmpty(given) ? [] : [`-f -a ${fishValues(given)}`])] : []
  return [...names, ...value, `-d ${quoteForShell(description)}`].join(' ')
}

function fishValues({ words, lookUp }: Values): string {
  return quoteForShell(lookUp === undefined ? words.join(' ') : `(command arc complete ${lookUp} 2>/dev/null)`)
}
