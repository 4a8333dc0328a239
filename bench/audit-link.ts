import { createSecretKey } from 'node:crypto'

import type { AuditEntry } from '../service/src/store/audit.ts'
import { emptyChain, linkEntry, makeLinkHash } from '../service/src/store/audit-chain.ts'
import type { Measure, Measurement } from './measurement.ts'

/** The cost of linking one audit entry under a key, in the thread that commits, and without one as before. */
export const auditLink: Measurement = {
  name: 'audit-link',
  question: 'How long does it take to link an audit entry under a key, and how long without one?',
  run({ isQuick }) {
    const count = isQuick ? 5000 : 40_000
    const rounds = isQuick ? 3 : 15
    return Promise.resolve([
      figure('keyed (HMAC-SHA256)', count, rounds, () => {
        let head = emptyChain('bench')
        return () => (head = linkEntry(key, head, entry))
      }),
      figure('without a key (SHA-256)', count, rounds, () => {
        let previous: Uint8Array = emptyChain('bench').hash
        const { address: _address, changes: _changes, ...rest } = entry
        const row = { ...rest, chain: 'bench', keyId: '', address: '', changes: '' }
        let seq = 0
        return () => (previous = makeLinkHash(null, previous, { ...row, seq: ++seq }))
      }),
    ])
  },
}

/** The best round, since other work on the machine only ever adds time. */
function figure(name: string, count: number, rounds: number, start: () => () => unknown): Measure {
  let best = Infinity
  for (let round = 0; round < rounds; round++) {
    const link = start()
    const startedAt = performance.now()
    for (let each = 0; each < count; each++) link()
    best = Math.min(best, ((performance.now() - startedAt) * 1000) / count)
  }
  return { of: 'audit entry', name, value: best, unit: 'µs' }
}

const entry: AuditEntry = {
  at: 1_700_000_000_000,
  actor: 'merchant:65f0c0ffee0000000000cafe',
  action: 'card.created',
  merchantId: '65f0c0ffee0000000000cafe',
  subject: '65f0c0ffee0000000000beef',
  version: 1,
  mac: new Uint8Array(48),
  requestId: '65f0c0ffee0000000000feed',
  outcome: 'saved',
  address: '203.0.113.7',
}

const key = {
  keyId: '0a'.repeat(16),
  purpose: 'audit',
  owner: '',
  epoch: 1,
  createdAt: 0,
  key: createSecretKey(new Uint8Array(32)),
} as const
