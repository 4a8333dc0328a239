import type { Tree } from '../tree.ts'
import type { CheckFinding } from './finding.ts'
import { listImports } from './imports.ts'
import { isCode } from './kinds.ts'

/** A check: no file imports itself by way of others; types count too. */
export function checkCircles(tree: Tree): CheckFinding[] {
  const edges = new Map(tree.paths.filter(isCode).map((path) => [path, listTargets(tree, path)]))
  const findings: CheckFinding[] = []
  const done = new Set<string>()
  const walk = (path: string, trail: string[]): void => {
    const from = trail.indexOf(path)
    if (from >= 0) findings.push({ path, line: 1, text: `imports itself: ${[...trail.slice(from), path].join(' → ')}` })
    if (from >= 0 || done.has(path)) return
    for (const target of edges.get(path) ?? []) walk(target, [...trail, path])
    done.add(path)
  }
  for (const path of edges.keys()) walk(path, [])
  return findings
}

function listTargets(tree: Tree, path: string): string[] {
  const targets = listImports(tree, path).map(({ target }) => target)
  return [...new Set(targets.filter((target) => target !== null && tree.has(target)))] as string[]
}
