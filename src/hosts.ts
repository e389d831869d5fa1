// The adapters between coding agents and ARC: `import { readHostPayload } from 'arc-supervisor/hosts'`.

export type { Check, HostFacts } from './hosts/check.ts'
export { diagnose, pathsToDiagnose } from './hosts/diagnose.ts'
export { failureOutcome } from './hosts/failure.ts'
export {
  type AskForm,
  type BlockForm,
  type EditField,
  HOST_NAMES,
  type Host,
  type HostEvent,
  type HostEvents,
  type HostName,
  type HostReply,
  type HostStep,
  isUnreadable,
  type ReplyFacts,
  type Unreadable,
} from './hosts/host.ts'
export { applyChanges, readTexts } from './hosts/install/apply.ts'
export { unifiedDiff } from './hosts/install/diff.ts'
export type { InstallOptions, InstallProblem, InstallTarget, Texts } from './hosts/install/install-file.ts'
export { type FileChange, type InstallPlan, pathsToRead, planInstall, planUninstall } from './hosts/install/plan.ts'
export { findHost, HOSTS, readHostPayload } from './hosts/list.ts'
export { buildEventKey, type CallKey, pairKey } from './hosts/pairing.ts'
export { hostsThatReach } from './hosts/reach.ts'
