import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { checkPackage, Package } from '@arethetypeswrong/core'
import { filterProblems } from '@arethetypeswrong/core/problems'

/**
 * What is wrong with how an installed package and its types are resolved, by the rules of arethetypeswrong.github.io, for each entry and each kind
 * of module: types of the wrong kind of module, an entry without types or without a file, a default export that is not there. The old resolution
 * `node10` knows no `exports` and is left out.
 */
export async function listResolutionProblems(folder: string): Promise<string[]> {
  const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { name: string; version: string }
  const files = listPaths(folder).map((path) => [`/node_modules/${name}/${path}`, readFileSync(join(folder, path), 'utf8')] as const)
  const analysis = await checkPackage(new Package(Object.fromEntries(files), name, version))
  if (analysis.types === false) return ['the package has no types']
  const kinds = ['node16-cjs', 'node16-esm', 'bundler'] as const
  const problems = kinds.flatMap((resolutionKind) =>
    filterProblems(analysis, { resolutionKind }).map((problem) => JSON.stringify({ resolutionKind, ...problem })),
  )
  return [...new Set(problems)]
}

function listPaths(folder: string): string[] {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return paths.filter((path) => statSync(join(folder, path)).isFile()).map((path) => path.replaceAll('\\', '/'))
}
