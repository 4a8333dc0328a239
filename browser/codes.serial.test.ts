// time limit: 180 s
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { enterCard, enterCode, startStage, type Stage } from './form.fixture.ts'

const success = '8600069195406311'
const slow = '8600134301849596'

describe('the code of the SMS in a real browser', () => {
  let stage: Stage
  before(async () => {
    // What is done before a new code may be asked for, and while a code lives, takes a busy machine long.
    stage = await startStage({ settings: ['--otp-life-seconds=120', '--otp-tries-max=2', '--resend-wait-seconds=10'] })
  })
  after(() => stage.stop())

  it('asks for a new code after too many wrong ones, counts down until it may, and takes the new one', async () => {
    const opened = await stage.open()
    const { form } = opened
    const resend = form.locator('form.code .links button').first()
    await enterCard(opened, success)
    await form.locator('#code').waitFor()
    await form.locator('form.code p', { hasText: /998.*\*+/ }).waitFor()
    assert.ok(await resend.isDisabled(), 'a new code may be asked for at once')
    assert.match((await resend.textContent()) ?? '', /0:(10|0[1-9])$/)
    assert.equal(await opened.heard('wait'), 10_000)
    await opened.page.evaluate(() => (globalThis as unknown as { form: { resend: () => void } }).form.resend())

    await enterCode(opened, '111111')
    await form.locator('#code-fault', { hasText: 'not right' }).waitFor()
    await enterCode(opened, '222222')
    await form.locator('#code-fault', { hasText: 'not right' }).waitFor()
    assert.equal(await form.locator('#code').inputValue(), '')
    await enterCode(opened, '666666')
    await form.locator('#code-fault', { hasText: 'Ask for a new code' }).waitFor()
    assert.deepEqual(await opened.said('token'), [])

    await form.locator('form.code .links button:enabled', { hasText: /^Send a new code$/ }).click()
    await form.locator('form.code .links button:disabled').waitFor()
    assert.equal(opened.calls('cards.get_verify_code'), 2, 'the page asked for a code before its time')
    assert.equal(await form.locator('#code').evaluate((input) => document.activeElement === input), true)
    assert.equal(await form.locator('#code-fault').textContent(), '')
    await enterCode(opened)
    await form.locator('.done h2').waitFor()
    await opened.page.close()
  })

  it('goes back to an empty card, whose token is another', async () => {
    const opened = await stage.open()
    await enterCard(opened, success)
    await opened.form.locator('form.code .links button').nth(1).click()
    const number = opened.form.locator('#number')
    await number.waitFor()
    assert.equal(await number.inputValue(), '')
    assert.equal(await number.evaluate((input) => document.activeElement === input), true)
    await enterCard(opened, '8600495473316478')
    await enterCode(opened)
    const { card } = (await opened.heard('token')) as { card: { number: string } }
    assert.equal(card.number, '8600***6478')
    assert.deepEqual(await opened.said('step'), ['code', 'card', 'code', 'done'])
    await opened.page.close()
  })
})

describe('the code of the SMS that lives for ten seconds', () => {
  let stage: Stage
  before(async () => {
    stage = await startStage({ settings: ['--otp-life-seconds=10', '--resend-wait-seconds=3'] })
  })
  after(() => stage.stop())

  it('waits the ten seconds of a slow bank to its end, meanwhile another code grows too old', async () => {
    const [late, waiting] = [await stage.open(), await stage.open()]
    await enterCard(late, success)
    await late.form.locator('#code').waitFor()
    await enterCard(waiting, slow)
    await waiting.form.locator('.progress', { hasText: 'taking longer than usual' }).waitFor()
    await waiting.form.locator('.whole', { hasText: 'did not answer' }).waitFor()
    assert.deepEqual(await waiting.form.locator('#number').inputValue(), '8600 1343 0184 9596')
    const error = (await waiting.heard('error')) as { code: number; reason: string; retryable: boolean }
    assert.deepEqual([error.code, error.reason, error.retryable], [-31002, 'network_timeout', true])

    await enterCode(late)
    const fault = late.form.locator('#code-fault', { hasText: 'too old' })
    await fault.waitFor()
    assert.equal(await late.form.locator('#code').inputValue(), '')
    await late.form.locator('#code').press('Tab')
    assert.ok(await fault.isVisible(), 'what the service said is gone because the focus went on')
    await late.form.locator('form.code .links button:enabled').first().click()
    await fault.waitFor({ state: 'hidden' })
    await enterCode(late)
    await late.form.locator('.done h2').waitFor()
    for (const { page } of [late, waiting]) await page.close()
  })
})
