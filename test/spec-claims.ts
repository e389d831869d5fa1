// The requirements this version claims to meet, by number: each must have a test whose title begins with its number.
// A number is added here together with the code and tests that make it true, never before.

export const SPEC_CLAIMS = {
  P1: 'Each of the eleven action points allows exactly the aborts and edits of its table; what it does not allow is recorded and left out.',
  P2: 'Lifecycle events are points as well, every known spelling leads to one name, and a misspelt one is refused with the nearest suggestion.',
  P3: 'A point may carry a tool name as its last part, which then acts as a tool matcher.',
  P4: 'A program can add typed points of its own, saying whether they may abort and which fields may change.',
  D1: 'Hooks run by ascending priority, and in order of registration where priorities are equal.',
  D2: 'An applied block stops everything after it, the action included, and post points check their hooks like pre points do.',
  D3: 'Every hook sees the edits made before it; the caller receives the result while its own object stays untouched and prototypes stay safe.',
  D4: 'Injected values and verdict metadata are shared with later hooks and returned in the outcome.',
  D5: 'Each evaluation, a skipped one too, leaves exactly one record; a hook that does not match leaves none.',
  D6: 'Whatever a handler does wrong is contained, treated as its error policy says, and visible.',
  D7: 'Every hook has a time limit with an abort signal; late answers count for nothing and no timer is left over.',
  D8: 'A point takes a limited number of hooks and refuses one more by name and limit.',
  D9: 'Hooks are switched on and off by name, registering gives back its undo, and a name is taken over only on request.',
  D10: 'Swapping the table never changes a dispatch that has already begun.',
  D11: 'A point without hooks costs nothing, and observing never holds up or breaks its caller.',
  D12: 'A hook can be narrowed by tool, path, argument, agent, source, host and tier, and a pattern that cannot work is refused at once.',
  D13: 'What a failed run means is read from one table, every cell of which is tested.',
  H1: 'Function handlers may answer in every accepted form, at once or later, and may be an object that checks and injects.',
  H7: 'The control-word dialect of verdict JSON is understood in full, and an unknown control word is invalid output.',
  M1: 'The four modes form a ladder with log as the default, and warn means advise.',
  M2: 'The lowest of profile, hook and breaker decides the mode in effect, which the evaluation names.',
} as const satisfies Record<string, string>
