// `arc … | head` closes the pipe early, which is not an error.

/** Exits silently when stdout is closed. */
export function exitOnClosedPipe(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    process.exit()
  })
}
