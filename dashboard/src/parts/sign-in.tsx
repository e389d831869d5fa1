// How to sign in. The page continues once the login link was opened in this browser.

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
          Run this in a terminal and open the login link in this browser. A link works once, for 5 minutes; the browser
          stays signed in until the daemon stops.
        </p>
        <div>
          <CopyCommand command="arc open" />
        </div>
        <p class="soft">
          For scripts, <code>arc status --json</code> has the link as <code>loginUrl</code>. In a checkout the command
          is <code>./bin/arc</code>.
        </p>
      </div>
    </main>
  )
}
