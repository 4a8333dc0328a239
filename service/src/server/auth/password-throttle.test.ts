import assert from 'node:assert/strict'
import { test } from 'node:test'

import { RpcError } from '@tessera/contract/errors'

import {
  credentials,
  pipelineMerchantId,
  password,
  createTestPipeline,
  request,
  strictId,
  replyJson,
} from '../../testing/pipeline.fixture.ts'
import { makePasswordThrottle } from './password-throttle.ts'

const right = `${pipelineMerchantId}:${password}`
const wrong = `${pipelineMerchantId}:wrong`

test('after ten wrong passwords in a minute an address has to wait, with the right password too, and no longer than retry_after', async () => {
  const { at, authenticate } = openThrottle()
  for (let i = 0; i < 10; i++) assert.equal(await authenticate(wrong), 'denied')
  const waitMs = await authenticate(right)
  assert.equal(waitMs, 65_000)
  at(waitMs - 1)
  assert.equal(await authenticate(right), 1)
  at(waitMs)
  assert.equal(await authenticate(right), 'server')
})

test('a hundred thousand wrong passwords from one address slow down no other address and no other merchant', async () => {
  const { authenticate, compared } = openThrottle()
  for (let i = 0; i < 100_000; i++) await authenticate(wrong)
  assert.equal(compared(), 10, 'the other passwords were not compared')
  assert.equal(await authenticate(right, '198.51.100.1'), 'server')
  assert.equal(await authenticate(right, '192.0.2.8'), 'server', 'another address of the same block')
  assert.equal(await authenticate(`${strictId}:${password}`), 'server')
  assert.equal(await authenticate(pipelineMerchantId), 'browser', 'a page, which sends only the id')
})

test('right passwords are not counted, nor are requests without a password', async () => {
  const { authenticate } = openThrottle()
  for (let i = 0; i < 50; i++) assert.equal(await authenticate(right), 'server')
  for (let i = 0; i < 50; i++) assert.equal(await authenticate('000000000000000000000000:x'), 'unknownMerchant')
  for (let i = 0; i < 50; i++) assert.equal(await authenticate(null), 'denied')
})

test('the reply to a throttled request has the reason and the wait, in each entry of a batch', async () => {
  const { answer, ran } = createTestPipeline({ passwords: makePasswordThrottle({ now: () => 0, wrongMinuteMax: 2 }) })
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
  assert.equal(page.error?.reason, 'credential_in_browser', 'a browser gets this reason, whether the password is right or wrong')
})

function openThrottle() {
  let now = 0
  let compared = 0
  const throttle = makePasswordThrottle({ now: () => now, wrongMinuteMax: 10 })
  const counted = {
    authenticate: (xAuth: string | null) => {
      compared++
      return credentials.authenticate(xAuth)
    },
  }
  return {
    at: (ms: number) => void (now = ms),
    compared: () => compared,
    /** The kind of caller, or the wait in milliseconds when the address is throttled. */
    async authenticate(xAuth: string | null, address = '192.0.2.7') {
      try {
        return (await throttle.authenticate(counted, { xAuth, address, isFromBrowser: false })).kind
      } catch (err) {
        assert.ok(err instanceof RpcError && err.entry === 'passwordLimit')
        return err.retryAfterMs ?? 0
      }
    },
  }
}
