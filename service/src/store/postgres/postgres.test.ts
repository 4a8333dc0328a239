// time limit: 420 s
import { describe } from 'node:test'
import { storeSuite } from '../store.suite.ts'
import { withPostgres } from './with-store.fixture.ts'

describe('the PostgreSQL store', () => {
  storeSuite((test) => withPostgres(test))
})
