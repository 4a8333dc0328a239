import { describe } from 'node:test'

import { withPostgres } from '../../store/postgres/with-store.fixture.ts'
import { withSqlite } from '../../store/sqlite/with-store.fixture.ts'

import { freshnessSuite } from './freshness.suite.ts'

describe('old rows put back in the embedded store', () => freshnessSuite(withSqlite))
describe('old rows put back in PostgreSQL', () => freshnessSuite(withPostgres))
