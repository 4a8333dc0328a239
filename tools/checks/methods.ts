import type { Tree } from '../tree.ts'
import type { Finding } from './finding.ts'

/** A check: a method that is said is also done, proved, pinned by vectors and described; and nothing of that kind lies without a method. */
export function checkMethods(tree: Tree, names: readonly string[]): Finding[] {
  return [...names.flatMap((name) => listMissing(tree, name)), ...listStray(tree, names)]
}

/** The conformance runner speaks X-Auth: a method of the dashboard is proved by the tests of its noun. */
function filesOf(name: string): [path: string, what: string][] {
  const [door, noun = ''] = name.split('.')
  if (door === 'dashboard')
    return [
      [`service/src/methods/${name}.ts`, 'what it does'],
      [`service/src/methods/dashboard.${noun}.test.ts`, 'the test of its noun'],
    ]
  return [
    [`service/src/methods/${name}.ts`, 'what it does'],
    [`service/src/methods/${name}.test.ts`, 'its test'],
    [`conformance/vectors/${name}.json`, 'its vectors'],
    [`docs/reference/methods/${name}.md`, 'its page (npm run docs)'],
  ]
}

function listMissing(tree: Tree, name: string): Finding[] {
  const missing = filesOf(name).filter(([path]) => !tree.has(path))
  return missing.map(([path, what]) => ({ path: 'contract/src/methods.ts', line: 1, text: `${name} lacks ${what}: ${path}` }))
}

/** Only names with a dot are wire names: the grid and the types beside the methods are not. */
function listStray(tree: Tree, names: readonly string[]): Finding[] {
  return tree.paths.flatMap((path) => {
    const [, name] =
      /^(?:service\/src\/methods|docs\/reference\/methods)\/([a-z_]+(?:\.[a-zA-Z_]+)+?)(?:\.test)?\.(?:ts|md)$/.exec(path) ?? []
    if (name === undefined || isBeside(name) || names.includes(name) || names.some((each) => each.startsWith(`${name}.`))) return []
    return [{ path, line: 1, text: `is named like a method, and contract/src/methods.ts has no ${name}` }]
  })
}

function isBeside(name: string): boolean {
  return /\.(test|suite|fixture)$/.test(name)
}
