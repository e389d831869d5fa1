// The hooks that every pipeline of ARC has: the one place where they are wired in.

export { BUILT_INS } from './builtin/list.ts'
