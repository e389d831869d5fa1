// `arc … | head` closes the pipe early: that is the reader's right and no error.

/** Ends the process without a word when nobody reads its output any more. */
export function endWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    process.exit()
  })
}
