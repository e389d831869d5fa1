// Whether a process still runs, to distinguish files of a killed process from work in progress.
// Runs before anything is installed: it must not import a dependency.

export function isAlive(pid) {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // EPERM: the process is there but belongs to another user.
    return error.code === 'EPERM'
  }
}
