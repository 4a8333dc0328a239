import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import type { AuditEntry } from './audit.ts'
import { emptyChain, encodeEntry, linkEntry } from './audit-chain.ts'

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
}

test('an entry is encoded as length-prefixed fields, and its link is SHA-256 of 0x00, the previous link and the entry', () => {
  const bytes = encodeEntry('c', 1, sample)
  assert.equal(
    Buffer.from(bytes).toString('hex'),
    [
      '00000001',
      '63',
      '00000008',
      '0000000000000001',
      '00000008',
      '0000018bcfe56800',
      '00000006',
      '73797374656d',
      '0000000c',
      '636172642e63726561746564',
      '00000002',
      '6161',
      '00000002',
      '6262',
      '00000008',
      '0000000000000001',
      '00000002',
      '0102',
      '00000002',
      '6363',
      '00000002',
      'c58d',
    ].join(''),
  )
  const first = linkEntry(emptyChain('c'), sample)
  const wanted = createHash('sha256')
    .update(Buffer.concat([Buffer.alloc(1), Buffer.alloc(32), bytes]))
    .digest()
  assert.deepEqual(first, { ...sample, chain: 'c', seq: 1, hash: new Uint8Array(wanted) })
  assert.equal(linkEntry(first, sample).seq, 2)
})

test('a change of a field, of a field boundary or of the position changes the link', () => {
  const link = (over: Partial<AuditEntry>, chain = 'c'): string =>
    Buffer.from(linkEntry(emptyChain(chain), { ...sample, ...over }).hash).toString('hex')
  const links = [
    link({}),
    link({}, 'd'),
    link({ at: sample.at + 1 }),
    link({ actor: 'systemc', action: 'ard.created' }),
    link({ merchantId: '', subject: 'aabb' }),
    link({ version: 2 }),
    link({ mac: new Uint8Array([1]) }),
    link({ requestId: 'ccō', outcome: '' }),
    Buffer.from(linkEntry({ chain: 'c', seq: 1, hash: new Uint8Array(32) }, sample).hash).toString('hex'),
    Buffer.from(linkEntry({ chain: 'c', seq: 0, hash: new Uint8Array(32).fill(1) }, sample).hash).toString('hex'),
  ]
  assert.equal(new Set(links).size, links.length)
})
