import { describe } from 'node:test'
import { storeSuite } from '../store.suite.ts'
import { withSqlite } from './with-store.fixture.ts'

describe('the embedded store', () => {
  storeSuite(withSqlite)
})
