import assert from 'node:assert/strict'
import { test } from 'node:test'

import { type AuditHead, type AuditRow, listAuditEntries, listAuditHeads } from '../../store/audit.ts'
import { emptyChain, makeLinkHash } from '../../store/audit-chain.ts'
import { successPan } from '../../testing/receipts.fixture.ts'
import { createTestApp } from '../../testing/test-app.fixture.ts'

import { makeLinkCheck } from './link-check.ts'

test('an entry is linked under an audit key only; one without a key is none behind the boundary, although anybody can compute its hash', async (t) => {
  const app = await createTestApp(t)
  await app.merchant().createToken(successPan)
  const isLinked = await makeLinkCheck(app.store, app.keyring)
  const [head] = await listAuditHeads(app.store)
  assert.ok(head !== undefined)
  const [first, second] = await app.store.read(listAuditEntries(head.chain, 0, 2))
  assert.ok(first !== undefined && second !== undefined)
  assert.equal(await isLinked(emptyChain(head.chain), first), true)
  assert.equal(await isLinked(first, second), true)
  assert.equal(await isLinked(first, { ...second, version: 9999 }), false)
  assert.equal(await isLinked(emptyChain(head.chain), second), false)
  for (const chain of [head.chain, 'invented']) {
    const before: AuditHead = chain === head.chain ? first : emptyChain(chain)
    const forged: AuditRow = { ...second, chain, seq: before.seq + 1, keyId: '', address: '', changes: '', version: 9999 }
    assert.equal(await isLinked(before, { ...forged, hash: makeLinkHash(null, before.hash, forged) }), false)
  }
})
