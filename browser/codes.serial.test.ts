// time limit: 180 s
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { pressInFrame } from '../tools/press-in-frame.ts'
import { enterCard, enterCode, startTestBed, type TestBed } from './form.fixture.ts'

const success = '8600069195406311'
const slow = '8600134301849596'

describe('the SMS code in a real browser', () => {
  let testBed: TestBed
  before(async () => {
    // Long enough for a busy machine to do what a test does before a resend is allowed, and while a code is valid.
    testBed = await startTestBed({ settings: ['--otp-lifetime-seconds=120', '--otp-attempts-max=2', '--resend-wait-seconds=10'] })
  })
  after(() => testBed.stop())

  it('requires a new code after too many wrong ones, counts down to the resend, and accepts the new code', async () => {
    const opened = await testBed.open()
    const { form } = opened
    const resend = form.locator('.resend')
    await enterCard(opened, success)
    await form.locator('#code').waitFor()
    await form.locator('form.code p', { hasText: /998.*•/ }).waitFor()
    assert.ok(await resend.isDisabled(), 'a resend is allowed at once')
    assert.match((await resend.textContent()) ?? '', /0:(10|0[1-9])$/)
    assert.equal(await opened.waitForEvent('wait'), 10_000)
    await opened.page.evaluate(() => (globalThis as unknown as { form: { resend: () => void } }).form.resend())

    await enterCode(opened, '111111')
    await form.locator('#code-fault', { hasText: 'incorrect' }).waitFor()
    await enterCode(opened, '222222')
    await form.locator('#code-fault', { hasText: 'incorrect' }).waitFor()
    assert.equal(await form.locator('#code').inputValue(), '')
    await enterCode(opened, '666666')
    await form.locator('#code-fault', { hasText: 'Request a new code' }).waitFor()
    assert.deepEqual(await opened.eventValues('token'), [])

    await pressInFrame(form.locator('.resend:enabled', { hasText: /^Send a new code$/ }))
    await form.locator('.resend:disabled').waitFor()
    assert.equal(opened.callCount('cards.get_verify_code'), 2, 'the page requested a code too early')
    assert.equal(await form.locator('#code').evaluate((input) => document.activeElement === input), true)
    assert.equal(await form.locator('#code-fault').textContent(), '')
    await enterCode(opened)
    await form.locator('.done h2').waitFor()
    await opened.page.close()
  })

  it('goes back to an empty form, and another card gets another token', async () => {
    const opened = await testBed.open()
    await enterCard(opened, success)
    await pressInFrame(opened.form.locator('.back'))
    const number = opened.form.locator('#number')
    await number.waitFor()
    assert.equal(await number.inputValue(), '')
    assert.equal(await number.evaluate((input) => document.activeElement === input), true)
    await enterCard(opened, '8600495473316478')
    await enterCode(opened)
    const { card } = (await opened.waitForEvent('token')) as { card: { number: string } }
    assert.equal(card.number, '8600***6478')
    assert.deepEqual(await opened.eventValues('step'), ['code', 'card', 'code', 'done'])
    await opened.page.close()
  })
})

describe('an SMS code that is valid for ten seconds', () => {
  let testBed: TestBed
  before(async () => {
    testBed = await startTestBed({ settings: ['--otp-lifetime-seconds=10', '--resend-wait-seconds=3'] })
  })
  after(() => testBed.stop())

  it('expires while another form waits ten seconds for a slow bank', async () => {
    const [expiring, waiting] = [await testBed.open(), await testBed.open()]
    await enterCard(expiring, success)
    await expiring.form.locator('#code').waitFor()
    await enterCard(waiting, slow)
    await waiting.form.locator('.progress', { hasText: 'taking longer than usual' }).waitFor()
    await waiting.form.locator('.whole', { hasText: 'did not respond' }).waitFor()
    assert.deepEqual(await waiting.form.locator('#number').inputValue(), '8600 1343 0184 9596')
    const error = (await waiting.waitForEvent('error')) as { code: number; reason: string; retryable: boolean }
    assert.deepEqual([error.code, error.reason, error.retryable], [-31002, 'network_timeout', true])

    await enterCode(expiring)
    const fault = expiring.form.locator('#code-fault', { hasText: 'has expired' })
    await fault.waitFor()
    assert.equal(await expiring.form.locator('#code').inputValue(), '')
    await expiring.form.locator('#code').press('Tab')
    assert.ok(await fault.isVisible(), 'the error of the service disappeared when the field lost the focus')
    await pressInFrame(expiring.form.locator('.resend:enabled'))
    await fault.waitFor({ state: 'hidden' })
    await enterCode(expiring)
    await expiring.form.locator('.done h2').waitFor()
    for (const { page } of [expiring, waiting]) await page.close()
  })
})
