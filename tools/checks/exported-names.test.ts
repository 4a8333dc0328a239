import assert from 'node:assert/strict'
import { test } from 'node:test'
import { treeOf } from '../tree.ts'
import { checkExportedNames } from './exported-names.ts'

function judge(texts: Record<string, string>): string[] {
  return checkExportedNames(treeOf(texts)).map(({ path, line }) => `${path}:${line}`)
}

test('a name that two files export is found in the second of them, however it is declared', () => {
  const declarations = [
    'export const x = 1',
    'export function x() {}',
    'export class x {}',
    'export interface x {}',
    'export type x = 1',
    'export enum x {}',
    'export const { y: x } = z',
    'export const [[x]] = z',
  ]
  for (const text of declarations) assert.deepEqual(judge({ 'a.ts': 'export const x = 1', 'b.tsx': `\n${text}` }), ['b.tsx:2'], text)
})

test('an exported name may have two declarations in one file, a local namesake, be re-exported, and be what a test double is called outside', () => {
  const texts = {
    'a.ts': 'export type x = 1; export const x = 1',
    'b.ts': 'const x = 2; export { x as y } from "./a.ts"',
    'c.ts': "export { x } from './a.ts'",
    'd.ts': 'const z = 3; export { z as x }',
  }
  assert.deepEqual(judge(texts), [])
})

test('tests, fixtures and examples export names of their own', () => {
  const paths = ['b.test.ts', 'b.suite.ts', 'b.fixture.ts', 'service/src/testing/b.ts', 'examples/shop/b.ts']
  for (const path of paths) assert.deepEqual(judge({ 'a.ts': 'export const x = 1', [path]: 'export const x = 1' }), [`${path}:1`], path)
})
