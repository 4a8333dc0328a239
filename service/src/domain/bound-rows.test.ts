// time limit: 240 s
import { describe } from 'node:test'

import { withPostgres } from '../store/postgres/with-store.fixture.ts'
import { withSqlite } from '../store/sqlite/with-store.fixture.ts'

import { boundRowsSuite } from './bound-rows.suite.ts'

describe('bound rows in the embedded store', () => boundRowsSuite(withSqlite, 'sqlite'))
describe('bound rows in PostgreSQL', () => boundRowsSuite(withPostgres, 'postgres'))
