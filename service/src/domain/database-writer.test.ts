import { describe } from 'node:test'

import { withPostgres } from '../store/postgres/with-store.fixture.ts'
import { withSqlite } from '../store/sqlite/with-store.fixture.ts'

import { databaseWriterSuite } from './database-writer.suite.ts'

describe('somebody who writes the embedded store', () => databaseWriterSuite(withSqlite, 'sqlite'))
describe('somebody who writes PostgreSQL', () => databaseWriterSuite(withPostgres, 'postgres'))
