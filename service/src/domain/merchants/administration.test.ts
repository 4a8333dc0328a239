import { describe } from 'node:test'

import { withPostgres } from '../../store/postgres/with-store.fixture.ts'
import { withSqlite } from '../../store/sqlite/with-store.fixture.ts'

import { merchantDeedsSuite } from './administration.suite.ts'

describe('merchant administration in the embedded store', () => merchantDeedsSuite(withSqlite))
describe('merchant administration in PostgreSQL', () => merchantDeedsSuite(withPostgres))
