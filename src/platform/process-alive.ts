// Whether a process runs, by its pid alone. A pid is reused later: compare the start time where that matters.

/** Does this process run? A process of another user counts as running. */
export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
