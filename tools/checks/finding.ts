import type ts from 'typescript'

/** One violation that a check found, and what to do about it. */
export type CheckFinding = { path: string; line: number; text: string }

/** A finding as one line that editors can jump to. */
export function formatFinding({ path, line, text }: CheckFinding): string {
  return `${path}:${line} ${text}`
}

/** The line, from 1, where a piece of syntax begins. */
export function lineOf(file: ts.SourceFile, node: ts.Node): number {
  return file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1
}
