// time limit: 240 s
import assert from 'node:assert/strict'
import { test } from 'node:test'

import { withPostgres } from '../store/postgres/with-store.fixture.ts'

import { fallEverywhere } from './crash.suite.ts'
import { endpointDeeds } from './endpoint-crash.suite.ts'
import { endpointSuite, openShopping, type WithShopping } from './endpoint.suite.ts'

const onPostgres: WithShopping = (run) =>
  withPostgres(async ({ store }) => {
    const shopping = await openShopping(store)
    try {
      await run(shopping)
    } finally {
      await shopping.close()
    }
  })

endpointSuite(onPostgres)

test(
  'on PostgreSQL, whatever write the program falls at, receipt, ledger and merchant agree in the end',
  onPostgres(async (shopping) => {
    for (const deed of endpointDeeds(shopping).slice(0, 3)) assert.ok((await fallEverywhere(shopping.house, deed, 'none')) >= 4, deed.name)
  }),
)
