// The daemon does not know this browser: how to sign in. The page goes on by itself once the link was opened.

import { CopyCommand } from './copy-command.tsx'
import { Logo } from './icons.tsx'

export function SignIn() {
  return (
    <main class="sign-in" data-state="signed-out">
      <div class="dialog stack">
        <h1 class="row">
          <Logo /> Sign in to ARC
        </h1>
        <p class="soft">
          Print a login link in a terminal and open it in this browser. A link works once, for 5 minutes; the browser
          stays signed in until the daemon ends.
        </p>
        <div>
          <CopyCommand command="arc open" />
        </div>
        <p class="soft">
          For scripts, <code>arc status --json</code> has it as <code>loginUrl</code>. In a checkout the command is{' '}
          <code>./bin/arc</code>.
        </p>
      </div>
    </main>
  )
}
