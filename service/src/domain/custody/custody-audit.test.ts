import assert from 'node:assert/strict'
import { test } from 'node:test'

import type { AuditEntry } from '../../store/audit.ts'
import type { Store } from '../../store/store.ts'
import { makeHandClock } from '../../testing/clock.fixture.ts'

import { makeCustodyAudit } from './custody-audit.ts'

const by = { actor: 'custodian:aziz', requestId: '', address: '' }

test('while no store is attached the log has each entry with its custodian, and the oldest refusals are left out and counted', async () => {
  const lines: Readonly<Record<string, unknown>>[] = []
  const written: AuditEntry[] = []
  const audit = makeCustodyAudit({ clock: makeHandClock(), log: (_event, fields) => void lines.push(fields) })
  await audit.record(by, { action: 'share.taken', subject: 'SET/1', outcome: 'done' })
  for (let i = 1; i <= 1010; i++) await audit.record(by, { action: 'share.entered', subject: `SET/${String(i)}`, outcome: 'refused' })
  await audit.record(by, { action: 'share.entered', subject: 'SET/2000', outcome: 'done' })
  assert.equal(lines.length, 1012)
  assert.ok(lines.every(({ custodian }) => custodian === 'aziz'))

  const write = (_statement: unknown, { audit: entry }: { audit: AuditEntry }): Promise<void> => Promise.resolve(void written.push(entry))
  await audit.attach({ write } as unknown as Pick<Store, 'write'>)
  const subjects = written.map(({ subject }) => subject)
  assert.equal(subjects.length, 1001)
  assert.deepEqual(subjects.slice(0, 3), ['left out/12', 'SET/1', 'SET/13'])
  assert.equal(subjects.at(-1), 'SET/2000')
  assert.equal(written[0]?.actor, 'system')
})
