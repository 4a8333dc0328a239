import assert from 'node:assert/strict'
import { test } from 'node:test'

import fc from 'fast-check'

import { operations } from './operations.ts'

/** Every pattern of every schema in params: of strings, and of the names of records. */
function collectPatterns(): Map<string, string> {
  const found = new Map<string, string>()
  const visit = (schema: unknown, path: string): void => {
    if (typeof schema !== 'object' || schema === null) return
    for (const [name, value] of Object.entries(schema)) {
      if (name === 'pattern' && typeof value === 'string') found.set(value, path)
      if (name === 'patternProperties') for (const pattern of Object.keys(value as object)) found.set(pattern, path)
      visit(value, `${path}.${name}`)
    }
  }
  for (const [name, { params }] of Object.entries(operations)) visit(params, name)
  return found
}

const breaks = ['\n', '\r', '\r\n', '\u2028', '\u2029', '\u0085', '\v', '\f', '\0']

/** Whether a text with a line break at its beginning, its end or inside of it still matches. */
function acceptsBreak(pattern: string, valid: string): boolean {
  const regex = new RegExp(pattern)
  const places = [0, Math.floor(valid.length / 2), valid.length]
  return breaks.some((text) => places.some((at) => regex.test(valid.slice(0, at) + text + valid.slice(at))))
}

test('every pattern of the contract matches whole texts, and none of them with a line break or a control character', () => {
  const patterns = collectPatterns()
  assert.ok(patterns.size > 12, String(patterns.size))
  for (const [pattern, path] of patterns) {
    assert.ok(pattern.startsWith('^') && pattern.endsWith('$'), `${path}: ${pattern}`)
    for (const valid of fc.sample(fc.stringMatching(new RegExp(pattern)), 30)) {
      assert.ok(new RegExp(pattern).test(valid))
      assert.ok(!acceptsBreak(pattern, valid), `${path}: ${pattern} accepts a line break in ${JSON.stringify(valid)}`)
    }
  }
})

test('the same search finds patterns that let line breaks pass', () => {
  for (const pattern of ['^.{0,64}$|^a\\s*$', '^[^/]{0,64}$', '[0-9]{4}', '^[0-9]+\\s?$'])
    assert.ok(
      fc.sample(fc.stringMatching(new RegExp(pattern)), 30).some((valid) => acceptsBreak(pattern, valid)),
      pattern,
    )
  assert.ok(/^a$/m.test('a\nb') && !/^a$/.test('a\n'))
})
