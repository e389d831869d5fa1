// The arguments of a command of PowerShell or cmd: paths, options and values. Paths are written as the shell writes them.

/** The arguments of one command. */
export interface WindowsArguments {
  /** Operands, and values of path options. */
  readonly paths: readonly string[]
  /** In lower case, with the dash or the slash. */
  readonly options: readonly string[]
  /** By the option's name in lower case: `-name` of `-Name node`. */
  readonly values: ReadonlyMap<string, string>
}

// Options whose value is not a path.
const TAKES_VALUE =
  /^(?:-(?:name|processname|id|filter|include|exclude|encoding|value|itemtype|outfile|infile|o|erroraction|ea|driveletter|number|method|headers|body|argumentlist|args|verb|displayname|enabled|profile)|\/(?:im|pid|t))$/
const PATH_OPTION = /^-(?:path|literalpath|lp|pspath|filepath|destination|target|uri)$/

/** Reads the arguments. PowerShell accepts lists with commas. */
export function readWindowsArguments(words: readonly string[]): WindowsArguments {
  const paths: string[] = []
  const options: string[] = []
  const values = new Map<string, string>()
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ''
    const lower = word.toLowerCase()
    const colon = /^(-[a-z]+):(.+)$/.exec(lower)
    if (colon?.[1] !== undefined) options.push(isOff(colon[2]) ? '' : colon[1])
    else if (TAKES_VALUE.test(lower)) {
      const list = [words[++at] ?? '']
      while (list.at(-1)?.endsWith(',') === true || words[at + 1]?.startsWith(',') === true)
        list.push(words[++at] ?? '')
      values.set(lower, list.join(' '))
    } else if (PATH_OPTION.test(lower)) continue
    else if (/^-[a-z]/.test(lower) || /^\/[a-z]{1,2}(?::.*)?$/.test(lower)) options.push(lower)
    else paths.push(...word.split(',').filter(Boolean).map(writeShellPath))
  }
  return { paths, options, values }
}

function isOff(value: string | undefined): boolean {
  return value === '$false' || value === '0'
}

/** `$env:USERPROFILE\x` is `~/x`; `C:\` is the root; paths on a drive are outside of the project. */
export function writeShellPath(path: string): string {
  return path
    .replaceAll('\\', '/')
    .replace(
      /^(?:\$\{?env)?:(?:userprofile|home|homepath)\}?|^%(?:userprofile|homepath|homedrive%%homepath)%|^\$home\b/i,
      '~',
    )
    .replace(/^(?:\$\{?env)?:(?:systemdrive|systemroot|windir)\}?|^%(?:systemdrive|systemroot|windir)%/i, '')
    .replace(/^[a-z]:(?=\/|\*|$)/i, '')
    .replace(/^[a-z]:/i, '/')
    .replace(/^\/windows\b/i, '/usr')
    .replace(/^\/users(?=\/|$)/i, '/home')
    .replace(/^nul$/i, '/dev/null')
    .replace(/^(?:\*(?:\.\*)?)?$/, (rest) => (path.length > rest.length ? `/${rest}` : rest))
}
