// Classifies code of another language: the one entry for code on a command line, in a tool's arguments and in files.

import type { Span } from './assessment.ts'
import { translateCode } from './code/translate-code.ts'
import type { ClassifyContext } from './findings.ts'
import type { Rule, TestResult } from './rule.ts'
import { findShellTextsInCode } from './rules/interpreters.ts'
import { spanInCode, spanOfText } from './scan-code.ts'
import type { Snippet } from './shell/execution.ts'
import { translateWindowsCode } from './windows/translate.ts'

/** A shell text that code runs. */
interface ShellTextInCode {
  readonly text: string
  /** In the analysed text. */
  readonly at: Span
}

/** The findings in a piece of code. */
export interface ClassifiedCode {
  readonly hits: readonly { readonly rule: Rule; readonly hit: TestResult }[]
  /** Shell texts that the code runs, and where. */
  readonly shellTexts: readonly ShellTextInCode[]
}

const MAX_CODE = 100_000

/** Rules that search code by pattern. Where the code is parsed, the rules for shell commands do their work. */
const REPLACED_RULES = new Set([
  'interpreters/delete-tree',
  'interpreters/delete-file',
  'interpreters/secret',
  'interpreters/write-vital',
  'interpreters/sql',
])

const LISTING = /\b(?:os\.walk|listdir|scandir|readdir\w*|iterdir)\s*\(/

/** Applies the rules for the language of the code, and translates it if it may be parsed. */
export function classifyCode(snippet: Snippet, { rulebook, facts }: ClassifyContext, isParsed = true): ClassifiedCode {
  const translated = isParsed ? translateCode(snippet.language, snippet.code) : undefined
  // Names that a folder gives at run time may be any: there the patterns are stricter than `rm "$name"`.
  const isListing = LISTING.test(snippet.code)
  const hits = rulebook
    .forLanguage(snippet.language)
    .filter(({ rule }) => translated === undefined || isListing || !REPLACED_RULES.has(rule.id))
    .map(({ rule, when }) => ({ rule, hit: when.test(snippet, facts) }))
    .filter(({ hit }) => hit !== undefined && hit !== false)
  if (translated !== undefined)
    return {
      hits,
      shellTexts: translated.map(({ text, start, end }) => ({ text, at: spanInCode(snippet, start, end) })),
    }
  const texts = snippet.code.length > MAX_CODE ? [] : findShellTexts(snippet)
  return { hits, shellTexts: texts.map((text) => ({ text, at: spanOfText(snippet, text) })) }
}

function findShellTexts(snippet: Snippet): readonly string[] {
  return snippet.language === 'other' ? translateWindowsCode(snippet.code) : findShellTextsInCode(snippet)
}
