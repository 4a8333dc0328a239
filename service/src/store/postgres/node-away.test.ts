import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'

import { findCard, insertCard } from '../cards.ts'
import { StoreUnavailable } from '../store.ts'
import { sql } from '../statement.ts'
import { makeAuditEntry, makeCard } from '../suite/samples.fixture.ts'
import { postgresFaultOf } from './fault.ts'
import { withPostgres } from './with-store.fixture.ts'

// What Citus reports when one of its nodes is away (src/backend/distributed/connection/remote_commands.c and the executor of version 13), raised by functions and
// triggers of an ordinary PostgreSQL.

const reports: readonly (readonly [code: string, text: string])[] = [
  ['08006', 'connection to the remote node postgres@10.0.0.2:5432 failed with the following error: Connection refused'],
  ['08006', 'could not connect to any active placements'],
  ['08000', 'connection exception'],
  ['57P01', 'terminating connection due to administrator command'],
  ['57P03', 'the database system is starting up'],
  ['57014', 'canceling statement due to user request'],
  ['53300', 'remaining connection slots are reserved'],
  ['XX000', 'server closed the connection unexpectedly'],
  ['XX000', 'connection error: 10.0.0.2:5432'],
  ['XX000', 'failed to execute task 50'],
  ['XX000', 'failure on connection marked as essential: 10.0.0.2:5432'],
]

const raiseRead = sql`select raise_report() as one`

test(
  'a read or a write for which a node of a distributed database is away is refused as unavailable, and another one succeeds',
  withPostgres(async ({ store, raw }) => {
    const [stored, refused] = [makeCard(1), makeCard(2)]
    await store.write(insertCard, { card: stored, audit: makeAuditEntry(stored) })
    for (const [code, text] of reports) {
      await raw(`
        create or replace function raise_report() returns int language plpgsql as $$ begin raise exception '${text}' using errcode = '${code}'; end $$;
        create or replace function refuse_card() returns trigger language plpgsql as
          $$ begin if new.card_id = '${refused.cardId}' then perform raise_report(); end if; return new; end $$;
        create or replace trigger refuse_card before insert on cards for each row execute function refuse_card()`)
      const label = `${code} ${text}`
      await assert.rejects(store.read({ statement: raiseRead, values: [], map: () => null }), StoreUnavailable, label)
      await assert.rejects(store.write(insertCard, { card: refused, audit: makeAuditEntry(refused) }), StoreUnavailable, label)
      assert.deepEqual(await store.read(findCard(stored)), stored, label)
    }
    await raw('drop trigger refuse_card on cards')
    await store.write(insertCard, { card: refused, audit: makeAuditEntry(refused) })
  }),
)

test('an internal error that the connections of Citus report is that of a node, also without a text, and one of the server itself is not', () => {
  const report = (message: string, file: string): pg.DatabaseError =>
    Object.assign(new pg.DatabaseError(message, 0, 'error'), { code: 'XX000', file })
  assert.equal(postgresFaultOf(report('', 'remote_commands.c')), 'unavailable')
  assert.equal(postgresFaultOf(report('cache lookup failed for type 7', 'lsyscache.c')), 'statement')
  assert.equal(postgresFaultOf(report('invalid page in block 3', 'bufmgr.c')), 'damaged')
})
