import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { createHttpServer } from '../../server/http/http-server.ts'
import type { WithStore } from '../../store/suite/opened.fixture.ts'
import { defaultConfig } from '../../testing/default-config.fixture.ts'
import { openRaw, post } from '../../testing/raw.fixture.ts'
import { operatorActor } from '../../testing/request-context.fixture.ts'
import { createTestApp } from '../../testing/test-app.fixture.ts'

import { recorderSettings } from './request-recorder.ts'

/** A flood over HTTP in the name of a merchant, whose id is public, while its server calls. */
export function requestFloodSuite(withStore: WithStore): void {
  test(
    'during a flood with a merchant’s public id every call of its server is in the request log, and the rest of the flood is one row',
    withStore(async ({ store }) => {
      const app = await createTestApp({ after }, { store })
      const issued = await app.merchants.administration.create({ name: 'Flooded', settings: {} }, operatorActor)
      assert.ok('merchant' in issued)
      const { id: merchantId, bucket } = issued.merchant.row
      const http = createHttpServer({ handle: app.app.handle })
      const { port } = await http.listen({ port: 0, host: '127.0.0.1' })
      const clients = await Promise.all(Array.from({ length: 6 }, () => openRaw(port)))
      const wrongNumber = JSON.stringify({
        id: 1,
        method: 'cards.create',
        params: { card: { number: '8600069195406312', expire: '0399' } },
      })
      const flood = post('/api', wrongNumber, [`X-Auth: ${merchantId}`]).repeat(20)
      const guesses = post('/api', wrongNumber, [`X-Auth: ${merchantId}:a guess`]).repeat(20)
      const check = JSON.stringify({ id: 1, method: 'receipts.get', params: { id: '0'.repeat(24) } })
      const server = clients[0]
      try {
        const flooding = clients.slice(1).map(async (client, i) => {
          for (let round = 0; round < 10; round++) {
            client.write(i === 0 ? guesses : flood)
            for (let n = 0; n < 20; n++) await client.next()
          }
        })
        for (let n = 0; n < 40; n++) {
          server?.write(post('/api', check, [`X-Auth: ${merchantId}:${issued.password}`]))
          assert.match((await server?.next())?.body ?? '', /receipt_not_found/)
          if (n % 10 === 0) await app.recorder.runOnce(new AbortController().signal)
        }
        await Promise.all(flooding)
      } finally {
        for (const { socket } of clients) socket.destroy()
        await http.close()
      }
      const drops = app.recorder.dropped().filter(({ caller }) => caller === 'browser')
      app.clock.advance(60_000)
      await app.recorder.runOnce(new AbortController().signal)
      const { requests: rows } = await app.requestLists.list({ bucket, merchantId }, { after: null, count: 5000 })
      const stored = (caller: string): number => rows.filter((row) => row.caller === caller && row.lost === 0).length
      const { budgets } = recorderSettings(defaultConfig)
      assert.deepEqual(
        [stored('server'), stored('browser'), stored('unproved')],
        [40, budgets.browser.minuteMax, budgets.unproved.minuteMax],
      )
      const gaps = rows.filter(({ lost }) => lost > 0).map(({ caller, reason, lost }) => [caller, reason, lost])
      assert.deepEqual(gaps.toSorted(), [
        ['browser', 'minute_budget', 800 - budgets.browser.minuteMax],
        ['unproved', 'minute_budget', 200 - budgets.unproved.minuteMax],
      ])
      assert.deepEqual(drops, [{ caller: 'browser', reason: 'minute_budget', count: 800 - budgets.browser.minuteMax }])
      await app.close()
    }),
  )
}
