// time limit: 300 s
import { describe } from 'node:test'

import { withPostgres } from '../../store/postgres/with-store.fixture.ts'
import { withSqlite } from '../../store/sqlite/with-store.fixture.ts'

import { requestLogSuite } from './request-log.suite.ts'

describe('the request log of the embedded store', () => requestLogSuite(withSqlite))
describe('the request log in PostgreSQL', () => requestLogSuite((test) => withPostgres(test)))
