import { describe } from 'node:test'

import { withPostgres } from '../../store/postgres/with-store.fixture.ts'
import { withSqlite } from '../../store/sqlite/with-store.fixture.ts'

import { recoveredNetworksSuite } from './recovered-networks.suite.ts'

describe('payments open at a network that responds again, with the embedded store', () => recoveredNetworksSuite(withSqlite))
describe('payments open at a network that responds again, with PostgreSQL', () => recoveredNetworksSuite(withPostgres))
