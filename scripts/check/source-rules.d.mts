// The types of source-rules.mjs for the test that proves its rules.
// Kept by hand: the scripts run as they are, without a build.

import type ts from 'typescript'

export interface Problem {
  file: string
  line: number
  message: string
}

export function findProblems(program: ts.Program, root: string, sources?: readonly ts.SourceFile[]): Problem[]
