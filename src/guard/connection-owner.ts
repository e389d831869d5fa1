// Finds the process at the client end of a loopback connection. The kernel lists the owner of every
// socket, so a client cannot claim to be another process.

import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

const LSOF_MS = 5_000

/** A connection as its server sees it. */
export interface LoopbackConnection {
  readonly clientPort: number
  readonly serverPort: number
}

/** Whether this process owns the client end of the connection. False when it is unknown. */
export function holdsConnection(pid: number, connection: LoopbackConnection): boolean {
  if (process.platform === 'linux') return holdsOnLinux(pid, connection)
  return process.platform === 'win32' ? false : holdsByLsof(pid, connection)
}

function holdsOnLinux(pid: number, { clientPort, serverPort }: LoopbackConnection): boolean {
  try {
    const inodes = ['tcp', 'tcp6'].flatMap((name) => listSocketInodes(`/proc/net/${name}`, clientPort, serverPort))
    const links = new Set(inodes.map((inode) => `socket:[${inode}]`))
    return (
      links.size > 0 && readdirSync(`/proc/${pid}/fd`).some((fd) => links.has(readSocketLink(`/proc/${pid}/fd/${fd}`)))
    )
  } catch {
    // The process has ended, or belongs to another user.
    return false
  }
}

// `sl local:port remote:port state tx:rx tr:when retransmits uid timeout inode …`, numbers in hex.
function listSocketInodes(file: string, clientPort: number, serverPort: number): readonly string[] {
  const rows = readProcText(file).split('\n').slice(1)
  return rows.flatMap((row) => {
    const [, local, remote, , , , , , , inode] = row.trim().split(/\s+/)
    const isClient = readPort(local) === clientPort && readPort(remote) === serverPort
    return isClient && inode !== undefined && inode !== '0' ? [inode] : []
  })
}

function readPort(address: string | undefined): number {
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

function readProcText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // The system has no such address family.
    return ''
  }
}

function readSocketLink(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    // Closed in the meantime.
    return ''
  }
}
