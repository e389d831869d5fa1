// The entries of `exceptions` in the user's files, as `arc allow` writes them. Their effect is in src/exceptions.

import * as z from 'zod'

const time = z
  .string()
  .refine((text) => !Number.isNaN(Date.parse(text)), 'expected a time such as 2026-01-31T12:00:00.000Z')
const rule = z.string().trim().min(1).max(10_500)

const shared = {
  id: z.int().min(1).max(1_000_000_000).describe('The number for "arc allow remove".'),
  project: z.string().startsWith('/', 'expected an absolute path'),
  reason: z.string().max(1_000).optional(),
  by: z.string().max(200).optional().describe('The user who allowed it.'),
  createdAt: time.optional(),
  expiresAt: time.optional().describe('The end of the exception; absent: until it is removed.'),
}

const exact = z.strictObject({
  ...shared,
  kind: z.literal('exact'),
  rules: z.array(rule).min(1).max(100).describe('The rules whose findings are allowed.'),
  command: z.string().min(1).max(200_000).describe('The command, or the arguments of another tool.'),
  folder: z.string().max(4_000).optional().describe('The working folder in the project; absent: its root.'),
  digest: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'expected a SHA-256 in hex')
    .optional()
    .describe('What is compared where the command alone does not say all of the step.'),
})

const byRule = z.strictObject({
  ...shared,
  kind: z.literal('rule'),
  rule: rule.describe('The rule whose findings are allowed in the project and the folders below it.'),
})

/** One entry of `exceptions` in a file. */
export const exceptionSchema = z.discriminatedUnion('kind', [exact, byRule])

/** The two kinds of entries. */
export type ExactSetting = z.output<typeof exact>
export type RuleSetting = z.output<typeof byRule>

/** The keys of an entry, for suggestions. */
export const EXCEPTION_KEYS = [...new Set([...Object.keys(exact.shape), ...Object.keys(byRule.shape)])]
