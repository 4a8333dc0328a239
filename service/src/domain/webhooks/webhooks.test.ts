import { describe } from 'node:test'

import { withPostgres } from '../../store/postgres/with-store.fixture.ts'
import { withSqlite } from '../../store/sqlite/with-store.fixture.ts'

import { endpointRecoverySuite } from './endpoint-recovery.suite.ts'
import { deliverySuite } from './webhooks.suite.ts'

describe('webhooks from the embedded store', () => deliverySuite(withSqlite))
describe('webhooks from PostgreSQL', () => deliverySuite(withPostgres))
describe('endpoints that are down, with the embedded store', () => endpointRecoverySuite(withSqlite))
describe('endpoints that are down, with PostgreSQL', () => endpointRecoverySuite(withPostgres))
