import { needsByImport, walkTests, type TestNeed } from '../test-needs.ts'
import type { Tree } from '../tree.ts'
import type { CheckFinding } from './finding.ts'

/** What the code of a test looks like that uses one of the things which the runner has to provide. */
const uses: readonly { need: TestNeed; pattern: RegExp }[] = [
  { need: 'build', pattern: /bin\/tessera\.mjs'|'examples\/shop\/start\.ts'|browser\/dist\b/ },
  { need: 'postgres', pattern: /\bstartCluster\(/ },
  { need: 'chromium', pattern: /\bchromium\.(launch|connect)\(/ },
  { need: 'openssl', pattern: /'openssl',/ },
  { need: 'strace', pattern: /'strace',/ },
  { need: 'nginx', pattern: /'nginx',/ },
  { need: 'faketime', pattern: /\bfindFaketimeLibrary\(\)/ },
]

/**
 * A check: the test runner knows what each test needs. A test that starts the service, a database, a browser or another program says so by
 * the fixture that it imports (the table in tools/test-needs.ts) or in its first lines (`// needs: strace`).
 */
export function checkTestNeeds(tree: Tree): CheckFinding[] {
  const lost = Object.keys(needsByImport).filter((path) => !tree.has(path))
  const missing = lost.map((path) => ({ path: 'tools/test-needs.ts', line: 1, text: `names ${path}, which is not there` }))
  return [
    ...missing,
    ...tree.paths.filter((path) => path.endsWith('.test.ts') && !path.startsWith('tools/')).flatMap((path) => checkTest(tree, path)),
  ]
}

function checkTest(tree: Tree, path: string): CheckFinding[] {
  const { needs, visited } = walkTests([path], (file) => (tree.has(file) ? tree.read(file) : null))
  const sources = [...visited].filter((file) => isOfTests(file)).map((file) => withoutComments(tree.read(file)))
  const unsaid = uses.filter(({ need, pattern }) => !needs.includes(need) && sources.some((text) => pattern.test(text)))
  return unsaid.map(({ need }) => ({
    path,
    line: 1,
    text: `uses ${need} and does not say so: write "// needs: ${need}" in its first lines`,
  }))
}

/** Shipped code is given its database and its files; what finds them for a test is a test's own code. */
function isOfTests(path: string): boolean {
  return /\.(test|suite|fixture)\.ts$|^fault\/|^bench\/|^service\/src\/testing\//.test(path)
}

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
}
