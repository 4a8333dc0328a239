import { describe } from 'node:test'

import { withPostgres } from '../store/postgres/with-store.fixture.ts'
import { withSqlite } from '../store/sqlite/with-store.fixture.ts'

import { merchantDeedsSuite } from './deeds.suite.ts'

describe('deeds on merchants in the embedded store', () => merchantDeedsSuite(withSqlite))
describe('deeds on merchants in PostgreSQL', () => merchantDeedsSuite(withPostgres))
