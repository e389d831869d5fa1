// A table: exempt from the file length limit.
// Containers, their images, volumes and the host below them.

import { type Call, findOption, readCall } from '../call.ts'
import { classifyPathText, isWithin } from '../path-class.ts'
import type { Facts, RulePack, TestResult } from '../rule.ts'
import type { Execution } from '../shell/execution.ts'

const ENGINES = 'docker podman nerdctl'

export const containers: RulePack = {
  name: 'containers',
  about: 'Containers, images, volumes and access to the host.',
  rules: [
    {
      id: 'containers/prune-all',
      effect: 'destructive',
      tier: 4,
      reason: 'Deletes all images, containers or volumes that are not in use, with their data.',
      alternative: 'docker system df lists them. Remove single ones by name.',
      owasp: 'ASI02',
      when: { program: ENGINES, sub: ['system prune|reset', 'volume prune'], test: prunes },
      match: [
        'docker system prune -af',
        'docker volume prune --force',
        'podman system reset -f',
        'docker system prune --volumes',
        'docker volume prune',
      ],
      pass: ['docker system df', 'docker volume ls', 'docker container ls'],
    },
    {
      id: 'containers/prune',
      effect: 'destructive',
      tier: 3,
      reason: 'Deletes images, containers, networks or caches that are not in use.',
      alternative: 'Remove single ones by name.',
      owasp: 'ASI02',
      when: {
        program: ENGINES,
        sub: ['image|container|network|builder|buildx|pod prune'],
        test: (call) => ({ at: call.command.span, isUncertain: findOption(call, ['-a', '--all']) !== undefined }),
      },
      match: ['docker image prune -a', 'docker container prune -f', 'docker builder prune'],
      pass: ['docker images', 'docker image ls'],
    },
    {
      id: 'containers/remove-volume',
      effect: 'destructive',
      tier: 4,
      reason: 'Deletes a volume with its data.',
      alternative: 'Copy the data first (docker run --rm -v name:/data … tar).',
      owasp: 'ASI02',
      when: { program: ENGINES, test: removesVolume },
      match: ['docker volume rm pgdata', 'docker rm -fv db', 'podman volume remove x', 'docker rm --volumes db'],
      pass: ['docker volume ls', 'docker rm web', 'docker run -v x:/y --rm img', 'docker volume inspect rm'],
    },
    {
      id: 'containers/compose-volumes',
      effect: 'destructive',
      tier: 4,
      reason: 'Deletes all volumes of the compose project with their data.',
      alternative: 'docker compose down without -v keeps the volumes.',
      owasp: 'ASI02',
      when: { program: `${ENGINES} docker-compose podman-compose`, test: dropsComposeVolumes },
      match: ['docker compose down -v', 'docker-compose down --volumes', 'docker compose -f x.yml rm -fsv'],
      pass: [
        'docker compose down',
        'docker compose up -d',
        'docker-compose down --remove-orphans',
        'docker compose -p v down',
      ],
    },
    {
      id: 'containers/remove',
      effect: 'destructive',
      tier: 3,
      reason: 'Removes containers or images.',
      owasp: 'ASI02',
      when: {
        program: ENGINES,
        sub: ['rm|rmi|kill', 'image|container|network|pod rm|remove|kill', 'manifest rm'],
        test: (call) => removesMany(call),
      },
      match: ['docker rm -f web', 'docker rmi img', 'docker kill web', 'docker network rm x'],
      pass: ['docker ps', 'docker run --rm img'],
    },
    {
      id: 'containers/cluster',
      effect: 'destructive',
      tier: 4,
      reason: 'Removes a service, stack or node from the cluster.',
      owasp: 'ASI02',
      when: {
        program: 'docker podman',
        sub: ['stack|service|secret|config|node|context|machine rm|remove|down', 'swarm leave', 'machine reset'],
      },
      match: ['docker stack rm app', 'docker service rm web', 'docker swarm leave --force', 'docker secret rm x'],
      pass: ['docker stack ls', 'docker service ls', 'docker secret ls'],
    },
    {
      id: 'containers/host-access',
      effect: 'file-modification',
      tier: 4,
      reason: 'Gives the container access to the host: root folder, container engine or devices.',
      alternative: 'Mount only the folder that is needed, read-only (-v "$PWD/data:/data:ro").',
      owasp: 'ASI03',
      when: { program: ENGINES, sub: 'run|create|exec', test: reachesHost },
      match: [
        'docker run -v /:/host alpine ls /host',
        'docker run --privileged img',
        'docker run --mount type=bind,source=/,target=/h img',
        'docker run -v /var/run/docker.sock:/s img',
        'docker run --pid=host img',
      ],
      pass: ['docker run -v "$PWD:/app" node:20 npm test', 'docker run --rm img', 'docker run -v /tmp/x:/x img'],
    },
    {
      id: 'containers/delete-mounted',
      effect: 'destructive',
      tier: 4,
      reason: 'Deletes a folder of this machine that is mounted into the container.',
      alternative: 'Mount the folder read-only (:ro), or delete files of the container only.',
      owasp: 'ASI02',
      when: { whole: deletesMounted },
      match: [
        'docker run --rm -v /:/host alpine rm -rf /host/home',
        'docker run -v "$PWD:/app" node rm -rf /app',
        'docker run --mount type=bind,src=/data,dst=/d img rm -r /d',
      ],
      pass: [
        'docker run -v "$PWD:/app:ro" node rm -rf /app',
        'docker run --rm img rm -rf /var/cache',
        'docker run -v "$PWD:/app" node rm -rf /app/node_modules',
        'docker run -v "$PWD:/app" node ls /app',
      ],
    },
    {
      id: 'containers/push',
      effect: 'deploy-affecting',
      tier: 3,
      reason: 'Publishes an image.',
      owasp: 'ASI02',
      when: {
        program: `${ENGINES} buildah skopeo crane`,
        test: (call) =>
          call.operands.slice(0, 2).find(({ text }) => text === 'push') ??
          (call.operands[0]?.text === 'buildx' || call.operands[0]?.text === 'build'
            ? findOption(call, ['--push'])?.word
            : undefined),
      },
      match: ['docker push org/app', 'docker compose push', 'docker buildx build --push .'],
      pass: ['docker build .', 'docker pull x'],
    },
    {
      id: 'containers/registry-delete',
      effect: 'destructive',
      tier: 4,
      reason: 'Deletes an image from a registry.',
      owasp: 'ASI02',
      when: { program: 'skopeo crane regctl oras', verb: 'delete' },
      match: ['skopeo delete docker://r/app:1', 'crane delete r/app@sha256:0'],
      pass: ['skopeo inspect docker://r/app', 'crane ls r/app'],
    },
  ],
}

function prunes(call: Call): TestResult {
  const isWide =
    findOption(call, ['--volumes']) !== undefined ||
    call.operands[0]?.text === 'volume' ||
    call.operands[1]?.text === 'reset'
  const isForced = findOption(call, ['-f', '--force']) !== undefined
  return isWide || isForced ? (call.operands[1] ?? true) : { at: call.command.span, isUncertain: true }
}

// `docker rm -f $(docker ps -aq)`: all of them, whatever they are.
function removesMany(call: Call): TestResult {
  const unknown = call.operands.find(({ isKnown }) => !isKnown)
  return unknown === undefined ? true : { at: unknown.span, tier: 4, isUncertain: true }
}

function removesVolume(call: Call): TestResult {
  const [first, second] = call.operands
  if (first?.text === 'volume' && (second?.text === 'rm' || second?.text === 'remove')) return second
  const isRemove = first?.text === 'rm' || (first?.text === 'container' && second?.text === 'rm')
  return isRemove ? findOption(call, ['-v', '--volumes'])?.word : undefined
}

// `-f` is a file before the verb and a switch after it, so what follows the verb is read as it is written.
function dropsComposeVolumes(call: Call): TestResult {
  if (!call.name.includes('-') && call.operands[0]?.text !== 'compose') return undefined
  const { args } = call.command
  const verb = args.findIndex(({ text }) => text === 'down' || text === 'rm')
  if (verb < 0) return undefined
  return args.slice(verb + 1).find(({ text }) => text === '--volumes' || /^-[a-z]*v[a-z]*$/.test(text))
}

const HOST_FOLDERS = [
  '/',
  '/etc',
  '/root',
  '/home',
  '/var',
  '/usr',
  '/boot',
  '/dev',
  '/proc',
  '/sys',
  '/var/run/docker.sock',
  '/run/docker.sock',
  '/run/containerd',
  '/var/run',
  '/run',
]

/** Options that give a container access to the host. */
const HOST_ACCESS: readonly { readonly options: readonly string[]; readonly isHost: (value: string) => boolean }[] = [
  { options: ['--privileged'], isHost: () => true },
  { options: ['--pid', '--userns', '--ipc'], isHost: (value) => value === 'host' },
  { options: ['--cap-add'], isHost: (value) => ['ALL', 'SYS_ADMIN', 'all'].includes(value) },
  { options: ['-v', '--volume'], isHost: (value) => isHostFolder(value.split(':')[0]) },
  { options: ['--mount'], isHost: (value) => isHostFolder(mountSource(value)) },
]

function reachesHost(call: Call): TestResult {
  const found = call.options.find(({ name, value = '' }) =>
    HOST_ACCESS.some(({ options, isHost }) => options.includes(name) && isHost(value)),
  )
  return found && { at: found.word.span, isUncertain: true }
}

function isHostFolder(source: string | undefined): boolean {
  return source !== undefined && HOST_FOLDERS.includes(source.length > 1 ? source.replace(/\/$/, '') : source)
}

function deletesMounted({ commands }: Execution, facts: Facts): TestResult {
  const mounts = commands
    .filter(({ name }) => name !== undefined && ENGINES.split(' ').includes(name))
    .flatMap((command) => readMounts(readCall(command)))
  if (mounts.length === 0) return undefined
  for (const { name, location, args, span } of commands) {
    if (
      name !== 'rm' ||
      location !== 'container' ||
      !args.some(({ text }) => /^-\w*[rR]/.test(text) || text === '--recursive')
    )
      continue
    for (const { text } of args) {
      const mount = mounts.find(({ target }) => isWithin(text, target))
      if (mount === undefined) continue
      const { pathClass } = classifyPathText(mount.source + text.slice(mount.target.length) || '/', mount.cwd, facts)
      if (pathClass !== 'temp' && pathClass !== 'build')
        return { at: span, tier: pathClass === 'root' || pathClass === 'home' ? 5 : 4 }
    }
  }
  return undefined
}

interface Mount {
  readonly source: string
  readonly target: string
  readonly cwd: string | undefined
}

// Folders of this machine that the container may write to; a name without a slash is a volume.
function readMounts(call: Call): Mount[] {
  return call.options.flatMap(({ name, value = '' }) => {
    const isVolume = name === '-v' || name === '--volume'
    if (!isVolume && name !== '--mount') return []
    const parts = value.split(isVolume ? ':' : ',')
    const target = isVolume ? parts[1] : field(parts, ['target=', 'dst=', 'destination='])
    const source = isVolume ? parts[0] : mountSource(value)
    const isReadOnly = isVolume
      ? (parts[2] ?? '').split(',').includes('ro')
      : parts.includes('readonly') || parts.includes('ro')
    if (source === undefined || target === undefined || isReadOnly || !/^[/.~$]/.test(source)) return []
    return [{ source: source === '/' ? '' : source, target, cwd: call.command.cwd }]
  })
}

function field(parts: readonly string[], names: readonly string[]): string | undefined {
  const found = parts.find((part) => names.some((name) => part.startsWith(name)))
  return found?.slice(found.indexOf('=') + 1)
}

function mountSource(value: string): string | undefined {
  const field = value.split(',').find((part) => part.startsWith('source=') || part.startsWith('src='))
  return field?.slice(field.indexOf('=') + 1)
}
