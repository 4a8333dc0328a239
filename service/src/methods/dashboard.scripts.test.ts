import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { openEntrance, type Person } from '../dashboard/visitor.fixture.ts'
import { notChecked } from '../page-check/fetch-page.ts'
import { makeParse } from '../page-check/parse.ts'
import { makeSystemClock } from '../system-clock.ts'

import { compose } from './compose.fixture.ts'

/** What the shop's page says now. */
let served = ''
const house = await compose({
  pages: {
    parse: makeParse({ clock: makeSystemClock() }),
    async fetchPage(text, origins) {
      const url = new URL(text)
      if (!origins.includes(url.origin)) throw notChecked('origin_not_registered')
      return { url, text: served, policies: [] }
    },
  },
})
const entrance = openEntrance(house)
after(() => house.close())

const sdk = '<div id="card"></div><script src="https://form.example/sdk/v1/tessera.js"></script>'

async function shop(): Promise<Person> {
  const owner = await entrance.user('developer')
  await owner.expect('dashboard.settings.change', { origins: ['https://shop.example'] })
  return owner
}

test('a script is authorised as it is, is told when it is another, and stays in the inventory with who said why', async () => {
  const user = await shop()
  const check = () => user.expect('dashboard.pageCheck.run', { url: 'https://shop.example/pay?order=1', locale: 'en' })
  const inventory = async () => (await user.expect('dashboard.scripts.list', {})).scripts
  served = `${sdk}<script>a()</script><script src="https://stats.example/s.js" integrity="sha384-1" crossorigin></script>`
  const report = await check()
  assert.deepEqual([report.page, report.scripts], ['https://shop.example/pay', 3])
  const stats = (await inventory()).find(({ address }) => address.includes('stats')) ?? assert.fail()
  assert.deepEqual([stats.judged, stats.print, stats.party, stats.isGone], ['open', 'sha384-1', 'third', false])
  const { scriptId, print } = stats
  const judged = { scriptId, print, judged: 'authorised', reason: '  counts visits  ' } as const
  assert.equal(await user.refused('dashboard.scripts.judge', { ...judged, print: 'sha384-2' }), 'script_changed')
  await user.expect('dashboard.scripts.judge', judged)
  const told = (await inventory()).find((one) => one.scriptId === scriptId)
  assert.deepEqual([told?.judged, told?.reason, told?.isChanged], ['authorised', 'counts visits', false])
  assert.match(told?.judgedBy ?? '', /^\d+\*+\d\d$/)

  served = served.replace('sha384-1', 'sha384-2').replace('a()', 'b()')
  house.clock.advance(1)
  await check()
  const later = await inventory()
  assert.equal(later.find((one) => one.scriptId === scriptId)?.isChanged, true)
  assert.equal(later.filter(({ address }) => address.startsWith('inline')).length, 1)
  served = sdk
  house.clock.advance(1)
  await check()
  assert.deepEqual((await inventory()).map(({ judged: word, isGone }) => [word, isGone]).toSorted(), [
    ['authorised', true],
    ['open', false],
  ])
  const { entries } = await user.expect('dashboard.audit.list', { subject: scriptId })
  assert.deepEqual(
    entries.map(({ action, actor }) => [action, actor]),
    [['script.authorised', 'user']],
  )
})
