import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { openCheckedShop, sdk } from '../testing/page-check.fixture.ts'
import { listPageChecks, listPageScripts } from '../store/page-checks.ts'

const shop = await openCheckedShop()
const { app, serve } = shop
after(() => app.close())

const own = '<form action="/pay"><input autocomplete="cc-number" name="card"></form>'

test('a pasted page is reported with its rules in the requested language, is stored, and gives the same SARIF', async () => {
  const user = await shop.developer()
  const html = `<!doctype html>\n${own}\n${sdk}`
  const report = await user.call('dashboard.pageCheck.run', { html, locale: 'uz' })
  assert.deepEqual([report.page, report.findings[0]?.rule, report.findings[0]?.line], ['pasted', 'card-input', 2])
  assert.deepEqual([report.rules[0]?.severity, report.rules.at(-1)?.severity], ['error', 'warning'])
  assert.match(report.rules[0]?.text ?? '', /karta maydonlari/)
  const stored = await user.call('dashboard.pageCheck.get', { page: 'pasted', locale: 'en' })
  assert.deepEqual(stored.report?.findings, report.findings)
  assert.match(stored.report.rules[0]?.text ?? '', /no card input/)
  const { runs } = JSON.parse(report.sarif) as { runs: { results: unknown[] }[] }
  assert.equal(runs[0]?.results.length, report.findings.length)
  const { checks } = await user.call('dashboard.pageCheck.list', {})
  assert.deepEqual(
    checks.map(({ page, errors }) => [page, errors]),
    [['pasted', report.findings.filter(({ rule }) => report.rules.find((one) => one.rule === rule)?.severity === 'error').length]],
  )
  const audit = await user.call('dashboard.audit.list', {})
  assert.ok(audit.entries.some(({ action, outcome }) => action === 'page.checked' && outcome === 'violations_found'))
})

test('a page check takes one URL or one pasted page, of a registered origin, and only HTML', async () => {
  const user = await shop.developer()
  assert.equal(await user.expectError('dashboard.pageCheck.run', { locale: 'en' }), 'member_invalid')
  assert.equal(
    await user.expectError('dashboard.pageCheck.run', { url: 'https://shop.example/', html: '<p>', locale: 'en' }),
    'member_invalid',
  )
  const { error } = await user.callRaw('dashboard.pageCheck.run', { url: 'https://other.example/', locale: 'en' })
  assert.deepEqual([error?.reason, error?.data], ['page_not_checked', 'origin_not_registered'])
  assert.equal((await user.callRaw('dashboard.pageCheck.run', { html: 'no page', locale: 'en' })).error?.data, 'not_html')
  assert.deepEqual((await user.call('dashboard.pageCheck.list', {})).checks, [])
})

test('a page is read again until a developer stops it; a page that is not read again cannot be stopped', async () => {
  const user = await shop.developer()
  serve(sdk)
  const url = 'https://shop.example/stopped'
  await user.call('dashboard.pageCheck.run', { url, locale: 'en' })
  const watchOf = async () => (await user.call('dashboard.pageCheck.list', {})).checks.find(({ page }) => page === url)?.watch
  assert.equal((await watchOf())?.state, 'new')
  assert.deepEqual(await user.call('dashboard.pageCheck.stopWatching', { page: url }), { success: true })
  assert.equal(await watchOf(), null)
  assert.ok((await user.call('dashboard.audit.list', {})).entries.some(({ action }) => action === 'page.watch_ended'))
  const { error } = await user.callRaw('dashboard.pageCheck.stopWatching', { page: url })
  assert.deepEqual([error?.reason, error?.data], ['member_invalid', 'page'])
})

test('no card number or password in a page is stored', async () => {
  const user = await shop.developer()
  serve(
    `${sdk}<script>fetch('/x', { headers: { 'X-Auth': '65f0c0ffee0000000000cafe:not-a-real-password' } })</script><input autocomplete="cc-number" placeholder="8600 0691 9540 6311">`,
  )
  const report = await user.call('dashboard.pageCheck.run', { url: 'https://shop.example/leak', locale: 'en' })
  assert.ok(report.findings.some(({ rule }) => rule === 'password-in-page'))
  const stored = JSON.stringify([report, await app.store.read(listPageChecks(user)), await app.store.read(listPageScripts(user))])
  assert.doesNotMatch(stored, /not-a-real-password|8600 0691 9540 6311/)
})
