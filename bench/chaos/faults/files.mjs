// Faults of the files in the home.

import { rmSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const EDITS = 10
const EDIT_PAUSE_MS = 150

export const FILE_FAULTS = {
  'socket-removed': { forMs: 3_000, start: ({ socket }) => rmSync(socket, { force: true }) },
  'run-removed': { forMs: 3_000, start: ({ runFolder }) => rmSync(runFolder, { recursive: true, force: true }) },
  'profile-half': {
    forMs: 2_500,
    start: ({ profile, profileText }) => writeFileSync(profile, profileText.slice(0, profileText.length / 2)),
    stop: restoreProfile,
  },
  'profile-edits': {
    forMs: 2_500,
    start: (stage) => editInARow(stage),
    stop: async (stage, edits) => {
      await edits
      restoreProfile(stage)
    },
  },
}

async function editInARow({ profile, profileText }) {
  for (let edit = 1; edit <= EDITS; edit++) {
    const settings = { ...JSON.parse(profileText), hooks: { timeout: 4_000 + edit } }
    writeFileSync(profile, JSON.stringify(settings))
    await sleep(EDIT_PAUSE_MS)
  }
}

function restoreProfile({ profile, profileText }) {
  writeFileSync(profile, profileText)
}
