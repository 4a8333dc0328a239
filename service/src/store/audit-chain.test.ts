import assert from 'node:assert/strict'
import { createHash, createHmac } from 'node:crypto'
import { test } from 'node:test'
import type { AuditEntry, AuditRow } from './audit.ts'
import { emptyChain, encodeEntry, linkEntry, makeLinkHash } from './audit-chain.ts'
import { testAuditKey } from './suite/audit-key.fixture.ts'

const sample: AuditEntry = {
  at: 1_700_000_000_000,
  actor: 'system',
  action: 'card.created',
  merchantId: 'aa',
  subject: 'bb',
  version: 1,
  mac: new Uint8Array([1, 2]),
  requestId: 'cc',
  outcome: 'ō',
  address: '::1',
  changes: [{ name: 'n', from: null, to: 'ō' }],
}

const firstFields = [
  ['00000001', '63'],
  ['00000008', '0000000000000001'],
  ['00000008', '0000018bcfe56800'],
  ['00000006', '73797374656d'],
  ['0000000c', '636172642e63726561746564'],
  ['00000002', '6161'],
  ['00000002', '6262'],
  ['00000008', '0000000000000001'],
  ['00000002', '0102'],
  ['00000002', '6363'],
  ['00000002', 'c58d'],
].flat()

test('an entry is encoded as length-prefixed fields, and its link is HMAC-SHA256 of 0x00, the previous link and the entry', () => {
  const first = linkEntry(testAuditKey, emptyChain('c'), sample)
  const bytes = encodeEntry(first)
  const changes = '[["n",null,"ō"]]'
  const last = [
    '00000020',
    Buffer.from('a0'.repeat(16)).toString('hex'),
    '00000003',
    '3a3a31',
    '00000011',
    Buffer.from(changes).toString('hex'),
  ]
  assert.equal(Buffer.from(bytes).toString('hex'), [...firstFields, ...last].join(''))
  const wanted = createHmac('sha256', testAuditKey.key)
    .update(Buffer.concat([Buffer.alloc(1), Buffer.alloc(32), bytes]))
    .digest()
  const { address, changes: _changes, ...entry } = sample
  assert.deepEqual(first, { ...entry, chain: 'c', seq: 1, keyId: 'a0'.repeat(16), address, changes, hash: new Uint8Array(wanted) })
  assert.equal(linkEntry(testAuditKey, first, sample).seq, 2)
})

test('an entry from before the chain was keyed has the hash that it had', () => {
  const row: AuditRow = { ...linkEntry(testAuditKey, emptyChain('c'), sample), keyId: '', address: '', changes: '' }
  const bytes = encodeEntry(row)
  assert.equal(Buffer.from(bytes).toString('hex'), firstFields.join(''))
  const wanted = createHash('sha256')
    .update(Buffer.concat([Buffer.alloc(1), Buffer.alloc(32), bytes]))
    .digest()
  assert.deepEqual(makeLinkHash(null, new Uint8Array(32), row), new Uint8Array(wanted))
})

test('no entry is linked without a key', () => {
  assert.throws(() => linkEntry(null, emptyChain('c'), sample), /no audit key/)
})

test('a change of a field, of a field boundary, of the position or of the key changes the link', () => {
  const link = (over: Partial<AuditEntry>, chain = 'c', head = emptyChain(chain), key = testAuditKey): string =>
    Buffer.from(linkEntry(key, head, { ...sample, ...over }).hash).toString('hex')
  const links = [
    link({}),
    link({}, 'd'),
    link({ at: sample.at + 1 }),
    link({ actor: 'systemc', action: 'ard.created' }),
    link({ merchantId: '', subject: 'aabb' }),
    link({ version: 2 }),
    link({ mac: new Uint8Array([1]) }),
    link({ requestId: 'ccō', outcome: '' }),
    link({ address: '::2' }),
    link({ changes: [] }),
    link({ changes: [{ name: 'n', from: 'ō', to: null }] }),
    link({}, 'c', { chain: 'c', seq: 1, hash: new Uint8Array(32) }),
    link({}, 'c', { chain: 'c', seq: 0, hash: new Uint8Array(32).fill(1) }),
    link({}, 'c', emptyChain('c'), { ...testAuditKey, keyId: 'a1'.repeat(16) }),
  ]
  assert.equal(new Set(links).size, links.length)
})
