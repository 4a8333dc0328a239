import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describe, listMembers } from './schema.ts'

test('a nested schema is described member by member, with required members and defaults', () => {
  const card = { type: 'object', required: ['number'], properties: { number: { type: 'string', description: 'PAN.' } } }
  const schema = {
    required: ['card'],
    properties: { card: { anyOf: [card, { type: 'null' }] }, save: { type: 'boolean', default: false } },
  }
  assert.deepEqual(
    listMembers(schema).map(({ path, type, isRequired, meaning }) => [path, type, isRequired, meaning]),
    [
      ['card', 'object or null', true, ''],
      ['card.number', 'string', true, 'PAN.'],
      ['save', 'boolean', false, 'Default: `false`.'],
    ],
  )
})

test('the members of an array are those of its elements', () => {
  const schema = { type: 'array', items: { required: ['id'], properties: { id: { type: 'string' }, tags: { type: 'array', items: {} } } } }
  assert.deepEqual(
    listMembers(schema).map(({ path, type }) => [path, type]),
    [
      ['[].id', 'string'],
      ['[].tags', 'array of anything'],
    ],
  )
})

test('limits of a value are described with its type', () => {
  assert.equal(describe({ type: 'string', maxLength: 64, pattern: '^a$' }), 'string, at most 64 characters, `^a$`')
  assert.equal(describe({ type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER }), 'integer, from 0')
  assert.equal(describe({ anyOf: [{ type: 'array', items: { type: 'string' } }, { const: 'ask' }] }), 'array of string or `"ask"`')
})
