import type { Tree } from '../tree.ts'
import type { CheckFinding } from './finding.ts'

/** A check: the printed pages are exactly what `npm run docs` prints, and none is left over. */
export function checkPages(tree: Tree, printed: ReadonlyMap<string, string>): CheckFinding[] {
  const findings = [...printed].flatMap(([path, text]) => {
    if (!tree.has(path)) return [{ path, line: 1, text: 'is not printed yet: npm run docs' }]
    const line = firstDifference(tree.read(path), text)
    return line === null ? [] : [{ path, line, text: 'differs from what the code prints: npm run docs' }]
  })
  const left = tree.paths.filter((path) => path.startsWith('docs/reference/methods/') && !printed.has(path))
  return [...findings, ...left.map((path) => ({ path, line: 1, text: 'is left over, nothing prints it any more: delete it' }))]
}

function firstDifference(one: string, other: string): number | null {
  if (one === other) return null
  const lines = other.split('\n')
  const index = one.split('\n').findIndex((line, at) => line !== lines[at])
  return index < 0 ? lines.length : index + 1
}
