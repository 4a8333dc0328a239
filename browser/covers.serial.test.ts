// time limit: 180 s
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'

import { enterCard, startStage, type Mounted, type Stage } from './form.fixture.ts'

const success = '8600069195406311'

/** Styles of an attacker, each of which takes from sight who gets the card. The last part of a name is whose style it is. */
const covers: readonly [name: string, style: string][] = [
  ['a cover of the whole window', '.cover{position:fixed;inset:0;background:#fff}'],
  ['a cover that lets clicks through', '.cover{position:fixed;inset:0;background:#fff;pointer-events:none}'],
  ['a cover that can hardly be seen', '.cover{position:fixed;inset:0;background:rgba(0,0,0,0.01)}'],
  ['an iframe that is see-through', 'iframe{opacity:0.02}'],
  ['a see-through part around it', '#card{opacity:0}'],
  ['a filter', 'iframe{filter:blur(9px)}'],
  ['another way of mixing colours', 'iframe{mix-blend-mode:screen}'],
  ['a turn and a shrinking', 'iframe{transform:scale(0.05) rotate(1deg)}'],
  ['a path that cuts it off', 'iframe{clip-path:inset(0 0 55% 0)}'],
  ['a frame too low for its content', 'iframe{height:120px!important}'],
]

describe('a page that hides who takes the card', () => {
  let stage: Stage
  before(async () => {
    stage = await startStage()
  })
  after(() => stage.stop())

  const body = '<h1>Shop</h1><div id="card"></div><div class="cover"></div>'
  const tall = { viewport: { width: 600, height: 900 } }

  it('is told that nothing hides it, and of each cover as soon as it is there', async () => {
    const opened = await stage.open({ body, page: tall })
    const { page } = opened
    const waitFor = (state: string): Promise<unknown> => waitForSeen(page, state)
    await waitFor('visible')
    for (const [name, style] of covers) {
      const sheet = await page.addStyleTag({ content: style })
      await waitFor('hidden').catch(() => assert.fail(`nobody is told of ${name}`))
      await sheet.evaluate((element) => (element as unknown as HTMLElement).remove())
      await waitFor('visible').catch(() => assert.fail(`nobody is told that ${name} is gone`))
    }
    await page.close()
  })

  for (const [name, head] of [
    ['cuts it off', '<style>#card{height:240px;overflow:clip}</style>'],
    ['lets nobody scroll to it', '<style>body>div{height:300px;overflow:hidden;padding:20px}</style>'],
  ] as const) {
    it(`is told when a part around the form ${name}`, async () => {
      const opened = await stage.open({ page: tall, head })
      await waitForSeen(opened.page, 'hidden')
      await opened.page.addStyleTag({ content: 'div{height:auto!important}' })
      await waitForSeen(opened.page, 'visible')
      await opened.page.close()
    })
  }

  it('is told nothing of the kind when the cardholder scrolls to and fro in a low window', async () => {
    const opened = await stage.open({ page: { viewport: { width: 400, height: 300 } } })
    await opened.form.locator('footer').scrollIntoViewIfNeeded()
    await waitForSeen(opened.page, 'visible')
    await opened.page.evaluate(() => scrollTo(0, 0))
    await enterCard(opened, success)
    await opened.form.locator('#code').waitFor()
    // From when it was seen: a page that is slow to give the form its height may tell of that before.
    const seen = await opened.said('seen')
    assert.ok(!seen.slice(seen.indexOf('visible')).includes('hidden'), JSON.stringify(seen))
    await opened.page.close()
  })
})

/** However long a busy machine takes to tell it. */
async function waitForSeen(page: Page, state: string): Promise<void> {
  await page.waitForFunction((asked) => (globalThis as unknown as Mounted).said['seen']?.at(-1) === asked, state)
}
