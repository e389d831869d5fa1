// Parsers of Python and JavaScript. They are loaded when the first code is parsed, since most calls have none. Where no
// package can be loaded, the code is searched by pattern instead.

import type { Parser, SyntaxNode } from '@lezer/common'

/** A language with a parser. */
export type ParsedLanguage = 'python' | 'javascript'

const MAX_CODE = 65_536
const parsers = new Map<ParsedLanguage, Parser | undefined>()

/** The tree of the code; undefined without a parser, for long code, and for code that is mostly not of this language. */
export function parseCode(language: ParsedLanguage, code: string): SyntaxNode | undefined {
  if (code.length > MAX_CODE) return undefined
  if (!parsers.has(language)) parsers.set(language, loadParser(language))
  const tree = parsers.get(language)?.parse(code)
  return tree === undefined || isMostlyWrong(tree.topNode, code.length) ? undefined : tree.topNode
}

function loadParser(language: ParsedLanguage): Parser | undefined {
  try {
    const { createRequire } = process.getBuiltinModule('module')
    const { parser } = createRequire(import.meta.url)(`@lezer/${language}`)
    return language === 'javascript' ? parser.configure({ dialect: 'ts' }) : parser
  } catch {
    // No such package, or no Node.
    return undefined
  }
}

// The parsers recover from errors. A text with an error every few words is no code of the language.
function isMostlyWrong(top: SyntaxNode, length: number): boolean {
  let errors = 0
  top.cursor().iterate(({ type }) => {
    if (type.isError) errors++
  })
  return errors > 3 + length / 200
}
