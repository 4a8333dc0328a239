// time limit: 90 s
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'

import { enterCard, enterCode, startStage, type Stage } from './form.fixture.ts'

describe('what a browser has to say of our pages', () => {
  let stage: Stage
  before(async () => {
    stage = await startStage()
  })
  after(() => stage.stop())

  it('is nothing of the card form, from its first step to its last', async () => {
    const told: string[] = []
    const opened = await stage.open({ prepare: async (page) => listen(page, told) })
    await enterCard(opened, '8600069195406311')
    await enterCode(opened)
    await opened.heard('token')
    assert.deepEqual(told, [])
    await opened.page.close()
  })

  it('is nothing of the form where it refuses a page, of the page of reasons and of the legal pages', async () => {
    const told: string[] = []
    const page = await stage.browser.newPage()
    listen(page, told)
    for (const path of ['/form/reasons', '/form/terms', '/form/privacy?locale=ru', '/form/terms?locale=uz']) {
      assert.equal((await page.goto(stage.formOrigin + path))?.status(), 200, path)
    }
    assert.deepEqual(told, [])
    // The one line that belongs there: a refusal is told by its status too.
    assert.equal((await page.goto(`${stage.formOrigin}/form/v1?merchant=none`))?.status(), 400)
    assert.deepEqual(
      told.filter((line) => !/the server responded with a status of 400/.test(line)),
      [],
    )
    await page.close()
  })

  it('is nothing of the dashboard: its sign-in, and every page that its own links lead to', async () => {
    const told: string[] = []
    const page = await stage.browser.newPage({ locale: 'en-GB' })
    listen(page, told)
    await page.goto(`${stage.formOrigin.replace('127.0.0.1', 'localhost')}/dashboard/`)
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
    assert.deepEqual(told, [])
    await page.close()
  })
})

/** Keeps everything that is no plain word of a script: warnings and errors of the browser, and what nobody caught. */
function listen(page: Page, told: string[]): void {
  page.on('console', (line) => {
    if (['warning', 'error', 'assert'].includes(line.type())) told.push(`${line.type()}: ${line.text()} (${line.location().url})`)
  })
  page.on('pageerror', (error) => told.push(error.message))
}
