// Tells whether a process still runs, so that what a killed one left behind can be told from work under way.
// Runs before anything is installed: it must not import a dependency.

export function isAlive(pid) {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // EPERM: the process is there but belongs to another user.
    return error.code === 'EPERM'
  }
}
