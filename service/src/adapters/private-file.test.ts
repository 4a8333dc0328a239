import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isPrivateTo } from './private-file.ts'

const service = { uid: 10001, gid: 10001 }

test('a file that only its owner may read is private, and one that the group or others may read is not', () => {
  for (const mode of [0o600, 0o400, 0o700]) assert.ok(isPrivateTo({ mode, uid: 10001, gid: 10001 }, service))
  for (const mode of [0o640, 0o440, 0o604, 0o660, 0o644])
    assert.ok(!isPrivateTo({ mode, uid: 10001, gid: 10001 }, service), mode.toString(8))
})

test("of root's files the service's own group may read one, and nobody write it", () => {
  assert.ok(isPrivateTo({ mode: 0o440, uid: 0, gid: 10001 }, service))
  assert.ok(isPrivateTo({ mode: 0o640, uid: 0, gid: 10001 }, service))
  for (const mode of [0o660, 0o644, 0o444, 0o450]) assert.ok(!isPrivateTo({ mode, uid: 0, gid: 10001 }, service), mode.toString(8))
  assert.ok(!isPrivateTo({ mode: 0o640, uid: 0, gid: 0 }, service), 'another group')
  assert.ok(!isPrivateTo({ mode: 0o640, uid: 0, gid: 0 }, { uid: 0, gid: 0 }), 'a service of root')
})
