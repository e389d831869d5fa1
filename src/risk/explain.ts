// Formats an assessment for the terminal: the commands, the evidence with its position, reasons and alternatives.

import type { Assessment, Evidence, Tier } from './assessment.ts'
import { decide } from './decide.ts'
import { analyzeShell } from './shell/analyze.ts'
import type { ShellCommand } from './shell/execution.ts'

/** What each tier means. */
export const TIERS: Readonly<Record<Tier, string>> = {
  1: 'no harm',
  2: 'local changes',
  3: 'recoverable',
  4: 'shared or hard to undo',
  5: 'catastrophe',
}

const MAX_COMMANDS = 20
const MAX_LINE = 200

/**
 * Explains an assessment of a shell text, line by line, without colours.
 *
 *     process.stdout.write(explain(classifyRisk({ tool: 'shell', args: { command: text } }), text))
 */
export function explain(
  assessment: Assessment,
  text: string,
  surroundings = { cwd: '/workspace', home: '/home/user' },
): string {
  const { effect, tier, evidence, isUnknown } = assessment
  const lines = [`${decide(assessment)}: ${effect}, tier ${tier} (${TIERS[tier]})`, '']
  const { commands } = analyzeShell(text, surroundings)
  if (commands.length > 0) lines.push('would run', ...commands.slice(0, MAX_COMMANDS).map(describeCommand))
  if (commands.length > MAX_COMMANDS) lines.push(`  … and ${commands.length - MAX_COMMANDS} more`)
  if (isUnknown) lines.push('  some parts are only known at run time')
  for (const item of evidence) lines.push('', ...describeEvidence(item, text))
  if (evidence.length === 0) lines.push('', 'No rule matches.')
  return `${lines.join('\n')}\n`
}

function describeCommand({ name, args, via, location, isDormant }: ShellCommand): string {
  const words = [
    name ?? '(unknown)',
    ...args.map(({ text }) => (text === '' || /[\s"']/.test(text) ? JSON.stringify(text) : text)),
  ].join(' ')
  const notes = [
    ...(via.length > 0 ? [`via ${via.join(' > ')}`] : []),
    ...(location === 'local' ? [] : [`in a ${location} place`]),
    ...(isDormant ? ['never called'] : []),
  ]
  return `  ${visible(words)}${notes.length > 0 ? `   (${notes.join(', ')})` : ''}`
}

function describeEvidence(
  { rule, tier, effect, span, reason, alternative, isUncertain, owasp }: Evidence,
  text: string,
): string[] {
  const head = `${rule}  ${effect}, tier ${tier}${owasp === undefined ? '' : `, ${owasp}`}${isUncertain ? ', uncertain' : ''}`
  return [
    head,
    ...(span === undefined ? [] : underline(text, span)),
    `  why: ${reason}`,
    ...(alternative === undefined ? [] : [`  safer: ${alternative}`]),
  ]
}

// The line of the text that the span begins in, with ^~~~ below it.
function underline(text: string, { start, end }: { readonly start: number; readonly end: number }): string[] {
  const from = text.lastIndexOf('\n', start - 1) + 1
  const newline = text.indexOf('\n', start)
  const to = newline < 0 ? text.length : newline
  const shift = start - from > MAX_LINE / 2 ? start - MAX_LINE / 2 : from
  const line = visible(text.slice(shift, Math.min(to, shift + MAX_LINE)))
  const length = Math.max(1, Math.min(end, to, shift + MAX_LINE) - start)
  return [`  ${line}`, `  ${' '.repeat(start - shift)}^${'~'.repeat(length - 1)}`]
}

// Control characters would move the cursor: each is shown as one dot, so that the marks stay aligned.
function visible(text: string): string {
  let shown = ''
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0
    shown +=
      code < 32 ||
      (code >= 127 && code < 160) ||
      (code >= 0x202a && code <= 0x202e) ||
      (code >= 0x2066 && code <= 0x2069)
        ? '·'
        : char
  }
  return shown
}
