import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { openCheckedShop, sdk } from '../testing/page-check.fixture.ts'

const shop = await openCheckedShop()
const { app, serve } = shop
after(() => app.close())

test('a script is authorized with its content, is reported when it changes, and stays in the inventory with reviewer and reason', async () => {
  const user = await shop.developer()
  const check = () => user.call('dashboard.pageCheck.run', { url: 'https://shop.example/pay?order=1', locale: 'en' })
  const inventory = async () => (await user.call('dashboard.scripts.list', {})).scripts
  const served = `${sdk}<script>a()</script><script src="https://stats.example/s.js" integrity="sha384-1" crossorigin></script>`
  serve(served)
  const report = await check()
  assert.deepEqual([report.page, report.scripts], ['https://shop.example/pay', 3])
  const stats = (await inventory()).find(({ address }) => address.includes('stats')) ?? assert.fail()
  assert.deepEqual([stats.decision, stats.fingerprint, stats.party, stats.isGone], ['open', 'sha384-1', 'third', false])
  const { scriptId, fingerprint } = stats
  const review = { scriptId, fingerprint, decision: 'authorised', reason: '  counts visits  ' } as const
  assert.equal(await user.expectError('dashboard.scripts.review', { ...review, fingerprint: 'sha384-2' }), 'script_changed')
  await user.call('dashboard.scripts.review', review)
  const reviewed = (await inventory()).find((one) => one.scriptId === scriptId)
  assert.deepEqual([reviewed?.decision, reviewed?.reason, reviewed?.isChanged], ['authorised', 'counts visits', false])
  assert.match(reviewed?.reviewedBy ?? '', /^\d+\*+\d\d$/)

  serve(served.replace('sha384-1', 'sha384-2').replace('a()', 'b()'))
  app.clock.advance(1)
  await check()
  const later = await inventory()
  assert.equal(later.find((one) => one.scriptId === scriptId)?.isChanged, true)
  assert.equal(later.filter(({ address }) => address.startsWith('inline')).length, 1)
  serve(sdk)
  app.clock.advance(1)
  await check()
  assert.deepEqual((await inventory()).map(({ decision, isGone }) => [decision, isGone]).toSorted(), [
    ['authorised', true],
    ['open', false],
  ])
  const { entries } = await user.call('dashboard.audit.list', { subject: scriptId })
  assert.deepEqual(
    entries.map(({ action, actor }) => [action, actor]),
    [['script.authorized', 'user']],
  )
})
