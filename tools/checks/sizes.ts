import type { Tree } from '../tree.ts'
import type { Finding } from './finding.ts'

const linesMax = 400

/** What is longer and right: one table, a licence, vectors, and what a program prints. */
const longFiles: readonly RegExp[] = [
  /^contract\/src\/errors\.ts$/,
  /^LICENSE$/,
  /^package-lock\.json$/,
  /^conformance\/vectors\//,
  /^docs\/reference\//,
  /^client\/src\/wire\.ts$/,
  /^service\/src\/store\/migrations\//,
  /^service\/src\/store\/schema\//,
]

/** A check: a file tells one thing, and so has an end. */
export function checkSizes(tree: Tree): Finding[] {
  const paths = tree.paths.filter((path) => !longFiles.some((long) => long.test(path)))
  return paths.flatMap((path) => {
    const lines = tree.read(path).split('\n').length - 1
    return lines > linesMax ? [{ path, line: linesMax, text: `has ${lines} lines, and ${linesMax} are the most: it tells two things` }] : []
  })
}
