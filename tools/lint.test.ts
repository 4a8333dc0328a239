import assert from 'node:assert/strict'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { ESLint } from 'eslint'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const eslint = new ESLint({ cwd: root })

/** The rules that a text breaks, linted as if it stood in a file of the vault. */
async function judge(text: string): Promise<(string | null)[]> {
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

test('lint leaves good code in peace', async () => {
  assert.deepEqual(await judge("import type { KeyObject } from 'node:crypto'\nexport type Key = KeyObject\n"), [])
})
