// A table: exempt from the file length limit.
// Wrappers: programs that run the command in their arguments, such as sudo, env, nice, timeout.
// They are reported as commands only when no command follows.

import type { CommandLocation, Word } from '../execution.ts'
import { type Field, makeField, type Output } from '../frame.ts'
import type { Program, ProgramPort } from '../interpreter-port.ts'
import { type ShellInvocation, unwrap } from '../invocation.ts'
import { cut, type OptionSpec, type Options, readMixed, readOptions } from './options.ts'

interface WrapperSpec extends OptionSpec {
  /** Operands before the command: the duration of timeout, the folder of chroot. */
  readonly operands?: number
  /** The subcommand: `poetry run`, `bundle exec`. */
  readonly after?: readonly string[]
  /** `NAME=value` before the command sets its environment. */
  readonly hasAssignments?: boolean
  /** Options with which it runs nothing. */
  readonly queries?: readonly string[]
  /** Options whose value is a script for a shell. */
  readonly scripts?: readonly string[]
  /** The option for the working folder of the command. */
  readonly folder?: readonly string[]
  readonly location?: CommandLocation
  /** Reported as a command, too: it does more than start another program. */
  readonly isCommand?: boolean
  /** The inner command follows `--`. */
  readonly needsDashes?: boolean
  /** One word with blanks is a shell script. */
  readonly isScript?: boolean
  /** The start of operands that store a command for later: `npm pkg set scripts.x=command`. */
  readonly stores?: RegExp
  /** Options whose value is an output file of the wrapper. */
  readonly output?: readonly string[]
}

const STORED_SCRIPT = /^scripts(?:\.|\[")[\w:.-]+(?:"\])?=/

const WRAPPER_TABLE: Readonly<Record<string, WrapperSpec | readonly WrapperSpec[]>> = {
  sudo: {
    short: 'ugpCDhRrtTU',
    long: [
      'user',
      'group',
      'prompt',
      'close-from',
      'chdir',
      'host',
      'chroot',
      'role',
      'type',
      'command-timeout',
      'other-user',
    ],
    hasAssignments: true,
    folder: ['D', 'chdir'],
    queries: ['l', 'v', 'V', 'K', 'list', 'validate', 'version', 'e', 'edit'],
  },
  doas: { short: 'uC', hasAssignments: true, queries: ['L'] },
  pkexec: { long: ['user'] },
  gosu: { operands: 1 },
  'su-exec': { operands: 1 },
  setpriv: {
    long: ['reuid', 'regid', 'groups', 'inh-caps', 'ambient-caps', 'bounding-set', 'securebits', 'pdeathsig'],
  },
  nice: { short: 'n', long: ['adjustment'] },
  nohup: {},
  timeout: { short: 'ks', long: ['kill-after', 'signal'], operands: 1 },
  gtimeout: { short: 'ks', long: ['kill-after', 'signal'], operands: 1 },
  time: { short: 'fo', long: ['format', 'output'], output: ['o', 'output'] },
  gtime: { short: 'fo', long: ['format', 'output'], output: ['o', 'output'] },
  command: { queries: ['v', 'V'] },
  builtin: {},
  exec: { short: 'a' },
  nocorrect: {},
  noglob: {},
  stdbuf: { short: 'ioe', long: ['input', 'output', 'error'] },
  unbuffer: {},
  setsid: {},
  ionice: { short: 'cnpPu', long: ['class', 'classdata', 'pid'], queries: ['p'] },
  chrt: { short: 'TPD', long: ['sched-runtime', 'sched-period', 'sched-deadline'], operands: 1, queries: ['p', 'm'] },
  taskset: { operands: 1, queries: ['p'] },
  numactl: { short: 'NmCpi', long: ['cpunodebind', 'membind', 'physcpubind', 'interleave', 'preferred'] },
  cpulimit: { short: 'lpe', long: ['limit'] },
  prlimit: { short: 'p', long: ['pid', 'output'] },
  setarch: { operands: 1 },
  linux32: {},
  linux64: {},
  unshare: {
    short: 'SGRw',
    long: ['setuid', 'setgid', 'root', 'wd', 'map-user', 'map-group', 'propagation', 'setgroups'],
  },
  nsenter: { short: 'tSGrw', long: ['target', 'setuid', 'setgid', 'wd'], location: 'container' },
  chroot: { long: ['userspec', 'groups'], operands: 1, location: 'container' },
  'arch-chroot': { short: 'u', operands: 1, location: 'container' },
  fakeroot: { short: 'lsib' },
  firejail: {},
  bwrap: {
    long: ['chdir', 'tmpfs', 'proc', 'dev', 'unshare-user', 'hostname', 'uid', 'gid', 'setenv', 'bind', 'ro-bind'],
    needsDashes: true,
    location: 'container',
  },
  flock: {
    short: 'wEc',
    long: ['wait', 'timeout', 'conflict-exit-code', 'command'],
    operands: 1,
    scripts: ['c', 'command'],
  },
  script: {
    short: 'cEIOBTo',
    long: ['command', 'log-in', 'log-out', 'echo'],
    scripts: ['c', 'command'],
    operands: 1,
    isCommand: true,
  },
  strace: { short: 'abeEIoOpPsSuX', long: ['attach', 'output', 'trace', 'user', 'env'], output: ['o', 'output'] },
  ltrace: { short: 'aAeFlnopsuwx', long: ['output', 'library'], output: ['o', 'output'] },
  gdb: { short: 'xpsecd', long: ['args', 'ex', 'command'], needsDashes: true, isCommand: true },
  valgrind: {},
  rr: { after: ['record'] },
  perf: [
    { after: ['record'], short: 'eoFgCp', long: ['output'], isCommand: true },
    { after: ['stat'], short: 'eorI', isCommand: true },
  ],
  busybox: {},
  toybox: {},
  watch: { short: 'nqs', long: ['interval', 'equexit'], isScript: true, isCommand: true },
  hyperfine: { short: 'wmMrpScnsNiuL', isScript: true, isCommand: true },
  entr: { isCommand: true },
  caffeinate: { short: 'tw' },
  rlwrap: { short: 'abCcDefgHilmMnoOpPqrsSStwz' },
  proxychains: { short: 'f' },
  torsocks: {},
  'xvfb-run': { short: 'efnpsw', long: ['server-args', 'server-num', 'error-file'] },
  'dbus-run-session': {},
  'systemd-run': {
    short: 'pEHMtu',
    long: [
      'unit',
      'property',
      'setenv',
      'uid',
      'gid',
      'slice',
      'description',
      'working-directory',
      'on-active',
      'on-calendar',
    ],
    folder: ['working-directory'],
  },
  'systemd-inhibit': { long: ['what', 'who', 'why', 'mode'] },
  'start-stop-daemon': { short: 'xpucna', needsDashes: true, isCommand: true },
  faketime: { operands: 1 },
  'cross-env': { hasAssignments: true },
  dotenv: { short: 'efpcv', needsDashes: true },
  dotenvx: { after: ['run'], short: 'fe' },
  direnv: { after: ['exec'], operands: 1 },
  doppler: { after: ['run'], short: 'pc', long: ['project', 'config', 'command'], scripts: ['command'] },
  op: { after: ['run'], long: ['env-file', 'account'] },
  'aws-vault': { after: ['exec'], short: 'dt', long: ['duration'], operands: 1 },
  chamber: { after: ['exec'], operands: 1 },
  poetry: { after: ['run'] },
  pipenv: { after: ['run'] },
  pdm: { after: ['run'] },
  hatch: { after: ['run'] },
  rye: { after: ['run'] },
  uv: {
    after: ['run'],
    short: 'pw',
    long: ['python', 'with', 'project', 'extra', 'group', 'directory', 'env-file', 'with-requirements'],
    folder: ['directory'],
  },
  conda: { after: ['run'], short: 'np', long: ['name', 'prefix', 'cwd'], folder: ['cwd'] },
  mamba: { after: ['run'], short: 'np', long: ['name', 'prefix'] },
  micromamba: { after: ['run'], short: 'np', long: ['name', 'prefix'] },
  pixi: { after: ['run'], short: 'e', long: ['environment'] },
  bundle: { after: ['exec'] },
  rbenv: { after: ['exec'] },
  pyenv: { after: ['exec'] },
  asdf: { after: ['exec'] },
  mise: [
    { after: ['exec'], short: 'Cc', long: ['command', 'cd'], scripts: ['c', 'command'], needsDashes: true },
    { after: ['x'], short: 'Cc', long: ['command', 'cd'], scripts: ['c', 'command'], needsDashes: true },
  ],
  npx: { short: 'cp', long: ['call', 'package'], scripts: ['c', 'call'], isCommand: true },
  bunx: { short: 'p', isCommand: true },
  pnpx: { isCommand: true },
  npm: [
    { after: ['pkg', 'set'], stores: STORED_SCRIPT, isCommand: true },
    { after: ['exec'], short: 'cpw', long: ['call', 'package', 'workspace'], scripts: ['c', 'call'], isCommand: true },
    { after: ['x'], short: 'cpw', long: ['call', 'package'], scripts: ['c', 'call'], isCommand: true },
  ],
  pnpm: [
    { after: ['pkg', 'set'], stores: STORED_SCRIPT, isCommand: true },
    { after: ['exec'], short: 'c', isCommand: true },
    { after: ['dlx'], long: ['package'], isCommand: true },
  ],
  yarn: [
    { after: ['workspaces', 'foreach', 'exec'], isCommand: true },
    { after: ['exec'], isCommand: true },
    { after: ['dlx'], short: 'p', isCommand: true },
  ],
  nix: [
    { after: ['develop'], short: 'c', long: ['command'], scripts: ['c', 'command'], isCommand: true },
    { after: ['shell'], short: 'c', long: ['command'], scripts: ['c', 'command'], isCommand: true },
  ],
  'nix-shell': { short: 'pIA', long: ['run', 'command', 'packages'], scripts: ['run', 'command'], isCommand: true },
  // Words of zsh and fish before a command.
  repeat: { operands: 1 },
  and: {},
  or: {},
  not: {},
  wezterm: { after: ['cli', 'send-text'], long: ['pane-id'], isScript: true, isCommand: true },
  kitty: { after: ['@', 'send-text'], short: 'mt', long: ['match', 'match-tab'], isScript: true, isCommand: true },
  // A portable shell in one program: `shx rm -rf x`.
  shx: {},
  infisical: { after: ['run'], long: ['env', 'path', 'projectId', 'token', 'command'], scripts: ['command'] },
  teller: { after: ['run'] },
  envconsul: { long: ['config', 'prefix', 'secret', 'consul-addr', 'vault-addr'], isSingleDash: true },
  sops: [
    { after: ['exec-env'], operands: 1, isScript: true },
    { after: ['exec-file'], operands: 1, isScript: true },
  ],
  runcon: { short: 'turl', long: ['type', 'user', 'role', 'range'], operands: 1 },
  'dbus-launch': {},
  'flatpak-spawn': { long: ['env', 'directory', 'forward-fd', 'app-path', 'usr-path'] },
  sg: { short: 'c', operands: 1, scripts: ['c'] },
  sshpass: { short: 'pPfd' },
  zellij: { after: ['run'], short: 'dnhwxy', long: ['direction', 'cwd', 'name', 'height', 'width'], folder: ['cwd'] },
  watchexec: { short: 'wefiosEWN', long: ['exts', 'watch', 'ignore', 'filter', 'shell', 'signal'], isCommand: true },
  reflex: { short: 'grRGd', long: ['regex', 'glob', 'inverse-regex', 'decoration'], isCommand: true },
  nodemon: { short: 'xwei', long: ['exec', 'watch', 'ext', 'ignore'], scripts: ['x', 'exec'], isCommand: true },
  'start-server-and-test': { isScript: true, isCommand: true },
  lerna: { after: ['exec'], long: ['scope', 'ignore', 'concurrency'], isCommand: true },
  nx: { after: ['exec'], isCommand: true },
  guix: [
    { after: ['shell'], needsDashes: true, isCommand: true },
    { after: ['environment'], needsDashes: true, isCommand: true },
  ],
  cargo: { after: ['watch'], short: 'sxwid', long: ['shell', 'exec'], scripts: ['s', 'shell'], isCommand: true },
  concurrently: { short: 'nck', long: ['names', 'prefix-colors'], isScript: true, isCommand: true },
  vagrant: [
    {
      after: ['ssh'],
      short: 'c',
      long: ['command'],
      scripts: ['c', 'command'],
      location: 'remote',
      isCommand: true,
      operands: 1,
    },
  ],
}

export const WRAPPERS: ReadonlyMap<string, Program> = new Map<string, Program>([
  ...Object.entries(WRAPPER_TABLE).map(([name, spec]): [string, Program] => [
    name,
    (shell, call) => runWrapper(shell, call, name, Array.isArray(spec) ? spec : [spec as WrapperSpec]),
  ]),
  ['env', runEnv],
  ['su', runSwitchUser],
  ['runuser', runSwitchUser],
])

/** Runs the inner command. A wrapper without an inner command is reported as a command. */
export function runWrapper(
  shell: ProgramPort,
  call: ShellInvocation,
  name: string,
  specs: readonly WrapperSpec[],
): Output {
  for (const spec of specs) {
    const start = findStart(call.fields, spec)
    if (start < 0) continue
    const options = readOptions(call.fields, spec, start)
    if (spec.queries?.some((query) => options.values.has(query))) break
    const via = spec.after ? `${name} ${spec.after.join(' ')}` : name
    const script = spec.scripts && findOption(call.fields, spec, start)
    if (script) {
      shell.emit(call)
      return shell.runCode(call, script, via, call.scope.copy(), { location: spec.location ?? call.frame.location })
    }
    if (spec.stores) return runStored(shell, call, start, spec.stores, via)
    const inner = findInner(call, spec, options)
    if (!inner || inner.fields.length === 0) break
    if (spec.isCommand) shell.emit(call)
    return runInner(shell, call, inner, spec, options, via)
  }
  shell.emit(call)
  return undefined
}

function runStored(shell: ProgramPort, call: ShellInvocation, start: number, marker: RegExp, via: string): Output {
  shell.emit(call)
  for (const field of call.fields.slice(start)) {
    const match = marker.exec(field.text)
    if (match) shell.runCode({ ...call, input: undefined }, cut(field, match[0].length), via, call.scope.copy())
  }
  return undefined
}

// The index where options begin: after the subcommand.
function findStart(fields: readonly Field[], spec: WrapperSpec): number {
  if (!spec.after) return 1
  const at = fields.findIndex((field, index) => index > 0 && !field.text.startsWith('-'))
  const isThere = at > 0 && spec.after.every((word, index) => fields[at + index]?.text === word)
  return isThere ? at + spec.after.length : -1
}

function findOption(fields: readonly Field[], spec: WrapperSpec, start: number): Field | undefined {
  const mixed = readMixed([...fields.slice(start - 1)], spec)
  for (const name of spec.scripts ?? []) {
    const value = mixed.values.get(name)
    if (value) return value
  }
  return undefined
}

interface Inner {
  readonly fields: readonly Field[]
  readonly env: ReadonlyMap<string, Word>
}

function findInner(call: ShellInvocation, spec: WrapperSpec, options: Options): Inner | undefined {
  const { fields } = call
  if (spec.needsDashes) {
    const dashes = fields.findIndex((field) => field.text === '--')
    return dashes < 0 ? undefined : { fields: fields.slice(dashes + 1), env: call.env }
  }
  let at = options.rest + (spec.operands ?? 0)
  // Options may come between the operands and the command, as in `flock file -c`.
  if (fields[at]?.text === '--') at++
  if (!spec.hasAssignments) return { fields: fields.slice(at), env: call.env }
  const { env, next } = takeAssignments(call, at)
  return { fields: fields.slice(next), env }
}

/** `NAME=value` words before a command. */
function takeAssignments(
  call: ShellInvocation,
  from: number,
): { readonly env: ReadonlyMap<string, Word>; readonly next: number } {
  let env: Map<string, Word> | undefined
  let next = from
  for (; next < call.fields.length; next++) {
    const field = call.fields[next]
    const name = field && /^([A-Za-z_]\w*)=/.exec(field.text)?.[1]
    if (!field || !name) break
    env ??= new Map(call.env)
    env.set(name, { ...makeField(field.text.slice(name.length + 1), field.span, field.isKnown) })
  }
  return { env: env ?? call.env, next }
}

function runInner(
  shell: ProgramPort,
  call: ShellInvocation,
  inner: Inner,
  spec: WrapperSpec,
  options: Options,
  via: string,
): Output {
  const frame = { location: spec.location ?? call.frame.location }
  const [first] = inner.fields
  for (const [name, word] of inner.env) if (!call.env.has(name)) shell.noteAssigned(name, word)
  if (spec.isScript && first) return shell.runCode(call, joinWords(inner.fields), via, call.scope.copy(), frame)
  const folder = spec.folder?.map((name) => options.values.get(name)).find((value) => value !== undefined)
  const scope = folder || spec.location ? call.scope.copy() : call.scope
  if (folder) scope.cwd = folder.isKnown && folder.text.startsWith('/') ? folder.text : undefined
  else if (spec.location) scope.cwd = undefined
  const written = spec.output?.map((name) => options.values.get(name)).find((value) => value !== undefined)
  const redirects = written ? [...call.redirects, { operator: '>', target: written }] : call.redirects
  const unwrapped = unwrap(call, inner.fields, via, frame)
  return shell.runCall({ ...unwrapped, env: withVariables(inner.env, scope), scope, redirects })
}

function withVariables(env: ReadonlyMap<string, Word>, scope: ShellInvocation['scope']): ReadonlyMap<string, Word> {
  for (const [name, word] of env) if (!scope.get(name)) scope.set(name, { text: word.text, isKnown: word.isKnown })
  return env
}

function joinWords(fields: readonly Field[]): Field {
  const [first] = fields
  if (first && fields.length === 1) return first
  return {
    ...makeField(
      fields.map((field) => field.text).join(' '),
      first?.span ?? { start: 0, end: 0 },
      fields.every((field) => field.isKnown),
    ),
    from: fields.flatMap((field) => field.from ?? []),
  }
}

const ENV_SPEC: WrapperSpec = {
  short: 'uCSaP',
  long: ['unset', 'chdir', 'split-string', 'argv0'],
  hasAssignments: true,
  folder: ['C', 'chdir'],
}

// `env -S 'words'` splits a text into words, as a shell does with quotes but without expansions.
function runEnv(shell: ProgramPort, call: ShellInvocation): Output {
  const options = readOptions(call.fields, ENV_SPEC)
  const split = options.values.get('S') ?? options.values.get('split-string')
  // A single dash means `-i`.
  if (!split && call.fields[options.rest]?.text === '-')
    return runWrapper(shell, { ...call, fields: call.fields.toSpliced(options.rest, 1) }, 'env -i', [ENV_SPEC])
  if (!split) return runWrapper(shell, call, envName(options), [ENV_SPEC])
  const rest = call.fields.slice(options.rest).map((field) => field.text)
  return shell.runCode(call, { ...split, text: [split.text, ...rest].join(' ') }, 'env -S', call.scope.copy())
}

// Rules also check variables that are removed from the environment.
function envName({ values }: Options): string {
  if (values.has('i') || values.has('ignore-environment')) return 'env -i'
  const unset = values.get('u') ?? values.get('unset')
  return unset === undefined ? 'env' : `env -u ${unset.text}`
}

// `su - user -c script`; runuser also `-u user command`.
function runSwitchUser(shell: ProgramPort, call: ShellInvocation, name: string): Output {
  const mixed = readMixed(call.fields, {
    short: 'cgGsuwC',
    long: ['command', 'session-command', 'group', 'supp-group', 'shell', 'user', 'whitelist-environment'],
  })
  const code = mixed.values.get('c') ?? mixed.values.get('command') ?? mixed.values.get('session-command')
  if (code) return shell.runCode(call, code, `${name} -c`, call.scope.copy())
  if (name === 'runuser' && mixed.values.has('u')) {
    return runWrapper(shell, call, name, [{ short: 'ugG', long: ['user', 'group', 'supp-group'] }])
  }
  shell.emit(call)
  return undefined
}
