// `arc approvals announce ID`: sends the message about a held step that is due, if there is one. Started in the background
// by processes that end before a message is sent. Sends nothing twice.

import { Approvals } from '../../../approvals/approvals.ts'
import { Announcer } from '../../../daemon/notify/announcer.ts'
import { recordEvent } from '../../../hooks/pipeline-services.ts'
import { systemClock } from '../../../platform/engine-services.ts'
import { arcHome } from '../../../platform/home.ts'
import { newId } from '../../../platform/ids.ts'
import { openStores } from '../../../storage/open-stores.ts'
import { ProfileHome } from '../../../supervisor/profile-home.ts'
import { canonicalize } from '../../../trace/canonical.ts'
import { report } from '../../output.ts'

/** Sends the message that is due for an approval. */
export async function announceApproval(id: string): Promise<number> {
  const profiles = new ProfileHome()
  const { notify: targets } = profiles.load(profiles.active).config
  const { state, trace, close } = openStores(arcHome(), report)
  try {
    const approvals = new Approvals({ state, clock: systemClock, newId, canonicalize })
    const approval = approvals.get(id)
    if (approval === undefined || targets.length === 0) return 0
    const record: Parameters<Announcer['send']>[0]['record'] = (event) =>
      recordEvent(trace, event, { time: Date.now() })
    await new Announcer().send({ approval, approvals, targets, record })
    return 0
  } finally {
    close()
  }
}
