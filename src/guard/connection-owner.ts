// Proves which process is at the other end of a connection on loopback: the process table names the owner of every
// socket. So nobody can claim to be another process than the one that holds the connection.

import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

const LSOF_MS = 5_000

/** A connection as its server sees it. */
export interface LoopbackConnection {
  readonly clientPort: number
  readonly serverPort: number
}

/** Does this process hold the client's end of the connection? False where it cannot be told. */
export function holdsConnection(pid: number, connection: LoopbackConnection): boolean {
  if (process.platform === 'linux') return holdsOnLinux(pid, connection)
  return process.platform === 'win32' ? false : holdsByLsof(pid, connection)
}

function holdsOnLinux(pid: number, { clientPort, serverPort }: LoopbackConnection): boolean {
  try {
    const inodes = ['tcp', 'tcp6'].flatMap((name) => inodesIn(`/proc/net/${name}`, clientPort, serverPort))
    const links = new Set(inodes.map((inode) => `socket:[${inode}]`))
    return links.size > 0 && readdirSync(`/proc/${pid}/fd`).some((fd) => links.has(linkOf(`/proc/${pid}/fd/${fd}`)))
  } catch {
    // The process is gone, or of another user.
    return false
  }
}

// `sl local:port remote:port state tx:rx tr:when retransmits uid timeout inode …`, numbers in hex.
function inodesIn(file: string, clientPort: number, serverPort: number): readonly string[] {
  const rows = textOf(file).split('\n').slice(1)
  return rows.flatMap((row) => {
    const [, local, remote, , , , , , , inode] = row.trim().split(/\s+/)
    const isClient = portOf(local) === clientPort && portOf(remote) === serverPort
    return isClient && inode !== undefined && inode !== '0' ? [inode] : []
  })
}

function portOf(address: string | undefined): number {
  return Number.parseInt(address?.split(':')[1] ?? '', 16)
}

function holdsByLsof(pid: number, { clientPort, serverPort }: LoopbackConnection): boolean {
  try {
    const args = ['-nP', '-a', '-p', String(pid), `-iTCP:${clientPort}`, '-Fn']
    const shown = execFileSync('lsof', args, {
      encoding: 'utf8',
      timeout: LSOF_MS,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    return shown.split('\n').some((line) => line.includes(`:${clientPort}->`) && line.endsWith(`:${serverPort}`))
  } catch {
    // No such connection, or no lsof.
    return false
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // A system without this family of addresses.
    return ''
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    // Closed meanwhile.
    return ''
  }
}
