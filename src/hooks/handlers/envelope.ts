// A step as it is sent out of the process: the envelope, with the names under which older hooks look for things.

import { BUILT_IN_POINTS } from '../../engine/point-names.ts'
import type { Step } from '../../engine/step.ts'

/** The step as plain JSON for programs, servers and models. */
export function buildHookInput(step: Step): object {
  const { tool: tool_name, args: tool_input } = step.data as { readonly tool?: unknown; readonly args?: unknown }
  const { session: session_id, workspace: cwd } = step
  return { ...step.toJSON(), session_id, cwd, hook_event: eventName(step.point), tool_name, tool_input }
}

/** The point as configurations of command hooks write it: `pre_tool_use` rather than `pre:tool`. */
export function eventName(point: string): string {
  const aliases = BUILT_IN_POINTS.points.get(point)?.aliases ?? []
  return aliases.find((alias) => /^[a-z]+(_[a-z]+)+$/.test(alias)) ?? point.replaceAll(':', '_')
}
