// Finds and ends the processes of a round by a variable of the environment that they were started with.

import { readdirSync, readFileSync } from 'node:fs'

/** Those whose environment has this `NAME=value`. Nothing where there is no /proc. */
export function findProcesses(variable) {
  return processIds().flatMap((pid) => {
    if (pid === process.pid || !readProc(pid, 'environ').split('\0').includes(variable)) return []
    const command = readProc(pid, 'cmdline').replaceAll('\0', ' ').trim()
    // A zombie has no command line: it has ended, and its parent has not looked yet.
    return command === '' ? [] : [{ pid, command }]
  })
}

/** Kills them, also those that are stopped. Returns how many there were. */
export function endProcesses(variable) {
  const found = findProcesses(variable)
  for (const { pid } of found) kill(pid)
  return found.length
}

/** Does this process run? A zombie has ended. */
export function isAlive(pid) {
  try {
    process.kill(pid, 0)
  } catch {
    // No such process.
    return false
  }
  return readProc(pid, 'stat') === '' || !/\) Z /.test(readProc(pid, 'stat'))
}

function kill(pid) {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It ended meanwhile.
  }
}

function processIds() {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
  } catch {
    // Another system than Linux.
    return []
  }
}

function readProc(pid, name) {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8')
  } catch {
    // It ended meanwhile, or belongs to another user.
    return ''
  }
}
