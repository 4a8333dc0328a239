// time limit: 120 s
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'

import { pressInFrame } from '../tools/press-in-frame.ts'
import { enterCard, enterCode, startTestBed, type OpenForm, type TestBed } from './form.fixture.ts'

const success = '8600069195406311'
const address = '**/form/v1/deferred-*.js'

describe('the deferred script of the form', () => {
  let testBed: TestBed
  before(async () => {
    testBed = await startTestBed()
  })
  after(() => testBed.stop())

  it('is loaded once, after the form was painted, while nobody has pressed anything', async () => {
    const opened = await testBed.open()
    await opened.waitUntilComplete()
    const frame = await opened.frame()
    const { painted, requested, count } = await frame.evaluate(() => {
      const [paint] = performance.getEntriesByName('first-paint')
      const scripts = performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.js'))
      return { painted: paint?.startTime ?? Infinity, requested: scripts[0]?.startTime ?? 0, count: scripts.length }
    })
    assert.equal(count, 1)
    assert.ok(painted <= requested, `painted at ${String(painted)} ms, requested at ${String(requested)} ms`)
    assert.equal(opened.callCount('cards.create'), 0)
    assert.deepEqual(opened.consoleLines, [])
    await opened.page.close()
  })

  it('is the only script that the policy of the form allows', async () => {
    const opened = await testBed.open()
    await opened.waitUntilComplete()
    const frame = await opened.frame()
    const refused = await frame.evaluate(async (sdk) => {
      const template = document.querySelector('template') as HTMLTemplateElement
      const outcomeOf = (change: (script: HTMLScriptElement) => void): Promise<string> => {
        const script = document.importNode(template.content, true).firstElementChild as HTMLScriptElement
        return new Promise((resolve) => {
          script.onload = () => resolve('loaded')
          script.onerror = () => resolve('refused')
          try {
            change(script)
          } catch (err) {
            resolve((err as Error).name)
          }
          document.head.append(script)
        })
      }
      return [
        await outcomeOf(() => undefined),
        // Trusted Types: a script may write no address.
        await outcomeOf((script) => (script.src = sdk)),
        await outcomeOf((script) => (script.text = 'document.title = 1')),
        // A module by its address alone, which Trusted Types do not cover: the policy does.
        await import(sdk).then(
          () => 'loaded',
          () => 'refused',
        ),
      ]
    }, `${testBed.formOrigin}/sdk/v1/tessera.mjs`)
    assert.deepEqual(refused, ['loaded', 'TypeError', 'TypeError', 'refused'])
    await opened.page.close()
  })

  it('is loaded when the card is sent, if it was not there before', async () => {
    const { held, release } = hold()
    const opened = await testBed.open({ prepare: held })
    await enterCard(opened, success)
    await opened.form.locator('.root[aria-busy] .progress').waitFor()
    assert.equal(opened.callCount('cards.create'), 0)
    release()
    await enterCode(opened)
    await opened.waitForEvent('token')
    await opened.page.close()
  })

  it('can be waited for no longer, and nothing that was typed is lost', async () => {
    const { held, release } = hold()
    const opened = await testBed.open({ prepare: held })
    await enterCard(opened, success)
    await pressInFrame(opened.form.locator('.progress button'))
    await expectError(opened, 'stopped', /You stopped waiting/)
    release()
    await pressInFrame(opened.form.locator('form.card button'))
    await enterCode(opened)
    await opened.waitForEvent('token')
    await opened.page.close()
  })

  for (const [what, reply, reason, text] of [
    ['there is no connection', (route: Route) => route.abort('connectionfailed'), 'offline', /no connection/],
    [
      'a proxy replies for the service',
      (route: Route) => route.fulfill({ status: 502, body: 'Bad Gateway' }),
      'service_error',
      /not available/,
    ],
    ['it was changed on the way', changeScript, 'service_error', /not available/],
  ] as const) {
    it(`is requested again when the card is sent: ${what}`, async () => {
      let isFaulty = true
      const prepare = (page: Page): Promise<unknown> => page.route(address, (route) => (isFaulty ? reply(route) : route.continue()))
      const opened = await testBed.open({ prepare })
      await enterCard(opened, success)
      await expectError(opened, reason, text)
      isFaulty = false
      await pressInFrame(opened.form.locator('form.card button'))
      await enterCode(opened)
      await opened.waitForEvent('token')
      await opened.page.close()
    })
  }

  it('is given up after ten seconds without a response', async () => {
    const { held } = hold()
    const prepare = async (page: Page): Promise<void> => {
      await page.clock.install()
      await held(page)
    }
    const opened = await testBed.open({ prepare })
    await enterCard(opened, success)
    await opened.form.locator('.root[aria-busy]').waitFor()
    await opened.page.clock.fastForward(11_000)
    await expectError(opened, 'service_error', /not available/)
    await opened.page.close()
  })

  /** The form shows the error, has what was typed, and sent no card. */
  async function expectError(opened: OpenForm, reason: string, text: RegExp): Promise<void> {
    await opened.form.locator('form.card .whole', { hasText: text }).waitFor()
    const error = (await opened.waitForEvent('error')) as { reason: string; retryable: boolean; field: string | null }
    assert.deepEqual([error.reason, error.retryable, error.field], [reason, true, null])
    assert.equal(await opened.form.locator('#number').inputValue(), '8600 0691 9540 6311')
    assert.equal(await opened.form.locator('#expiry').inputValue(), '03/99')
    assert.equal(opened.callCount('cards.create'), 0)
  }
})

type Route = Parameters<Parameters<Page['route']>[1]>[0]

/** Requests for the script get no response until they are released. */
function hold(): { held: (page: Page) => Promise<unknown>; release: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { held: (page) => page.route(address, (route) => promise.then(() => route.continue())), release: resolve }
}

async function changeScript(route: Route): Promise<void> {
  const response = await route.fetch()
  await route.fulfill({ response, body: `${await response.text()}\n` })
}
