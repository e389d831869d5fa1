// Nodes of the trees of Python and JavaScript.

import type { SyntaxNode } from '@lezer/common'

/** The nodes directly below a node. */
export function children(node: SyntaxNode): SyntaxNode[] {
  const found: SyntaxNode[] = []
  for (let child = node.firstChild; child !== null; child = child.nextSibling) found.push(child)
  return found
}

const NO_EXPRESSION =
  /^(?:[^A-Za-z].*|[a-z].*|.*Op|Equals|Arrow|ParamList|TypeDef|TypeAnnotation|ArgList|PropertyName|Comment|LineComment|BlockComment|InterpolationStart|InterpolationEnd|⚠|Body|Spread|FormatConversion|FormatSpec)$/

/** Whether the node is an expression, and not a sign, a keyword or a list of parameters. */
export function isExpression({ name }: SyntaxNode): boolean {
  return !NO_EXPRESSION.test(name)
}
