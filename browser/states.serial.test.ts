// time limit: 600 s
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Frame } from 'playwright-core'

import { startTestBed, type OpenForm, type TestBed } from './form.fixture.ts'
import { hostedLooks, visitHostedStates } from './hosted-states.fixture.ts'
import { createOfferingSession, saveCards } from './saved-cards.fixture.ts'
import { looks, makeContactSheet, shopPageFor, type ContactSheet, type FormLook } from './state-pictures.fixture.ts'
import { stubReplies, visitCardStates, visitCodeStates, visitSavedCardStates, type ReplyStub, type StateVisitor } from './states.fixture.ts'

/** Where the pictures of every state are written, to be looked at; without it the states are only checked, in one look. */
const folder = process.env['TESSERA_TEST_PRINT_STATES'] ?? ''

describe('every state', () => {
  let testBed: TestBed
  before(async () => {
    testBed = await startTestBed()
  })
  after(() => testBed.stop())

  for (const look of folder === '' ? looks.slice(0, 1) : looks)
    for (const locale of look.locales)
      it(`of the form in the page of a shop shows its texts whole: ${look.name}, ${locale}`, async () => {
        const sheet = makeContactSheet()
        await visitStates(look, locale, sheet, visitCardStates)
        await visitStates(look, locale, sheet, visitCodeStates)
        await visitStates(look, locale, sheet, (opened, _stub, visit) => visitSavedCardStates(opened, visit), await offerCards())
        if (folder !== '') await sheet.write(testBed.browser, folder, `${look.name}-${locale}`)
      })

  for (const look of folder === '' ? hostedLooks.slice(0, 1) : hostedLooks)
    for (const locale of look.locales)
      it(`of the hosted page, and every page of text, shows its texts whole: ${look.name}, ${locale}`, async () => {
        const sheet = makeContactSheet()
        await visitHostedStates(testBed, look, locale, async ({ page }, state) => {
          for (const frame of page.frames()) await expectNothingCut(frame, state)
          if (folder !== '') await sheet.add(page, state)
        })
        if (folder !== '') await sheet.write(testBed.browser, folder, `${look.name}-${locale}`)
      })

  async function visitStates(
    look: FormLook,
    locale: string,
    sheet: ContactSheet,
    lead: (opened: OpenForm, stub: ReplyStub, visit: StateVisitor) => Promise<void>,
    session?: string,
  ): Promise<void> {
    const { width, colorScheme, options } = look
    let stub: ReplyStub | undefined
    const opened = await testBed.open({
      ...shopPageFor(look),
      options: { ...options, locale, session },
      page: { viewport: { width, height: 1000 }, colorScheme, reducedMotion: 'reduce' },
      async prepare(page) {
        await page.clock.install()
        stub = await stubReplies(page)
        if (session !== undefined) stub.change('form.sessions.show', markLastExpired)
      },
    })
    assert.ok(stub !== undefined)
    await lead(opened, stub, async (state) => {
      await expectWhole(opened, state)
      if (folder !== '') await sheet.add(opened.page, state, await readBottom(opened))
    })
    await opened.page.close()
  }

  async function offerCards(): Promise<string> {
    return (await createOfferingSession(testBed, await saveCards(testBed, ['8600069195406311', '8600495473316478']))).session
  }
})

function markLastExpired(details: Record<string, unknown>): object {
  const cards = details['cards'] as readonly object[]
  return { ...details, cards: cards.map((card, index) => ({ ...card, expired: index === cards.length - 1 })) }
}

async function expectWhole({ page, frame }: OpenForm, state: string): Promise<void> {
  const formFrame = await frame()
  // Two frames of the browser: the page has resized the frame then.
  await formFrame.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))
  await expectNothingCut(page.mainFrame(), state)
  await expectNothingCut(formFrame, state)
}

/** Nothing scrolls sideways, and no text is wider than what it stands in. */
async function expectNothingCut(frame: Frame, state: string): Promise<void> {
  const overflow = await frame.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
  // Where the frame is a fraction of a pixel wide, the two are rounded apart.
  assert.ok(overflow <= 1, `${state}: ${frame.url()} scrolls sideways`)
  const cutOff = await frame.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('button, label, p, a, h1, h2, legend, li, summary, dt, dd, .fault')]
      .filter((part) => part.checkVisibility() && !part.matches('.aloud, .aloud *') && getComputedStyle(part).display !== 'inline')
      .filter((part) => part.scrollWidth > part.clientWidth + 1 || part.getBoundingClientRect().right > innerWidth + 1)
      .map(({ textContent }) => textContent),
  )
  assert.deepEqual(cutOff, [], `${state}: texts that are cut off`)
}

async function readBottom({ page }: OpenForm): Promise<number> {
  return page.evaluate(() => (document.querySelector('iframe')?.getBoundingClientRect().bottom ?? 0) + 16)
}
