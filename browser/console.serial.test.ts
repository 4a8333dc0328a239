// time limit: 90 s
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'

import { enterCard, enterCode, startTestBed, type TestBed } from './form.fixture.ts'

describe('warnings and errors in the browser’s console', () => {
  let testBed: TestBed
  before(async () => {
    testBed = await startTestBed()
  })
  after(() => testBed.stop())

  it('there are none from the card form, in any step', async () => {
    const complaints: string[] = []
    const opened = await testBed.open({ prepare: async (page) => recordComplaints(page, complaints) })
    await enterCard(opened, '8600069195406311')
    await enterCode(opened)
    await opened.waitForEvent('token')
    assert.deepEqual(complaints, [])
    await opened.page.close()
  })

  it('there are none from the page of reasons, the legal pages and a refused form', async () => {
    const complaints: string[] = []
    const page = await testBed.browser.newPage()
    recordComplaints(page, complaints)
    for (const path of ['/form/reasons', '/form/terms', '/form/privacy?locale=ru', '/form/terms?locale=uz']) {
      assert.equal((await page.goto(testBed.formOrigin + path))?.status(), 200, path)
    }
    assert.deepEqual(complaints, [])
    // The one expected line: the browser logs the status of the refused form.
    assert.equal((await page.goto(`${testBed.formOrigin}/form/v1?merchant=none`))?.status(), 400)
    assert.deepEqual(
      complaints.filter((line) => !/the server responded with a status of 400/.test(line)),
      [],
    )
    await page.close()
  })

  it('there are none from the dashboard: its sign-in and every page in its navigation', async () => {
    const complaints: string[] = []
    const page = await testBed.browser.newPage({ locale: 'en-GB' })
    recordComplaints(page, complaints)
    await page.goto(`${testBed.formOrigin.replace('127.0.0.1', 'localhost')}/dashboard/`)
    await page.getByRole('textbox', { name: /phone/i }).fill('998900000000')
    await page.locator('input[type=password]').fill('sandbox')
    await page.locator('button[type=submit]').click()
    await page.locator('nav a').first().waitFor({ state: 'attached' })
    const links = await page.locator('nav a').evaluateAll((found) => found.map((link) => link.getAttribute('href') ?? ''))
    assert.ok(links.length >= 5, links.join())
    for (const link of links) {
      await page.goto(new URL(link, page.url()).href)
      await page.locator('h1').first().waitFor()
    }
    assert.deepEqual(complaints, [])
    await page.close()
  })
})

/** Records warnings, errors and uncaught exceptions. */
function recordComplaints(page: Page, complaints: string[]): void {
  page.on('console', (line) => {
    if (['warning', 'error', 'assert'].includes(line.type())) complaints.push(`${line.type()}: ${line.text()} (${line.location().url})`)
  })
  page.on('pageerror', (error) => complaints.push(error.message))
}
