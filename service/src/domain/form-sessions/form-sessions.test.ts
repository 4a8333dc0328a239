import { describe } from 'node:test'

import { withPostgres } from '../../store/postgres/with-store.fixture.ts'
import { withSqlite } from '../../store/sqlite/with-store.fixture.ts'

import { formSessionsSuite } from './form-sessions.suite.ts'

describe('form sessions in the embedded store', () => formSessionsSuite(withSqlite))
describe('form sessions in PostgreSQL', () => formSessionsSuite(withPostgres))
