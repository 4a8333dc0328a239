import type { Tree } from '../tree.ts'
import type { CheckFinding } from './finding.ts'

const maxLines = 400

/** Files that may be longer: one table, a license, a log that only grows, vectors, a dashboard, and what a program prints. */
const longFiles: readonly RegExp[] = [
  /^contract\/src\/errors\.ts$/,
  /^LICENSE$/,
  /^CHANGELOG\.md$/,
  /^package-lock\.json$/,
  /^conformance\/vectors\//,
  /^docs\/reference\//,
  /^client\/src\/wire\.ts$/,
  /^client\/printed\//,
  /^service\/src\/store\/migrations\//,
  /^service\/src\/store\/schema\//,
  /^monitoring\/(?:grafana\.json|tessera\.rules\.test\.yml)$/,
]

/** A check: a file has at most 400 lines. */
export function checkSizes(tree: Tree): CheckFinding[] {
  const paths = tree.paths.filter((path) => !longFiles.some((long) => long.test(path)))
  return paths.flatMap((path) => {
    const lines = tree.read(path).split('\n').length - 1
    return lines > maxLines ? [{ path, line: maxLines, text: `has ${lines} lines, and ${maxLines} is the limit: split it` }] : []
  })
}
