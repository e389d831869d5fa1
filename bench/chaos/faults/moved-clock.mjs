// Loaded before a program: its clock is off by the milliseconds in the file that $ARC_CHAOS_CLOCK names.

import { readFileSync } from 'node:fs'

const LOOK_MS = 50
const file = process.env.ARC_CHAOS_CLOCK
const SystemDate = Date
let offMs = 0

setInterval(() => {
  offMs = Number(readFileSync(file, 'utf8'))
}, LOOK_MS).unref()

globalThis.Date = class extends SystemDate {
  constructor(...args) {
    if (args.length === 0) super(SystemDate.now() + offMs)
    else super(...args)
  }

  static now() {
    return SystemDate.now() + offMs
  }
}
