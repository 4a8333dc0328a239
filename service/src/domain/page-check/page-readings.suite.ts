import assert from 'node:assert/strict'
import { test } from 'node:test'

import { listAuditOfSubject } from '../../store/audit.ts'
import { listEvents } from '../../store/outbox.ts'
import { countPageReadings, countPageWatches, listPageWatches } from '../../store/page-watches.ts'
import { pageIdOf } from './page-readings.ts'
import type { WithStore } from '../../store/suite/opened.fixture.ts'
import type { DashboardUser } from '../../testing/dashboard-user.fixture.ts'
import { type CheckedShop, openCheckedShop, sdk } from '../../testing/page-check.fixture.ts'

/** Reading registered pages again by the schedule, on a store. */
export function pageReadingsSuite(withStore: WithStore): void {
  const withShop = (run: (shop: CheckedShop, user: DashboardUser, raw: (text: string) => Promise<unknown>) => Promise<void>) =>
    withStore(async ({ store, raw }) => {
      const shop = await openCheckedShop({ store })
      try {
        await run(shop, await shop.developer(), raw)
      } finally {
        await shop.app.close()
      }
    })
  const day = 86_400_000
  const url = 'https://shop.example/pay'
  const analytics = 'https://stats.example/a.js'
  const page = `<!doctype html>${sdk}<script src="${analytics}"></script>`
  const csp = { 'content-security-policy': "script-src 'nonce-abc' https://form.example" }
  const running = new AbortController().signal
  const read = ({ app }: CheckedShop) => app.pageReadings.runOnce(running)
  // Not through the dashboard, whose sessions end when time passes.
  const check = ({ app }: CheckedShop, user: DashboardUser) =>
    app.pageCheck.run(user, { url }, { userId: user.userId, requestId: '0'.repeat(24), address: '' }, running)
  const watchOf = async ({ app }: CheckedShop, user: DashboardUser) => (await app.pageCheck.list(user))[0]?.watch
  const auditOf = ({ app }: CheckedShop, { merchantId }: DashboardUser) => app.store.read(listAuditOfSubject(merchantId, pageIdOf(url), 9))
  const eventsOf = ({ app }: CheckedShop, { bucket, merchantId }: DashboardUser) =>
    app.store.read(listEvents({ bucket, merchantId, from: 0, count: 20 }))

  test(
    'a page that was checked is read again each day, and a change of a script, a header or the rules is an event and an audit entry, once',
    withShop(async (shop, user) => {
      shop.serve(page, csp)
      shop.serveScript(analytics, 'sha256-one')
      await check(shop, user)
      assert.equal((await watchOf(shop, user))?.state, 'new')
      assert.equal(await read(shop), 1)
      assert.equal((await watchOf(shop, user))?.state, 'unchanged')
      assert.equal(await read(shop), 0, 'it is not due')

      shop.app.clock.advance(day)
      shop.serve(page, { 'content-security-policy': "script-src 'nonce-def' https://form.example" })
      assert.equal(await read(shop), 1)
      assert.deepEqual(await eventsOf(shop, user), [], 'another nonce is no change')

      shop.app.clock.advance(day)
      shop.serve(`${page}<script src="https://evil.example/s.js" integrity="sha384-x"></script><input autocomplete="cc-number">`, {})
      shop.serveScript(analytics, 'sha256-two')
      assert.equal(await read(shop), 1)
      const [event] = await eventsOf(shop, user)
      const body = JSON.parse(event?.body ?? '{}') as { type: string; data: { page: { id: string; address: string; changes: object[] } } }
      assert.deepEqual([body.type, body.data.page.address], ['page.changed', url])
      const changes = [
        { what: 'header', change: 'removed', name: 'content-security-policy' },
        { what: 'rule', change: 'added', name: 'card-input' },
        { what: 'script', change: 'added', name: 'https://evil.example/s.js' },
        { what: 'script', change: 'changed', name: analytics },
      ]
      for (const change of changes)
        assert.ok(JSON.stringify(body.data.page.changes).includes(JSON.stringify(change)), JSON.stringify([change, body]))
      const [entry] = await shop.app.store.read(listAuditOfSubject(user.merchantId, body.data.page.id, 9))
      assert.deepEqual([entry?.action, entry?.actor, entry?.outcome], ['page.changed', 'system', 'has_changed'])

      shop.app.clock.advance(day)
      assert.equal(await read(shop), 1)
      assert.equal((await eventsOf(shop, user)).length, 1, 'once for each change')
      assert.equal((await watchOf(shop, user))?.state, 'changed', 'until somebody looks at it')
      await check(shop, user)
      assert.equal(await read(shop), 1)
      assert.equal((await watchOf(shop, user))?.state, 'unchanged')
    }),
  )

  test(
    'scripts are compared on a page whose source does not show the card form, and the content of one whose integrity value browsers ignore',
    withShop(async (shop, user) => {
      const bundle = '<!doctype html><div id="checkout"></div><script src="https://shop.example/app.js" integrity="md5-x"></script>'
      shop.serve(bundle)
      shop.serveScript('https://shop.example/app.js', 'sha256-one')
      await check(shop, user)
      await read(shop)
      shop.app.clock.advance(day)
      assert.equal(await read(shop), 1)
      assert.deepEqual(await eventsOf(shop, user), [])
      shop.app.clock.advance(day)
      shop.serve(`${bundle}<script src="https://evil.example/s.js" integrity="sha384-x"></script><script>1</script>`)
      shop.serveScript('https://shop.example/app.js', 'sha256-two')
      await read(shop)
      assert.deepEqual(
        (await watchOf(shop, user))?.changes.map(({ change, name }) => `${change} ${name.split(' ')[0] ?? ''}`),
        ['added https://evil.example/s.js', 'changed https://shop.example/app.js', 'added inline'],
      )
      assert.equal((await eventsOf(shop, user)).length, 1)
      assert.equal((await shop.app.pageCheck.scripts(user)).length, 1, 'the inventory has those of the check by a person')
    }),
  )

  test(
    'a page is no longer read once a user has stopped it, what a reading in progress finds is not stored, and the next check by address begins anew',
    withShop(async (shop, user) => {
      shop.serve(page)
      await check(shop, user)
      await read(shop)
      const by = { userId: user.userId, requestId: '0'.repeat(24), address: '' }
      const stop = (stopped: string) => shop.app.pageCheck.stopWatching(user, stopped, by)
      await assert.rejects(stop(`${url}/other`), { entry: 'memberInvalid' })
      shop.app.clock.advance(day)
      let stopping: Promise<void> | null = null as Promise<void> | null
      shop.onFetch(() => void (stopping ??= stop(url)))
      shop.serve(`${page}<script>1</script>`)
      assert.equal(await read(shop), 0)
      await stopping
      assert.equal(await watchOf(shop, user), null)
      assert.deepEqual(await eventsOf(shop, user), [], 'it is nobody who waits for it')
      assert.equal((await shop.app.pageCheck.list(user)).length, 1, 'its last check stays')
      const [entry] = (await shop.app.store.read(listPageWatches(user))).length === 0 ? await auditOf(shop, user) : []
      assert.deepEqual([entry?.action, entry?.actor, entry?.outcome], ['page.watch_ended', `user:${user.userId}`, 'done'])
      await assert.rejects(stop(url), { entry: 'memberInvalid' })
      shop.app.clock.advance(day)
      assert.equal(await read(shop), 0)
      await check(shop, user)
      assert.equal((await watchOf(shop, user))?.state, 'new')
      assert.equal(await read(shop), 1)
    }),
  )

  test(
    'of several processes one reads a page, and another one takes it when that has died',
    withShop(async (shop, user) => {
      shop.serve(page)
      await check(shop, user)
      const counts = await Promise.all([read(shop), read(shop), read(shop)])
      assert.equal(
        counts.reduce((sum, count) => sum + count, 0),
        1,
      )
      shop.app.clock.advance(day)
      const died = new AbortController()
      shop.onFetch(() => died.abort())
      assert.equal(await shop.app.pageReadings.runOnce(died.signal), 0)
      assert.equal(await read(shop), 0, 'it is claimed')
      shop.app.clock.advance(20 * 60_000)
      assert.equal(await read(shop), 1)
    }),
  )

  test(
    'a page that does not respond is tried again and again, is reported once after a week, and is compared with what it was',
    withShop(async (shop, user) => {
      shop.serve(page)
      await check(shop, user)
      await read(shop)
      shop.refuse()
      for (let days = 1; days <= 10; days++) {
        shop.app.clock.advance(day)
        assert.equal(await read(shop), 1)
        assert.equal((await watchOf(shop, user))?.state, 'unreadable')
        assert.equal((await eventsOf(shop, user)).length, days >= 7 ? 1 : 0, String(days))
      }
      assert.deepEqual((await watchOf(shop, user))?.changes, [{ what: 'page', change: 'unreadable', name: '' }])
      shop.serve(`${page}<script>1</script>`)
      shop.app.clock.advance(day)
      await read(shop)
      assert.equal((await eventsOf(shop, user)).length, 2)
    }),
  )

  test(
    'a baseline that somebody wrote into the database is refused with an alarm, and does not keep other pages from their turn',
    withShop(async (shop, user, raw) => {
      shop.serve(page)
      await check(shop, user)
      await read(shop)
      const [watch] = await shop.app.store.read(listPageWatches(user))
      await raw(`update page_watches set baseline = '{"items":{},"scripts":0}', due_at = 1 where page_id = '${watch?.pageId ?? ''}'`)
      shop.app.alarms.length = 0
      assert.equal((await watchOf(shop, user))?.state, 'tampered')
      assert.equal(await read(shop), 1)
      assert.deepEqual(shop.app.alarms, [`row_tampered ${user.merchantId}`])
      assert.deepEqual(await eventsOf(shop, user), [], 'it is not compared with what a stranger wrote')
      assert.equal((await shop.app.store.read(countPageWatches())).length, 1)
    }),
  )

  test(
    'pages that nobody read, and those that do not respond, are counted apart from those that were read in time',
    withShop(async (shop, user) => {
      const { app } = shop
      const count = () => app.store.read(countPageReadings(app.clock.now() - 7 * day, app.clock.now()))
      assert.deepEqual(await count(), { watched: 0, late: 0, silent: 0, changed: 0 })
      shop.serve(page, csp)
      await check(shop, user)
      assert.deepEqual(await count(), { watched: 1, late: 0, silent: 0, changed: 0 }, 'it was checked just now')
      app.clock.advance(7 * day + 1000)
      assert.deepEqual(await count(), { watched: 1, late: 1, silent: 0, changed: 0 }, 'never read since its check')
      await read(shop)
      assert.deepEqual(await count(), { watched: 1, late: 0, silent: 0, changed: 0 })
      for (let n = 0; n < 8; n++) {
        app.clock.advance(day)
        shop.refuse()
        await read(shop)
      }
      assert.deepEqual(await count(), { watched: 1, late: 0, silent: 1, changed: 1 }, 'tried, and lost')
      shop.serve(page, csp)
      app.clock.advance(day)
      await read(shop)
      assert.equal((await count()).silent, 0)
    }),
  )
}
