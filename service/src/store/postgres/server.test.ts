import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseServerSettings } from './server.ts'

const sound = { standby: 0, fsync: 'on', full_page_writes: 'on', synchronous_commit: 'on', synchronous_standby_names: '' }

test('a commit survives the loss of its machine only when it waits for a standby', () => {
  const durabilityWith = (over: object): string => parseServerSettings({ ...sound, ...over }, false).durability
  assert.equal(durabilityWith({}), 'local')
  assert.equal(durabilityWith({ synchronous_standby_names: 'ANY 1 (b, c)' }), 'replicated')
  assert.equal(durabilityWith({ synchronous_standby_names: 'ANY 1 (b, c)', synchronous_commit: 'remote_write' }), 'replicated')
  assert.equal(durabilityWith({ synchronous_standby_names: 'ANY 1 (b, c)', synchronous_commit: 'local' }), 'local')
})

test('synchronous_commit is made stronger, never weaker', () => {
  for (const [configured, expected] of [
    ['off', 'on'],
    ['local', 'local'],
    ['remote_write', 'remote_write'],
    ['on', 'on'],
    ['remote_apply', 'remote_apply'],
  ]) {
    assert.equal(parseServerSettings({ ...sound, synchronous_commit: configured! }, false).commit, expected)
  }
})

test('a standby accepts no writes, and a server that may lose acknowledged commits is accepted only by tests', () => {
  assert.throws(() => parseServerSettings({ ...sound, standby: 1 }, true), /standby/)
  for (const setting of ['fsync', 'full_page_writes']) {
    assert.throws(() => parseServerSettings({ ...sound, [setting]: 'off' }, false), /fsync and full_page_writes have to be on/)
    assert.equal(parseServerSettings({ ...sound, [setting]: 'off' }, true).commit, 'on')
  }
})
