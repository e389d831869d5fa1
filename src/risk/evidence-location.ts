// Where evidence is: in the classified text, or in a file that the text runs. Evidence in a file of the project that
// is unchanged counts less: the project wrote it, and the agent only runs it.

import type { Span, Tier } from './assessment.ts'
import type { Hit } from './rule.ts'
import { findLine, type SourceFile, type SourceFiles } from './shell/source-files.ts'

/** The location of evidence. */
export interface EvidenceLocation {
  /** In the outermost text. */
  readonly span: Span
  /** The text at the location. */
  readonly matched: string
  readonly source?: { readonly file: SourceFile; readonly line: number } | undefined
  /** It is in code of another language. */
  readonly isCode?: boolean | undefined
}

/** A text and the files that it runs; `within` is the location of the text itself in another text. */
export interface LocatedText {
  readonly text: string
  readonly sources: SourceFiles | undefined
  readonly within: EvidenceLocation | undefined
}

/** The location of a span. */
export function findLocation({ text, sources, within }: LocatedText, span: Span): EvidenceLocation {
  const file = span.start > text.length ? sources?.find(span.start) : undefined
  if (sources === undefined || file === undefined) {
    if (within !== undefined) return { ...within, matched: text }
    return { span, matched: text.slice(span.start, span.end) }
  }
  const source = { file, line: findLine(file, span.start) }
  const matched = file.text.slice(span.start - file.base, span.end - file.base)
  return { span: within?.span ?? sources.findCaller(span), matched, source }
}

/** The rating of a hit in a file of the project: at most a flag, and tier 5 asks. */
export function lowerTier(tier: Tier): Pick<Hit, 'tier' | 'isUncertain'> {
  if (tier === 5) return { tier: 4, isUncertain: true }
  return { tier: tier === 4 ? 3 : tier, isUncertain: false }
}

/** The path of a file as people write it: in the project, in the home, or absolute. */
export function showPath(path: string, workspace: string | undefined, home: string): string {
  if (workspace !== undefined && path.startsWith(`${workspace}/`)) return path.slice(workspace.length + 1)
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path
}
