import type { Tree } from '../tree.ts'
import type { CheckFinding } from './finding.ts'

const folder = 'service/src/operations/'

/** A check: every operation of the contract has its code, test, vectors and page, and no file is named like an operation that is not in the contract. */
export function checkOperations(tree: Tree, names: readonly string[]): CheckFinding[] {
  return [...names.flatMap((name) => checkOperation(tree, name)), ...listStray(tree, names)]
}

function checkOperation(tree: Tree, name: string): CheckFinding[] {
  if (name.startsWith('operator.')) return checkCode(tree, name, 'operator')
  return name.startsWith('dashboard.') ? checkDashboard(tree, name) : checkPublic(tree, name)
}

function checkPublic(tree: Tree, name: string): CheckFinding[] {
  const files: readonly [path: string, what: string][] = [
    [`${folder}${name}.ts`, 'code'],
    [`${folder}${name}.test.ts`, 'test'],
    [`conformance/vectors/${name}.json`, 'vectors'],
    [`docs/reference/methods/${name}.md`, 'page (npm run docs)'],
  ]
  return files.filter(([path]) => !tree.has(path)).map(([path, what]) => lacks(name, `${what}: ${path}`))
}

/** The conformance runner has no session, so operations of the dashboard have tests and no vectors. */
function checkDashboard(tree: Tree, name: string): CheckFinding[] {
  const isTested = tree.paths.some(
    (path) => path.startsWith(`${folder}dashboard.`) && path.endsWith('.test.ts') && tree.read(path).includes(`'${name}'`),
  )
  return [...checkCode(tree, name, 'dashboard'), ...(isTested ? [] : [lacks(name, `test: ${folder}dashboard.….test.ts`)])]
}

/** Operations of one page of the dashboard share a file, and those of one subject of the operator, which the tests of the command line call. */
function checkCode(tree: Tree, name: string, prefix: 'dashboard' | 'operator'): CheckFinding[] {
  const text = `operation(${camelCase(name)}Contract,`
  const isDefined = tree.paths.some(
    (path) => path.startsWith(`${folder}${prefix}.`) && !path.endsWith('.test.ts') && tree.read(path).includes(text),
  )
  return isDefined ? [] : [lacks(name, `code: ${folder}${prefix}.….ts`)]
}

function lacks(name: string, what: string): CheckFinding {
  return { path: 'contract/src/operations.ts', line: 1, text: `${name} lacks its ${what}` }
}

/** Only names with a dot are wire names. A file of several operations is named `dashboard.<page>` or `operator.<subject>`. */
function listStray(tree: Tree, names: readonly string[]): CheckFinding[] {
  return tree.paths.flatMap((path) => {
    const [, name] =
      /^(?:service\/src\/operations|docs\/reference\/methods)\/([a-z_]+(?:\.[a-zA-Z_]+)+?)(?:\.test)?\.(?:ts|md)$/.exec(path) ?? []
    const isKnown = name === undefined || /\.(test|suite|fixture)$|^(dashboard|operator)\./.test(name) || names.includes(name)
    return isKnown ? [] : [{ path, line: 1, text: `is named like an operation, and contract/src/operations.ts does not define ${name}` }]
  })
}

/** `cards.get_verify_code` → `cardsGetVerifyCode`. */
function camelCase(name: string): string {
  return name.replaceAll(/[._](\w)/g, (_, letter: string) => letter.toUpperCase())
}
