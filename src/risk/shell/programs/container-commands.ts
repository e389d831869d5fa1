// A table: exempt from the file length limit.
// Containers and clusters: the inner command follows the name of the image, container or pod.

import type { CommandLocation } from '../execution.ts'
import { type Field, makeField, type Output } from '../frame.ts'
import type { Program, ProgramPort } from '../interpreter-port.ts'
import { type ShellInvocation, unwrap } from '../invocation.ts'
import { joinCode } from '../nested-code.ts'
import { type OptionSpec, readMixed, readOptions } from './options.ts'

interface ContainerSpec extends OptionSpec {
  /** The words of the subcommand. */
  readonly path: readonly string[]
  /** Operands before the command. */
  readonly operands: number
  /** The option that replaces the program: `--entrypoint`. */
  readonly program?: string
  readonly location?: CommandLocation
  /** The inner command follows `--`. */
  readonly needsDashes?: boolean
  /** Options may follow the operands, as in kubectl. docker passes those to the inner command. */
  readonly hasLateOptions?: boolean
}

const RUN: OptionSpec = {
  short: 'acehlmpuvw',
  long: [
    'add-host',
    'annotation',
    'attach',
    'blkio-weight',
    'cap-add',
    'cap-drop',
    'cgroup-parent',
    'cgroupns',
    'cidfile',
    'cpu-period',
    'cpu-quota',
    'cpu-shares',
    'cpus',
    'cpuset-cpus',
    'cpuset-mems',
    'device',
    'dns',
    'dns-search',
    'domainname',
    'entrypoint',
    'env',
    'env-file',
    'expose',
    'gpus',
    'group-add',
    'health-cmd',
    'hostname',
    'ip',
    'ipc',
    'isolation',
    'label',
    'label-file',
    'link',
    'log-driver',
    'log-opt',
    'mac-address',
    'memory',
    'memory-swap',
    'mount',
    'name',
    'network',
    'net',
    'network-alias',
    'oom-score-adj',
    'pid',
    'pids-limit',
    'platform',
    'publish',
    'pull',
    'restart',
    'runtime',
    'security-opt',
    'shm-size',
    'stop-signal',
    'stop-timeout',
    'storage-opt',
    'sysctl',
    'tmpfs',
    'ulimit',
    'user',
    'userns',
    'uts',
    'volume',
    'volume-driver',
    'volumes-from',
    'workdir',
    'pod',
    'secret',
  ],
}

const EXEC: OptionSpec = { short: 'euw', long: ['env', 'env-file', 'user', 'workdir', 'detach-keys', 'index'] }

const COMPOSE_RUN: OptionSpec = {
  short: 'elpuvw',
  long: ['entrypoint', 'env', 'label', 'name', 'publish', 'user', 'volume', 'workdir'],
}

const DOCKER: readonly ContainerSpec[] = [
  { path: ['compose', 'exec'], operands: 1, ...EXEC },
  { path: ['compose', 'run'], operands: 1, ...COMPOSE_RUN, program: 'entrypoint' },
  { path: ['container', 'exec'], operands: 1, ...EXEC },
  { path: ['container', 'run'], operands: 1, ...RUN, program: 'entrypoint' },
  { path: ['exec'], operands: 1, ...EXEC },
  { path: ['run'], operands: 1, ...RUN, program: 'entrypoint' },
  { path: ['create'], operands: 1, ...RUN, program: 'entrypoint' },
]

const COMPOSE: readonly ContainerSpec[] = [
  { path: ['exec'], operands: 1, ...EXEC },
  { path: ['run'], operands: 1, ...COMPOSE_RUN, program: 'entrypoint' },
]

const KUBECTL: readonly ContainerSpec[] = [
  {
    path: ['exec'],
    operands: 1,
    short: 'cfn',
    long: ['container', 'namespace', 'context', 'filename'],
    hasLateOptions: true,
  },
  { path: ['run'], operands: 1, needsDashes: true },
  { path: ['debug'], operands: 1, needsDashes: true },
]

const FLY: readonly ContainerSpec[] = [
  { path: ['ssh', 'console'], operands: 0, short: 'Ca', long: ['command', 'app'], location: 'remote', program: 'C' },
]

const MANY_HOSTS: OptionSpec = {
  short: 'hHlptoeOxX',
  long: ['hosts', 'host', 'user', 'par', 'timeout', 'outdir', 'errdir', 'options', 'extra-args'],
}

const GLOBAL: OptionSpec = {
  short: 'HcfpnsloL',
  long: [
    'host',
    'context',
    'config',
    'log-level',
    'file',
    'project-name',
    'project-directory',
    'profile',
    'env-file',
    'namespace',
    'kubeconfig',
    'cluster',
    'user',
    'server',
    'token',
    'as',
    'connection',
    'url',
    'root',
    'namespace',
    'address',
  ],
}

const TABLE: Readonly<Record<string, readonly ContainerSpec[]>> = {
  docker: DOCKER,
  podman: DOCKER,
  nerdctl: DOCKER,
  'docker-compose': COMPOSE,
  'podman-compose': COMPOSE,
  kubectl: KUBECTL,
  oc: [...KUBECTL, { path: ['rsh'], operands: 1, short: 'cn' }],
  k: KUBECTL,
  lxc: [{ path: ['exec'], operands: 1, long: ['env', 'cwd', 'user', 'mode'] }],
  incus: [{ path: ['exec'], operands: 1, long: ['env', 'cwd', 'user', 'mode'] }],
  multipass: [{ path: ['exec'], operands: 1, needsDashes: true }],
  limactl: [{ path: ['shell'], operands: 1, long: ['workdir', 'shell'] }],
  wsl: [{ path: [], operands: 0, short: 'due', long: ['distribution', 'user', 'exec', 'cd'], location: 'local' }],
  minikube: [{ path: ['ssh'], operands: 0 }],
  gcloud: [
    {
      path: ['compute', 'ssh'],
      operands: 1,
      long: ['command', 'zone', 'project'],
      location: 'remote',
      program: 'command',
    },
  ],
  fly: FLY,
  flyctl: FLY,
  eb: [{ path: ['ssh'], operands: 1, short: 'cen', long: ['command'], location: 'remote', program: 'c' }],
  colima: [{ path: ['ssh'], operands: 0, short: 'p', long: ['profile'] }],
  devcontainer: [
    {
      path: ['exec'],
      operands: 0,
      long: ['workspace-folder', 'container-id', 'config', 'remote-env', 'id-label', 'docker-path'],
    },
  ],
  // Programs that run one command on many machines.
  pssh: [{ path: [], operands: 0, ...MANY_HOSTS, location: 'remote' }],
  'parallel-ssh': [{ path: [], operands: 0, ...MANY_HOSTS, location: 'remote' }],
  pdsh: [{ path: [], operands: 0, short: 'wxglufRtM', location: 'remote' }],
  clush: [{ path: [], operands: 0, short: 'wxgXlftuO', long: ['hostfile'], location: 'remote' }],
  dsh: [{ path: [], operands: 0, short: 'mgfFonr', long: ['machine', 'group', 'file'], location: 'remote' }],
  et: [{ path: [], operands: 1, short: 'cptu', long: ['command'], location: 'remote', program: 'c' }],
  heroku: [{ path: ['run'], operands: 0, short: 'a', long: ['app', 'remote', 'size'], location: 'remote' }],
  'systemd-nspawn': [{ path: [], operands: 0, short: 'DiuM', long: ['directory', 'image', 'user', 'machine', 'bind'] }],
  // These containers have the home folder of the user.
  toolbox: [{ path: ['run'], operands: 0, short: 'c', long: ['container'], location: 'local' }],
  distrobox: [{ path: ['enter'], operands: 1, needsDashes: true, location: 'local' }],
}

export const CONTAINER_COMMANDS: ReadonlyMap<string, Program> = new Map(
  Object.entries(TABLE).map(([name, entries]): [string, Program] => [
    name,
    (shell, call) => runInContainer(shell, call, name, entries),
  ]),
)

function runInContainer(
  shell: ProgramPort,
  call: ShellInvocation,
  name: string,
  entries: readonly ContainerSpec[],
): Output {
  shell.emit(call)
  for (const entry of entries) {
    const start = findPath(call.fields, entry.path)
    if (start < 0) continue
    const fields = findInner(call, entry, start)
    if (fields.length === 0) return undefined
    const via = [name, ...entry.path].join(' ')
    const scope = call.scope.copy()
    scope.cwd = undefined
    const location = entry.location ?? 'container'
    // A shell of the other machine reads the words as one script, as with ssh.
    if (location === 'remote')
      return shell.runCode({ ...call, input: undefined }, joinCode(fields), via, scope, { location })
    return shell.runCall({ ...unwrap(call, fields, via, { location }), scope })
  }
  return undefined
}

// Global options may come before and between the words of the subcommand.
function findPath(fields: readonly Field[], path: readonly string[]): number {
  let at = 1
  for (const word of path) {
    at = readOptions(fields, GLOBAL, at).rest
    if (fields[at]?.text !== word) return -1
    at++
  }
  return at
}

function findInner(call: ShellInvocation, entry: ContainerSpec, start: number): readonly Field[] {
  const { fields } = call
  if (entry.needsDashes) {
    const dashes = fields.findIndex((field) => field.text === '--')
    return dashes < 0 ? [] : fields.slice(dashes + 1)
  }
  const options = readOptions(fields, entry, start)
  const program = entry.program === undefined ? undefined : readProgram(fields.slice(start - 1), entry)
  let at = options.rest + entry.operands
  if (entry.hasLateOptions) at = readOptions(fields, entry, at).rest
  if (fields[at]?.text === '--') at++
  const inner = fields.slice(at)
  if (program && entry.location === 'remote') return [program]
  return program
    ? [...program.text.split(/\s+/).map((text) => makeField(text, program.span, program.isKnown)), ...inner]
    : inner
}

function readProgram(fields: readonly Field[], entry: ContainerSpec): Field | undefined {
  const { values } = entry.location === 'remote' ? readMixed(fields, entry) : readOptions(fields, entry)
  const value = entry.program === undefined ? undefined : (values.get(entry.program) ?? values.get('command'))
  return value?.text === '' ? undefined : value
}
