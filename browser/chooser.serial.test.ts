// time limit: 240 s
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'

import { pressInFrame } from '../tools/press-in-frame.ts'
import { enterCard, enterCode, startTestBed, type OpenForm, type OpenOptions, type TestBed, type TestPage } from './form.fixture.ts'
import { callAsServer, idOfToken, createOfferingSession, saveCards, type OfferedSession } from './saved-cards.fixture.ts'

const [success, other] = ['8600069195406311', '8600495473316478']

describe('the saved cards in the card form', () => {
  let testBed: TestBed
  before(async () => {
    testBed = await startTestBed()
  })
  after(() => testBed.stop())

  it('are shown by their masks, and the picked one comes to the page and to the server as its id, without a token', async () => {
    const [first = '', second = ''] = await saveCards(testBed, [success, other])
    const { opened, readOutcome } = await open([first, second])
    const { form } = opened
    assert.deepEqual(await form.locator('.saved .mask').allTextContents(), ['8600 •••• 6311', '8600 •••• 6478'])
    assert.equal(await form.locator('.saved-row [data-brand=uzcard]').count(), 2)
    assert.ok(!(await form.locator('#number').isVisible()))
    await form.getByRole('radio', { name: 'Uzcard ending in 6 4 7 8' }).check()
    await pressInFrame(form.locator('form.card button.main'))
    await form.getByRole('heading', { name: 'Card selected' }).waitFor()
    await form.locator('.done .card', { hasText: '8600 •••• 6478' }).waitFor()
    assert.equal(await opened.waitForEvent('pick'), idOfToken(second))
    assert.deepEqual(await opened.eventValues('token'), [])
    assert.equal(opened.callCount('cards.create'), 0)
    const { state, picked } = await readOutcome()
    assert.deepEqual([state, picked], ['done', idOfToken(second)])
    assert.deepEqual(opened.consoleLines, [])
    await opened.page.close()
  })

  it('are picked by the page’s own button, whose promise resolves with the id', async () => {
    const [token = ''] = await saveCards(testBed, [success])
    const { opened } = await open([token], { options: { button: false } })
    assert.deepEqual((await opened.eventValues('change')).at(-1), {
      type: 'change',
      brand: null,
      complete: true,
      empty: false,
      error: null,
      errors: {},
    })
    const result = await opened.page.evaluate(() => (globalThis as unknown as TestPage).form.submit())
    assert.deepEqual(result, { status: 'picked', id: idOfToken(token) })
    await opened.page.close()
  })

  it('do not move the page when a card is added instead, and come back with “Change card”', async () => {
    const tokens = await saveCards(testBed, [success, other])
    const page = { viewport: { width: 360, height: 740 } }
    const { opened } = await open(tokens, { page, prepare: observeHeights })
    const { form } = opened
    await pressInFrame(form.getByRole('button', { name: 'Add a card' }))
    await form.locator('#number:focus').waitFor()
    await pressInFrame(form.getByRole('button', { name: 'Saved cards' }))
    await form.locator('.saved input:focus').waitFor()
    await pressInFrame(form.getByRole('button', { name: 'Add a card' }))
    await enterCard(opened, success)
    await form.locator('#code').waitFor()
    await pressInFrame(form.locator('.back'))
    await form.locator('.saved input:focus').waitFor()
    await pressInFrame(form.getByRole('button', { name: 'Add a card' }))
    await enterCard(opened, success)
    await enterCode(opened)
    await opened.waitForEvent('token')
    await form.getByRole('heading', { name: 'Your card is confirmed' }).waitFor()
    const all = await opened.page.evaluate(() => (globalThis as unknown as { heights: string[] }).heights)
    const heights = all.filter((height, index) => height !== all[index - 1])
    assert.ok(heights.length <= 2, `the first height, and one other: ${heights.join()}`)
    await opened.page.close()
  })

  it('are removed after a question in their place: the page gets an event, and the server removes the card', async () => {
    const [first = '', second = ''] = await saveCards(testBed, [success, other])
    const { opened, readOutcome } = await open([first, second])
    const { form } = opened
    await pressInFrame(form.getByRole('button', { name: 'Remove: Uzcard ending in 6 3 1 1' }))
    await form.getByText('Remove 8600 •••• 6311?').waitFor()
    await form.getByRole('button', { name: 'Keep' }).press('Escape')
    await form.locator('.saved-row:first-child .remove:focus').waitFor()
    assert.equal(opened.callCount('form.sessions.choose'), 0)
    await form.locator('.saved-row:first-child .remove').press('Enter')
    await form.locator('.keep:focus').waitFor()
    await pressInFrame(form.locator('.danger'))
    assert.equal(await opened.waitForEvent('remove'), idOfToken(first))
    await form.getByRole('status').getByText('The card is no longer in the list.').waitFor({ state: 'attached' })
    assert.deepEqual(await form.locator('.saved .mask').allTextContents(), ['8600 •••• 6478'])
    await form.locator('.saved input:checked:focus').waitFor()
    assert.deepEqual((await readOutcome()).removals, [idOfToken(first)])
    // The merchant decides: until then the card works.
    assert.ok(await callAsServer(testBed, 'cards.check', { token: first }))
    await pressInFrame(form.locator('.remove'))
    await pressInFrame(form.locator('.danger'))
    // No card is left: the fields take the place of the list.
    await form.locator('#number:focus').waitFor()
    assert.ok(!(await form.locator('.chooser').isVisible()))
    assert.deepEqual((await readOutcome()).removals, [idOfToken(first), idOfToken(second)])
    await opened.page.close()
  })

  it('work with the keyboard alone', async () => {
    const tokens = await saveCards(testBed, [success, other])
    const { opened, readOutcome } = await open(tokens)
    const { page, form } = opened
    await page.evaluate(() => (globalThis as unknown as TestPage).form.focus())
    await form.locator('.saved-row:first-child input:focus').waitFor()
    await page.keyboard.press('ArrowDown')
    await form.locator('.saved-row:last-child input:checked:focus').waitFor()
    for (const selector of ['.saved-row:last-child .remove:focus', '.add:focus', 'form.card button.main:focus']) {
      await page.keyboard.press('Tab')
      await form.locator(selector).waitFor()
    }
    await page.keyboard.press('Enter')
    await opened.waitForEvent('pick')
    assert.equal((await readOutcome()).picked, idOfToken(tokens[1] ?? ''))
    await page.close()
  })

  it('that are gone meanwhile are said to be, and leave the list', async () => {
    const [first = '', second = ''] = await saveCards(testBed, [success, other])
    const { opened } = await open([first, second])
    await callAsServer(testBed, 'cards.remove', { token: first })
    await pressInFrame(opened.form.locator('form.card button.main'))
    await opened.form.locator('.whole', { hasText: 'This card has been removed' }).waitFor()
    assert.equal(((await opened.waitForEvent('error')) as { reason: string }).reason, 'card_not_found')
    await opened.form.locator('.saved-row:only-child .mask', { hasText: '6478' }).waitFor()
    await pressInFrame(opened.form.locator('form.card button.main'))
    assert.equal(await opened.waitForEvent('pick'), idOfToken(second))
    await opened.page.close()
  })

  it('stay in the list when it cannot be read again', async () => {
    const [first = '', second = ''] = await saveCards(testBed, [success, other])
    let isFaulty = false
    const prepare = (page: Page): Promise<unknown> =>
      page.route('**/api/form.sessions.show', (route) => (isFaulty ? route.abort('connectionfailed') : route.continue()))
    const { opened } = await open([first, second], { prepare })
    await callAsServer(testBed, 'cards.remove', { token: first })
    isFaulty = true
    const failed = opened.page.waitForEvent('requestfailed')
    await pressInFrame(opened.form.locator('form.card button.main'))
    await opened.waitForEvent('error')
    await failed
    await opened.form.getByRole('radio', { name: 'ending in 6 4 7 8' }).check()
    await pressInFrame(opened.form.locator('form.card button.main'))
    assert.equal(await opened.waitForEvent('pick'), idOfToken(second))
    await opened.page.close()
  })

  it('are shown when the deferred script is loaded at the second attempt', async () => {
    const tokens = await saveCards(testBed, [success])
    let attempts = 0
    const prepare = (page: Page): Promise<unknown> =>
      page.route('**/form/v1/deferred-*.js', (route) => (++attempts === 1 ? route.abort('connectionfailed') : route.continue()))
    const { opened } = await open(tokens, { prepare })
    assert.ok(attempts > 1)
    assert.deepEqual(await opened.form.locator('.saved .mask').allTextContents(), ['8600 •••• 6311'])
    await opened.page.close()
  })

  it('follow a new session and the language of the page', async () => {
    const [first = '', second = ''] = await saveCards(testBed, [success, other])
    const { opened } = await open([first])
    const { session } = await createOfferingSession(testBed, [second])
    await opened.page.evaluate((next) => (globalThis as unknown as TestPage).form.update({ session: next, locale: 'ru' }), session)
    await opened.form.getByRole('group', { name: 'Сохранённые карты' }).waitFor()
    await opened.form.locator('.saved-row:only-child .mask', { hasText: '6478' }).waitFor()
    const none = await createOfferingSession(testBed, [])
    await opened.page.evaluate((next) => (globalThis as unknown as TestPage).form.update({ session: next }), none.session)
    await opened.form.locator('#number').waitFor()
    await opened.page.close()
  })

  it('take nothing away that was typed before they came, and never keep the fields away', async () => {
    const tokens = await saveCards(testBed, [success])
    const { promise: reply, resolve } = Promise.withResolvers<undefined>()
    const { session } = await createOfferingSession(testBed, tokens)
    const prepare = (page: Page): Promise<unknown> => page.route('**/api/form.sessions.show', (route) => reply.then(() => route.continue()))
    const opened = await testBed.open({ options: { session }, prepare })
    const { form } = opened
    await form.locator('body.waiting').waitFor()
    await form.locator('body:not(.waiting) #number').fill('8600 0691')
    resolve(undefined)
    await form.getByRole('button', { name: 'Saved cards' }).waitFor()
    assert.equal(await form.locator('#number').inputValue(), '8600 0691')
    await opened.page.close()
  })

  async function open(tokens: readonly string[], { options, ...more }: OpenOptions = {}): Promise<{ opened: OpenForm } & OfferedSession> {
    const offered = await createOfferingSession(testBed, tokens)
    const opened = await testBed.open({ options: { ...options, session: offered.session }, ...more })
    await opened.form.locator('.saved').waitFor()
    return { opened, ...offered }
  }
})

/** Records the heights of the frame, from the first on. */
function observeHeights(page: Page): Promise<unknown> {
  return page.addInitScript(() => {
    if (window !== top) return
    const heights: string[] = []
    Object.assign(globalThis, { heights })
    new MutationObserver(() => {
      const height = document.querySelector('iframe')?.style.height
      if (height !== undefined) heights.push(height)
    }).observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ['style'] })
  })
}
