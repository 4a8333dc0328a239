// time limit: 180 s
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'

import { enterCard, startTestBed, type TestPage, type TestBed } from './form.fixture.ts'

const success = '8600069195406311'

/** Styles of an attacker. Each hides who takes the card. */
const covers: readonly [name: string, style: string][] = [
  ['an overlay over the whole window', '.cover{position:fixed;inset:0;background:#fff}'],
  ['an overlay that lets clicks through', '.cover{position:fixed;inset:0;background:#fff;pointer-events:none}'],
  ['an almost invisible overlay', '.cover{position:fixed;inset:0;background:rgba(0,0,0,0.01)}'],
  ['a transparent iframe', 'iframe{opacity:0.02}'],
  ['a transparent container', '#card{opacity:0}'],
  ['a filter', 'iframe{filter:blur(9px)}'],
  ['a blend mode', 'iframe{mix-blend-mode:screen}'],
  ['a rotation and a reduced size', 'iframe{transform:scale(0.05) rotate(1deg)}'],
  ['a clip path', 'iframe{clip-path:inset(0 0 55% 0)}'],
  ['a frame too low for its content', 'iframe{height:120px!important}'],
]

describe('a page that hides who takes the card', () => {
  let testBed: TestBed
  before(async () => {
    testBed = await startTestBed()
  })
  after(() => testBed.stop())

  const body = '<h1>Shop</h1><div id="card"></div><div class="cover"></div>'
  const tall = { viewport: { width: 600, height: 900 } }

  it('gets an event for each kind of cover, and when it is removed', async () => {
    const opened = await testBed.open({ body, page: tall })
    const { page } = opened
    const waitFor = (state: string): Promise<unknown> => waitForSeen(page, state)
    await waitFor('visible')
    for (const [name, style] of covers) {
      const sheet = await page.addStyleTag({ content: style })
      await waitFor('hidden').catch(() => assert.fail(`no event for ${name}`))
      await sheet.evaluate((element) => (element as unknown as HTMLElement).remove())
      await waitFor('visible').catch(() => assert.fail(`no event after ${name} was removed`))
    }
    await page.close()
  })

  for (const [name, head] of [
    ['clips it', '<style>#card{height:240px;overflow:clip}</style>'],
    ['makes it unreachable by scrolling', '<style>body>div{height:300px;overflow:hidden;padding:20px}</style>'],
  ] as const) {
    it(`gets an event when an element around the form ${name}`, async () => {
      const opened = await testBed.open({ page: tall, head })
      await waitForSeen(opened.page, 'hidden')
      await opened.page.addStyleTag({ content: 'div{height:auto!important}' })
      await waitForSeen(opened.page, 'visible')
      await opened.page.close()
    })
  }

  it('gets no such event when the cardholder scrolls in a low window', async () => {
    const opened = await testBed.open({ page: { viewport: { width: 400, height: 300 } } })
    await opened.form.locator('footer').scrollIntoViewIfNeeded()
    await waitForSeen(opened.page, 'visible')
    await opened.page.evaluate(() => scrollTo(0, 0))
    await enterCard(opened, success)
    await opened.form.locator('#code').waitFor()
    // From the first visible event on: while a slow page has not resized the frame, another value may come first.
    const seen = await opened.eventValues('seen')
    assert.ok(!seen.slice(seen.indexOf('visible')).includes('hidden'), JSON.stringify(seen))
    await opened.page.close()
  })
})

async function waitForSeen(page: Page, state: string): Promise<void> {
  await page.waitForFunction((expected) => (globalThis as unknown as TestPage).formEvents['seen']?.at(-1) === expected, state)
}
