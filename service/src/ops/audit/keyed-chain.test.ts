// time limit: 240 s
import { describe } from 'node:test'

import { withPostgres } from '../../store/postgres/with-store.fixture.ts'
import { withSqlite } from '../../store/sqlite/with-store.fixture.ts'

import { keyedChainSuite } from './keyed-chain.suite.ts'

describe('the keyed audit chain of the embedded store', () => keyedChainSuite(withSqlite, 'sqlite'))
describe('the keyed audit chain on PostgreSQL', () => keyedChainSuite(withPostgres, 'postgres'))
