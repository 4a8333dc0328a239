import { describe } from 'node:test'
import { storeSuite } from '../store.suite.ts'
import { withSharedSqlite } from './with-store.fixture.ts'

describe('the embedded store in another thread of the process', () => {
  storeSuite(withSharedSqlite)
})
