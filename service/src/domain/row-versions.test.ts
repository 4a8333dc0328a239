import { describe } from 'node:test'

import { withPostgres } from '../store/postgres/with-store.fixture.ts'
import { withSqlite } from '../store/sqlite/with-store.fixture.ts'

import { rowVersionsSuite } from './row-versions.suite.ts'

describe('versions of rows in the embedded store', () => rowVersionsSuite(withSqlite, 'sqlite'))
describe('versions of rows in PostgreSQL', () => rowVersionsSuite(withPostgres, 'postgres'))
