import { describe } from 'node:test'

import { withPostgres } from '../../store/postgres/with-store.fixture.ts'
import { withSqlite } from '../../store/sqlite/with-store.fixture.ts'

import { rowSigningSuite } from './sign-rows.suite.ts'

describe('rows from before migration 20 in the embedded store', () => rowSigningSuite(withSqlite))
describe('rows from before migration 20 in PostgreSQL', () => rowSigningSuite(withPostgres))
