import assert from 'node:assert/strict'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { ESLint } from 'eslint'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const withTypes = new ESLint({ cwd: root })
const plain = new ESLint({ cwd: root, overrideConfigFile: join(root, 'tools/eslint.plain.js') })

/** The rules that a text breaks, linted as if it stood in a file of the vault. */
async function judge(text: string, eslint = withTypes): Promise<(string | null)[]> {
  const [result] = await eslint.lintText(text, { filePath: join(root, 'vault/src/seal.ts') })
  return result?.messages.map(({ ruleId, message }) => ruleId ?? message) ?? ['nothing was linted']
}

test('lint finds a floating promise, an any, a default export, a value import of a type and a line on the console', async () => {
  const planted: [text: string, rule: string][] = [
    ['async function go(): Promise<void> {}\nexport function start(): void {\n  go()\n}\n', '@typescript-eslint/no-floating-promises'],
    ['export const given: any = 1\n', '@typescript-eslint/no-explicit-any'],
    ['export default 1\n', 'no-restricted-syntax'],
    ["import { KeyObject } from 'node:crypto'\nexport type Key = KeyObject\n", '@typescript-eslint/consistent-type-imports'],
    ["export function say(): void {\n  console.log('x')\n}\n", 'no-console'],
    ['export const isNone = (x: unknown): boolean => x == 1\n', 'eqeqeq'],
  ]
  for (const [text, rule] of planted) assert.deepEqual(await judge(text), [rule], text)
})

test('without types, lint finds the same except for what needs types', async () => {
  assert.deepEqual(await judge("export default 1\nimport { KeyObject } from 'node:crypto'\nexport type Key = KeyObject\n", plain), [
    'no-restricted-syntax',
    '@typescript-eslint/consistent-type-imports',
  ])
  assert.deepEqual(await judge('async function go(): Promise<void> {}\nexport function start(): void {\n  go()\n}\n', plain), [])
  const excepted = '// eslint-disable-next-line @typescript-eslint/no-floating-promises -- why\nexport const one = 1\n'
  assert.deepEqual(await judge(excepted, plain), [], 'an exception for types is not reported as unused')
})

test('lint accepts good code', async () => {
  assert.deepEqual(await judge("import type { KeyObject } from 'node:crypto'\nexport type Key = KeyObject\n"), [])
})
