// The start of `arc`. Answers --version without loading anything else; every command's code loads when it is called.

import { VERSION } from './version.ts'

// `arc … | head` closes the pipe early: that is the reader's right and no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit()
})

const args = process.argv.slice(2)

if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
  process.stdout.write(`${VERSION}\n`)
} else {
  const { runCli } = await import('./commands.ts')
  process.exitCode = await runCli(args)
}
