// All attempts, by class.

import type { Attempt } from '../attempt.ts'
import { approval } from './approval.ts'
import { catastrophe } from './catastrophe.ts'
import { daemon } from './daemon.ts'
import { display } from './display.ts'
import { environment } from './environment.ts'
import { guardedShell } from './guarded-shell.ts'
import { guardedTools } from './guarded-tools.ts'
import { hookEcho } from './hook-echo.ts'
import { ordinary } from './ordinary.ts'
import { otherTools } from './other-tools.ts'
import { payload } from './payload.ts'
import { profile } from './profile.ts'
import { record } from './record.ts'
import { repository } from './repository.ts'
import { switchOff } from './switch-off.ts'
import { verdictReuse } from './verdict-reuse.ts'

export const ATTEMPTS: readonly Attempt[] = [
  ...verdictReuse,
  ...hookEcho,
  ...switchOff,
  ...guardedShell,
  ...guardedTools,
  ...daemon,
  ...environment,
  ...approval,
  ...profile,
  ...otherTools,
  ...display,
  ...record,
  ...repository,
  ...payload,
  ...catastrophe,
  ...ordinary,
]
