// The box: the packed package installed for a fresh account, in its own namespaces, so that every call that passes can really
// be done. Where the system allows no namespaces, the same programs run in a temporary home and nothing is done.

import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { makeTempFolder } from '../temp-folder.ts'
import { HOME } from './attempt.ts'

/** How a command or a hook ended. */
export interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
  /** The host has no hook any more: nothing was asked. */
  readonly isAbsent?: boolean
}

export interface Box {
  /** False where there are no namespaces: then nothing that passed is done. */
  readonly isIsolated: boolean
  /** Does root own the system's programs, as on a real machine? Not in a user namespace. */
  readonly hasRoot: boolean
  /** Runs a shell command as the person. */
  person(command: string): Promise<Ended>
  /** Asks the agent process: see box/agent.mjs. */
  agent<T = Ended>(request: Readonly<Record<string, unknown>>): Promise<T>
  /** The digests of the guarded files, by path. */
  guarded(): Promise<Readonly<Record<string, string>>>
  /** The number of recorded calls, by session. */
  records(): Promise<Readonly<Record<string, number>>>
  /** The approvals that the daemon has, answered ones as well; none where it does not answer. */
  approvals(): Promise<readonly { readonly status: string; readonly step: { readonly session?: string } }[]>
  /** Starts a daemon for the person. */
  serve(): Promise<void>
  /** Ends the agent and starts another one, with or without the variable that names an agent. */
  restartAgent(isMarked: boolean): Promise<void>
  /** The processor time of everything that ran in the box, in seconds. */
  cpu(): Promise<number>
  /** Keeps the home as it is now. */
  save(): Promise<void>
  /** Ends everything that runs, and goes back to the home that was saved. */
  reset(): Promise<void>
  close(): Promise<void>
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const MODULES = join(ROOT, 'node_modules')
// Any id that owns nothing: namespaces made by root would give the agent root's files.
const NOBODY = 54_321
const IS_ROOT = process.getuid?.() === 0
const NAMESPACES = '--mount --pid --fork --ipc --uts --net --kill-child'.split(' ')
// The ways to make them: as root of the machine, and as anybody in a user namespace.
const WAYS = [
  ...(IS_ROOT ? [{ isRoot: true, options: NAMESPACES }] : []),
  { isRoot: false, options: ['--user', '--map-root-user', ...NAMESPACES] },
]

/** Packs the package, installs it and enters the box. */
export async function openBox(): Promise<Box> {
  const stage = makeStage()
  for (const { isRoot, options } of WAYS) {
    const enter = [...options, '/bin/sh', join(stage, 'box/enter.sh'), stage, process.execPath, MODULES]
    const isolated = await connect(
      spawn('unshare', [...enter, ...(isRoot ? [String(NOBODY)] : [])], {
        ...(isRoot ? {} : asNobody()),
        cwd: '/',
        env: { PATH: process.env.PATH },
        stdio: ['pipe', 'pipe', 'pipe'],
      }),
      HOME,
      isRoot,
    )
    if (isolated !== undefined) return isolated
  }
  const home = join(stage, 'home')
  mkdirSync(home)
  cpSync(join(stage, 'prefix'), join(home, '.local'), { recursive: true, verbatimSymlinks: true })
  const env = { BOX_HOME: home, BOX_PRISTINE: join(stage, 'pristine'), BOX_TMPDIR: stage, PATH: process.env.PATH }
  const program = [join(stage, 'box/init.mjs')]
  const open = await connect(
    spawn(process.execPath, program, { cwd: '/', env, stdio: ['pipe', 'pipe', 'pipe'] }),
    home,
    true,
  )
  if (open === undefined) throw new Error('The adversary suite could not start its programs.')
  return open
}

const asNobody = (): object => (IS_ROOT ? { uid: NOBODY, gid: NOBODY } : {})

// The folder that the box is made from: the package laid out as npm does it, and the programs of the box.
function makeStage(): string {
  const stage = makeTempFolder('arc-adversary-')
  const own = join(stage, 'prefix/lib/node_modules/arc-supervisor')
  for (const folder of [own, join(stage, 'prefix/bin'), join(stage, 'root')]) mkdirSync(folder, { recursive: true })
  const packed = execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', stage], {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const [{ filename }] = JSON.parse(packed) as [{ filename: string }]
  execFileSync('tar', ['-xzf', join(stage, filename), '--strip-components=1', '-C', own])
  // The code caches, as after the first calls: each home that is restored would compile again.
  for (const name of readdirSync(join(ROOT, 'dist/cli')).filter((file) => file.endsWith('.cache')))
    cpSync(join(ROOT, 'dist/cli', name), join(own, 'dist/cli', name))
  chmodSync(join(own, 'bin/arc'), 0o755)
  symlinkSync('../lib/node_modules/arc-supervisor/bin/arc', join(stage, 'prefix/bin/arc'))
  symlinkSync(isNamespaced() ? '/opt/node_modules' : MODULES, join(own, 'node_modules'))
  cpSync(fileURLToPath(new URL('box', import.meta.url)), join(stage, 'box'), { recursive: true })
  if (IS_ROOT) execFileSync('chown', ['-R', `${NOBODY}:${NOBODY}`, stage])
  return stage
}

function isNamespaced(): boolean {
  return WAYS.some(
    ({ isRoot, options }) =>
      spawnSync('unshare', [...options, 'true'], { ...(isRoot ? {} : asNobody()), cwd: '/' }).status === 0,
  )
}

interface Answer {
  readonly id: number
  readonly error?: string
}

// Nothing when the program ended before its first answer.
async function connect(child: ChildProcess, home: string, hasRoot: boolean): Promise<Box | undefined> {
  const waiting = new Map<number, (answer: Answer | undefined) => void>()
  let lastId = 0
  let complaint = ''
  const ended = new Promise<void>((resolve) => {
    child.on('error', () => resolve())
    child.on('close', () => resolve())
  }).then(() => {
    for (const settle of waiting.values()) settle(undefined)
  })
  child.stdin?.on('error', () => undefined)
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (complaint += text))
  if (child.stdout) {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const answer = JSON.parse(line.replaceAll(HOME, home)) as Answer
      waiting.get(answer.id)?.(answer)
      waiting.delete(answer.id)
    })
  }
  const ask = async <T>(request: object): Promise<T> => {
    const id = ++lastId
    const answering = new Promise<Answer | undefined>((resolve) => waiting.set(id, resolve))
    child.stdin?.write(`${JSON.stringify({ id, ...request }).replaceAll(HOME, home)}\n`)
    const answer = await answering
    if (answer === undefined) throw new Error(`The box has ended: ${complaint.slice(-2_000)}`)
    if (answer.error !== undefined) throw new Error(`The box failed: ${answer.error}`)
    return answer as T
  }
  try {
    await ask({ op: 'alive' })
  } catch (error) {
    if (process.env.ARC_ADVERSARY_DEBUG) process.stderr.write(`${String(error)}\n`)
    return undefined
  }
  return {
    isIsolated: home === HOME,
    hasRoot,
    person: (command) => ask({ op: 'run', command }),
    agent: (request) => ask({ op: 'agent', ...request }),
    guarded: async () => (await ask<{ files: Record<string, string> }>({ op: 'guarded' })).files,
    records: async () => (await ask<{ counts: Record<string, number> }>({ op: 'records' })).counts,
    approvals: async () => (await ask<{ all: Awaited<ReturnType<Box['approvals']>> }>({ op: 'approvals' })).all,
    serve: () => ask({ op: 'serve' }),
    restartAgent: (isMarked) => ask({ op: 'restart', isMarked }),
    cpu: async () => (await ask<{ seconds: number }>({ op: 'cpu' })).seconds,
    save: () => ask({ op: 'save' }),
    reset: () => ask({ op: 'reset' }),
    close: () => {
      child.stdin?.end()
      return ended
    },
  }
}
