// The options with which a built-in hook is created: those of its entry in the profile, and settings of it that have
// another place there.

import type { HookSettings } from '../config/config.ts'

type Options = Readonly<Record<string, unknown>>

/** The settings of a hook that become options. */
export type OptionSettings = Pick<HookSettings, 'enabled' | 'options' | 'messages'>

/** The options of a hook. `find` returns the settings of any hook. */
export function effectiveOptions(name: string, find: (name: string) => OptionSettings): Options | undefined {
  const { options, messages } = find(name)
  if (name !== 'risk-detection') return options
  const own = { ...options, ...(messages !== undefined && { messages }) }
  return { ...readMovedOptions(find('watchdog-pause')), ...own }
}

// Before risk-detection asked for approval, watchdog-pause did: its options still apply where risk-detection has none.
function readMovedOptions({ enabled, options = {} }: OptionSettings): Options {
  if (enabled === false) return {}
  const { ask, askTier, effects } = options
  return {
    ...(askTier !== undefined && { askTier }),
    ...(ask === false && { askTier: null }),
    ...(effects !== undefined && { askEffects: effects }),
  }
}
