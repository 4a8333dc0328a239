import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { errors } from '@tessera/contract/errors'
import { publicOperations as methods } from '@tessera/contract/operations'
import { printPages } from './pages.ts'
import { printType } from './schema-types.ts'

const text = printPages('0.1.0').get('client/src/wire.ts') ?? ''
const position = { named: new Map(), depth: 0 }

test('the printed types have every method of a server, with whether it mutates, and none of a browser', () => {
  for (const [name, { caller, mutates }] of Object.entries(methods)) {
    assert.equal(text.includes(`  '${name}': { mutates: ${String(mutates)} },`), caller !== 'browser', name)
    assert.equal(text.includes(`  '${name}': {\n`), caller !== 'browser', name)
  }
})

test('the printed types have every reason', () => {
  for (const { reason } of Object.values(errors)) assert.ok(text.includes(`'${reason}',`), reason)
})

test('the printed types import only the parts of the contract that do without the schema library', () => {
  assert.doesNotMatch(text, /^import |import\(/m)
  const modules = [...text.matchAll(/ from '(.+)'$/gm)].map(([, name = '']) => name)
  assert.deepEqual(modules, ['@tessera/contract/receipt', '@tessera/contract/event'])
  for (const name of modules) assert.doesNotMatch(readFileSync(fileURLToPath(import.meta.resolve(name)), 'utf8'), /^import /m, name)
})

test('a schema is printed as the type of its values', () => {
  const of = (schema: object): string => printType(schema, position)
  assert.equal(of({ type: 'integer' }), 'number')
  assert.equal(of({}), 'unknown')
  assert.equal(of({ anyOf: [{}, { type: 'null' }] }), 'unknown')
  assert.equal(of({ const: 'ask' }), '"ask"')
  assert.equal(of({ anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'integer' }] }), 'string | number')
  assert.equal(of({ type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'null' }] } }), 'readonly (string | null)[]')
  assert.equal(of({ type: 'object', patternProperties: { '^.*$': { type: 'string' } } }), 'Readonly<Record<string, string>>')
  assert.equal(of({ type: 'object', properties: {} }), 'Readonly<Record<string, unknown>>')
})

test('an optional member may be undefined in params, and is left out in results', () => {
  const schema = { type: 'object', required: ['a'], properties: { a: { type: 'string', description: 'A.' }, b: { type: 'null' } } }
  assert.equal(printType(schema, position), '{\n  /** A. */\n  readonly a: string\n  readonly b?: null\n}')
  assert.match(printType(schema, { ...position, isParams: true }), /readonly b\?: null \| undefined/)
})

test('a named schema is referred to by its name everywhere', () => {
  const card = { type: 'object', properties: {} }
  const named = new Map([[card, 'Card']])
  assert.equal(printType({ type: 'array', items: card }, { named, depth: 0 }), 'readonly Card[]')
  assert.equal(printType({ anyOf: [card, { type: 'null' }] }, { named, depth: 0 }), 'Card | null')
})
