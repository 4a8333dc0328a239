import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'

import { StoreLocked } from '../store.ts'

import { migratePostgres } from './migrate.ts'
import type { Session } from './session.ts'

test('a lock that another session does not release is an error that a command can explain, and the transaction is rolled back', async () => {
  for (const code of ['55P03', '42P16']) {
    const executed: string[] = []
    const session: Session = {
      usable: true,
      takeWarning: () => false,
      send: () => assert.fail('not used'),
      sendAtOnce: () => assert.fail('not used'),
      query: () => Promise.reject(Object.assign(new pg.DatabaseError('canceling statement due to lock timeout', 0, 'error'), { code })),
      execute: (text) => Promise.resolve(void executed.push(text)),
      end: () => Promise.resolve(),
      destroy: () => undefined,
    }
    await assert.rejects(migratePostgres(session, 'cards'), (err) => err instanceof StoreLocked === (code === '55P03'))
    assert.equal(executed.at(-1), 'rollback')
  }
})
