import assert from 'node:assert/strict'
import { test } from 'node:test'

import { makeCallWrites } from './call-writes.ts'

test('the first write of a call ends its place in the queue and is its owner’s, and a write of the service is nobody’s', async () => {
  const calls = makeCallWrites()
  let released = 0
  const place = {
    release() {
      released++
    },
  }
  const owners: (string | null)[] = []
  const operation = async (): Promise<string> => {
    owners.push(calls.writeStarted({ rows: [] }), calls.writeStarted({ audit: { requestId: 'another call' } }))
    assert.equal(released, 0)
    owners.push(calls.writeStarted({ audit: { requestId: 'a call' } }))
    assert.equal(released, 1)
    owners.push(calls.writeStarted({ attempt: { auditIfRight: { requestId: 'a call' } } }))
    return 'done'
  }
  assert.equal(await calls.run('a call', operation, { owner: 'server 1', place }), 'done')
  assert.deepEqual(owners, [null, null, 'server 1', 'server 1'])
  assert.equal(calls.writeStarted({ audit: { requestId: 'a call' } }), null)
})
