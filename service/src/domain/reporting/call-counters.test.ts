import { describe } from 'node:test'

import { withPostgres } from '../../store/postgres/with-store.fixture.ts'
import { withSqlite } from '../../store/sqlite/with-store.fixture.ts'

import { callCountersSuite } from './call-counters.suite.ts'

describe('counters of audit entries in the embedded store', () => callCountersSuite(withSqlite))
describe('counters of audit entries in PostgreSQL', () => callCountersSuite(withPostgres))
