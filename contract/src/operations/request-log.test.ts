import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TSchema } from 'typebox'

import { publicOperations } from '../operations.ts'

interface Shape {
  readonly properties?: Readonly<Record<string, Shape>>
  readonly anyOf?: readonly Shape[]
  readonly patternProperties?: Readonly<Record<string, Shape>>
  readonly type?: string
}

/** Every member that a schema names, `*` for those of a record. */
function pathsOf(shape: Shape, at = ''): string[] {
  if (shape.type === 'null') return []
  if (shape.anyOf !== undefined) return shape.anyOf.flatMap((each) => pathsOf(each, at))
  const named = Object.entries(shape.properties ?? {})
  if (shape.patternProperties !== undefined) return [`${at}.*`]
  if (named.length === 0) return [at]
  return named.flatMap(([name, each]) => pathsOf(each, at === '' ? name : `${at}.${name}`))
}

const withoutPayload = (schema: TSchema): string[] => pathsOf(schema as Shape).filter((path) => path !== '')

test('the request log has a rule for every member of every operation’s params, and for no other', () => {
  for (const [name, { params, requestLog }] of Object.entries(publicOperations)) {
    const listed = Object.keys(requestLog.params)
    assert.deepEqual(listed.toSorted(), [...new Set(withoutPayload(params))].toSorted(), name)
  }
})

test('the request log stores nothing of a secret but its presence', () => {
  const secrets = /(^|\.)(number|expire|code|session|password|pin|cvv)$/
  for (const [name, { requestLog }] of Object.entries(publicOperations)) {
    const { params, result } = requestLog
    for (const [path, keeping] of Object.entries(params)) if (secrets.test(path)) assert.equal(keeping, 'secret', `${name} ${path}`)
    for (const [path, keeping] of [...Object.entries(params), ...Object.entries(result)]) {
      if (/token$/.test(path)) assert.equal(keeping, 'card', `${name} ${path}`)
      if (/phone$/.test(path)) assert.ok(keeping === 'phone' || keeping === 'mask', `${name} ${path}`)
    }
  }
})
