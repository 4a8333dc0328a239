import assert from 'node:assert/strict'
import { test } from 'node:test'

import { RpcError } from '@tessera/contract/errors'

import {
  credentials,
  merchantId,
  password,
  createTestPipeline as rehearseDoor,
  request,
  strictId,
  replyJson,
} from '../../testing/pipeline.fixture.ts'
import { makePasswordThrottle } from './password-throttle.ts'

const right = `${merchantId}:${password}`
const wrong = `${merchantId}:wrong`

test('after ten wrong passwords in a minute an address has to wait, with the right password too, and no longer than the reply says', async () => {
  const { at, ask } = rehearse()
  for (let i = 0; i < 10; i++) assert.equal(await ask(wrong), 'denied')
  const waitMs = await ask(right)
  assert.equal(waitMs, 65_000)
  at(waitMs - 1)
  assert.equal(await ask(right), 1)
  at(waitMs)
  assert.equal(await ask(right), 'server')
})

test('a hundred thousand wrong passwords from one address slow down no other address and no other merchant', async () => {
  const { ask, asked } = rehearse()
  for (let i = 0; i < 100_000; i++) await ask(wrong)
  assert.equal(asked(), 10, 'the rest was not even compared')
  assert.equal(await ask(right, '198.51.100.1'), 'server')
  assert.equal(await ask(right, '192.0.2.8'), 'server', 'nor its neighbour')
  assert.equal(await ask(`${strictId}:${password}`), 'server')
  assert.equal(await ask(merchantId), 'browser', 'nor pages, which show the id alone')
})

test('right passwords are not counted, nor are requests without a password', async () => {
  const { ask } = rehearse()
  for (let i = 0; i < 50; i++) assert.equal(await ask(right), 'server')
  for (let i = 0; i < 50; i++) assert.equal(await ask('000000000000000000000000:x'), 'unknownMerchant')
  for (let i = 0; i < 50; i++) assert.equal(await ask(null), 'denied')
})

test('the reply to a throttled request has the reason and the wait, in each entry of a batch', async () => {
  const { answer, ran } = rehearseDoor({ passwords: makePasswordThrottle({ now: () => 0, wrongMinuteMax: 2 }) })
  const batch = Array.from({ length: 4 }, (_, id) => ({ id, method: 'cards.check', params: { token: 't' } }))
  const replies = JSON.parse((await answer(request(batch, { xAuth: wrong }))).text) as { error: { reason: string } }[]
  assert.deepEqual(
    replies.map(({ error }) => error.reason),
    ['access_denied', 'access_denied', 'password_limit', 'password_limit'],
  )
  const { error } = replyJson(await answer(request(batch[0], { xAuth: right })))
  assert.deepEqual([error?.code, error?.reason, error?.retry_after], [-31700, 'password_limit', 65_000])
  assert.equal(ran.length, 0)
  const page = replyJson(await answer(request(batch[0], { xAuth: wrong, isFromBrowser: true })))
  assert.equal(page.error?.reason, 'credential_in_browser', 'a browser is told this and nothing else, right or wrong')
})

function rehearse() {
  let now = 0
  let asked = 0
  const throttle = makePasswordThrottle({ now: () => now, wrongMinuteMax: 10 })
  const counted = {
    authenticate: (xAuth: string | null) => {
      asked++
      return credentials.authenticate(xAuth)
    },
  }
  return {
    at: (ms: number) => void (now = ms),
    asked: () => asked,
    /** What came of it; the wait in milliseconds when it was refused. */
    async ask(xAuth: string | null, address = '192.0.2.7') {
      try {
        return (await throttle.authenticate(counted, { xAuth, address, isFromBrowser: false })).kind
      } catch (err) {
        assert.ok(err instanceof RpcError && err.entry === 'passwordLimit')
        return err.retryAfterMs ?? 0
      }
    },
  }
}
