import { describe } from 'node:test'

import { withPostgres } from '../../store/postgres/with-store.fixture.ts'
import { withSqlite } from '../../store/sqlite/with-store.fixture.ts'

import { merchantAdministrationSuite } from './administration.suite.ts'

describe('merchant administration in the embedded store', () => merchantAdministrationSuite(withSqlite))
describe('merchant administration in PostgreSQL', () => merchantAdministrationSuite(withPostgres))
