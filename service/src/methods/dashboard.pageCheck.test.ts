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
const own = '<form action="/pay"><input autocomplete="cc-number" name="card"></form>'

async function shop(): Promise<Person> {
  const owner = await entrance.user('developer')
  await owner.expect('dashboard.settings.change', { origins: ['https://shop.example'] })
  return owner
}

test('a page that was pasted is told with its rules in the language asked for, is kept, and is the same as SARIF', async () => {
  const user = await shop()
  const html = `<!doctype html>\n${own}\n${sdk}`
  const report = await user.expect('dashboard.pageCheck.run', { html, locale: 'uz' })
  assert.deepEqual([report.page, report.findings[0]?.rule, report.findings[0]?.line], ['pasted', 'card-input', 2])
  assert.deepEqual([report.rules[0]?.severity, report.rules.at(-1)?.severity], ['error', 'warning'])
  assert.match(report.rules[0]?.text ?? '', /karta maydonlari/)
  const kept = await user.expect('dashboard.pageCheck.get', { page: 'pasted', locale: 'en' })
  assert.deepEqual(kept.report?.findings, report.findings)
  assert.match(kept.report.rules[0]?.text ?? '', /no card input/)
  const { runs } = JSON.parse(report.sarif) as { runs: { results: unknown[] }[] }
  assert.equal(runs[0]?.results.length, report.findings.length)
  const { checks } = await user.expect('dashboard.pageCheck.list', {})
  assert.deepEqual(
    checks.map(({ page, errors }) => [page, errors]),
    [['pasted', report.findings.filter(({ rule }) => report.rules.find((one) => one.rule === rule)?.severity === 'error').length]],
  )
  const audit = await user.expect('dashboard.audit.list', {})
  assert.ok(audit.entries.some(({ action, outcome }) => action === 'page.checked' && outcome === 'broken'))
})

test('a page is asked for by one address or one paste, of a registered origin, and is HTML', async () => {
  const user = await shop()
  assert.equal(await user.refused('dashboard.pageCheck.run', { locale: 'en' }), 'member_invalid')
  assert.equal(await user.refused('dashboard.pageCheck.run', { url: 'https://shop.example/', html: '<p>', locale: 'en' }), 'member_invalid')
  const { error } = await user.call('dashboard.pageCheck.run', { url: 'https://other.example/', locale: 'en' })
  assert.deepEqual([error?.reason, error?.data], ['page_not_checked', 'origin_not_registered'])
  assert.equal((await user.call('dashboard.pageCheck.run', { html: 'no page', locale: 'en' })).error?.data, 'not_html')
  assert.deepEqual((await user.expect('dashboard.pageCheck.list', {})).checks, [])
})

test('nothing of a card number or a password that stands in a page is kept', async () => {
  const user = await shop()
  served = `${sdk}<script>fetch('/x', { headers: { 'X-Auth': '65f0c0ffee0000000000cafe:not-a-real-password' } })</script><input autocomplete="cc-number" placeholder="8600 0691 9540 6311">`
  const report = await user.expect('dashboard.pageCheck.run', { url: 'https://shop.example/leak', locale: 'en' })
  assert.ok(report.findings.some(({ rule }) => rule === 'password-in-page'))
  const kept = JSON.stringify([report, await house.store.listPageChecks(user), await house.store.listPageScripts(user)])
  assert.doesNotMatch(kept, /not-a-real-password|8600 0691 9540 6311/)
})
