// The types of words.mjs for its test. Written by hand: the scripts run without a build.

export interface WordProblem {
  file: string
  line: number
  message: string
}

export function findWordProblems(glossary: string, files: Map<string, string>): WordProblem[]
export function readGlossary(text: string): {
  names: Map<string, string>
  phrases: { phrase: string; pattern: RegExp; say: string }[]
}
