import { describe } from 'node:test'

import { withPostgres } from '../../store/postgres/with-store.fixture.ts'
import { withSqlite } from '../../store/sqlite/with-store.fixture.ts'

import { requestFloodSuite } from './request-flood.suite.ts'

describe('a flood of the request log in the embedded store', () => requestFloodSuite(withSqlite))
describe('a flood of the request log in PostgreSQL', () => requestFloodSuite(withPostgres))
