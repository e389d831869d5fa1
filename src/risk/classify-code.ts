// Classifies code of another language: the one entry for code on a command line, in a tool's arguments and in files.

import type { ClassifyContext } from './findings.ts'
import type { Rule, TestResult } from './rule.ts'
import { findShellTextsInCode } from './rules/interpreters.ts'
import type { Snippet } from './shell/execution.ts'
import { translateWindowsCode } from './windows-commands.ts'

/** The findings in a piece of code. */
export interface ClassifiedCode {
  readonly hits: readonly { readonly rule: Rule; readonly hit: TestResult }[]
  /** Shell texts that the code runs. */
  readonly shellTexts: readonly string[]
}

const MAX_CODE = 100_000

/** Applies the rules for the language of the code. */
export function classifyCode(snippet: Snippet, { rulebook, facts }: ClassifyContext): ClassifiedCode {
  const hits = rulebook
    .forLanguage(snippet.language)
    .map(({ rule, when }) => ({ rule, hit: when.test(snippet, facts) }))
    .filter(({ hit }) => hit !== undefined && hit !== false)
  return { hits, shellTexts: snippet.code.length > MAX_CODE ? [] : findShellTexts(snippet) }
}

function findShellTexts(snippet: Snippet): readonly string[] {
  return snippet.language === 'other' ? translateWindowsCode(snippet.code) : findShellTextsInCode(snippet)
}
