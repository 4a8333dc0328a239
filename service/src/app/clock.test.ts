import { describe } from 'node:test'

import { withPostgres } from '../store/postgres/with-store.fixture.ts'
import { withSqlite } from '../store/sqlite/with-store.fixture.ts'

import { clockSuite } from './clock.suite.ts'
import { postponedSuite } from './postponed.suite.ts'

describe('the clock with the embedded store', () => clockSuite(withSqlite))
describe('the clock with PostgreSQL', () => clockSuite(withPostgres))
describe('postponed work with the embedded store', () => postponedSuite(withSqlite))
describe('postponed work with PostgreSQL', () => postponedSuite(withPostgres))
