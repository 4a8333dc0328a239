import type { Tree } from '../tree.ts'
import type { CheckFinding } from './finding.ts'

/** A check: what `npm run docs` would print is what lies there, letter for letter, and no page is left of what is gone. */
export function checkPages(tree: Tree, printed: ReadonlyMap<string, string>): CheckFinding[] {
  const findings = [...printed].flatMap(([path, text]) => {
    if (!tree.has(path)) return [{ path, line: 1, text: 'is not printed yet: npm run docs' }]
    const line = firstDifference(tree.read(path), text)
    return line === null ? [] : [{ path, line, text: 'says something else than the code: npm run docs' }]
  })
  const left = tree.paths.filter((path) => path.startsWith('docs/reference/methods/') && !printed.has(path))
  return [...findings, ...left.map((path) => ({ path, line: 1, text: 'is printed from nothing any more: remove it' }))]
}

function firstDifference(one: string, other: string): number | null {
  if (one === other) return null
  const lines = other.split('\n')
  const index = one.split('\n').findIndex((line, at) => line !== lines[at])
  return index < 0 ? lines.length : index + 1
}
