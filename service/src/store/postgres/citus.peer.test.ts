// time limit: 1800 s
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import { storeSuite } from '../store.suite.ts'
import { citusServer, withCitus } from './with-store.fixture.ts'

// On the coordinator of a Citus, which is in no package of Debian: TESSERA_TEST_CITUS_URL is its address, of a user who may create schemas. tools/skips.ts says
// that nothing of this runs without one.

const server = citusServer()

test('the store suite runs on Citus', { skip: server === '' }, () => {
  assert.match(server, /^postgres(ql)?:/)
})

if (server !== '') {
  describe('the store on Citus', () => {
    storeSuite((use) => withCitus(use))
  })
}
