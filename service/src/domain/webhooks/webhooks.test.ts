import { describe } from 'node:test'

import { withPostgres } from '../../store/postgres/with-store.fixture.ts'
import { withSqlite } from '../../store/sqlite/with-store.fixture.ts'

import { deliverySuite } from './webhooks.suite.ts'

describe('webhooks from the embedded store', () => deliverySuite(withSqlite))
describe('webhooks from PostgreSQL', () => deliverySuite(withPostgres))
