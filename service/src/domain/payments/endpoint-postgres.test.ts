// time limit: 240 s
import assert from 'node:assert/strict'
import { test } from 'node:test'

import { withPostgres } from '../../store/postgres/with-store.fixture.ts'

import { crashAtEveryWrite } from './crash.suite.ts'
import { endpointCrashScenarios } from './endpoint-crash.suite.ts'
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
  'on PostgreSQL, whichever write the process crashes at, receipt, ledger and merchant agree in the end',
  onPostgres(async (shopping) => {
    for (const scenario of endpointCrashScenarios(shopping).slice(0, 3))
      assert.ok((await crashAtEveryWrite(shopping.app, scenario, 'none')) >= 4, scenario.name)
  }),
)
