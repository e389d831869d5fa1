// A real terminal for the walk: a tmux session with its own server and a clean environment.

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const WAIT_MS = 90_000
const POLL_MS = 100

/** Opens a terminal of 100 × 30 with a shell in `cwd`. */
export function openTerminal({ folder, cwd, environment }) {
  const socket = join(folder, 'tmux')
  const tmux = (...args) => {
    const { status, stdout, stderr } = spawnSync('tmux', ['-S', socket, ...args], {
      env: environment,
      encoding: 'utf8',
    })
    if (status !== 0) throw new Error(`tmux ${args[0]}: ${stderr}`)
    return stdout
  }
  const shell = 'PS1="$ " exec bash --noprofile --norc -i'
  tmux('-f', '/dev/null', 'new-session', '-d', '-x', '100', '-y', '30', '-c', cwd, shell)
  const screen = () => tmux('capture-pane', '-p').replace(/\s+$/, '')
  return {
    screen,
    /** Types keys as tmux names them: `Enter`, `Escape`, `C-c`. */
    press: (...keys) => tmux('send-keys', ...keys),
    type: (text) => tmux('send-keys', '-l', text),
    /** Empties the screen: the line editor of bash redraws its prompt. */
    clear: () => tmux('send-keys', '-R', 'C-l'),
    /** Waits until the screen shows the pattern. */
    async wait(pattern, limitMs = WAIT_MS) {
      for (let waited = 0; waited < limitMs; waited += POLL_MS) {
        if (pattern.test(screen())) return screen()
        await new Promise((resolve) => setTimeout(resolve, POLL_MS))
      }
      throw new Error(`the screen never showed ${pattern}:\n${screen()}`)
    },
    close: () => spawnSync('tmux', ['-S', socket, 'kill-server'], { env: environment }),
  }
}
