import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { bucketOf } from '@tessera/vault/id'

import { createTestApp } from '../../testing/test-app.fixture.ts'
import { pipelineMerchantId, password, createTestPipeline, request } from '../../testing/pipeline.fixture.ts'
import type { HttpRequest } from '../../server/http/request.ts'
import { type FindingRow, listFindings } from '../../store/findings.ts'

import { makeComplianceFindings } from './findings.ts'
import { addFindings } from '../../store/findings.ts'
import { replaceWrite, storeOf } from '../../testing/store.fixture.ts'

const app = await createTestApp({ after })
const { findings, clock } = app
const of = { bucket: bucketOf(pipelineMerchantId), merchantId: pipelineMerchantId }
const pipeline = createTestPipeline({ observer: { completed: (entry) => findings.record(entry), failed: () => undefined } })
const server = `${pipelineMerchantId}:${password}`
const shop = 'https://shop.example'
const pan = '8600069195406311'

async function call(method: string, params: object, overrides: Partial<HttpRequest>): Promise<string> {
  await pipeline.answer(request({ id: 1, method, params }, overrides))
  await findings.runOnce()
  const found = await findings.list(of)
  return found.map(({ kind, seenBy, count }) => `${kind} ${seenBy} ${String(count)}`).join(', ')
}

test('findings are counted by kind and by how the caller authenticated, and no value of a call is stored', async () => {
  const card = { number: pan, expire: '0399' }
  // Correct calls, and calls that do not come from the merchant's own code: a wrong password, a page that sends a card.
  assert.equal(await call('cards.create', { card, save: true }, {}), '')
  assert.equal(await call('cards.check', {}, { xAuth: `${pipelineMerchantId}:wrong`, origin: shop, isFromBrowser: true }), '')
  assert.equal(await call('cards.check', { token: 'a'.repeat(24) }, { xAuth: server }), '')

  const seen = [
    await call('cards.check', {}, { xAuth: server, origin: shop, isFromBrowser: true }),
    await call('cards.create', { card, cvv: '123' }, {}),
    await call('cards.check', { token: 'x', note: `card ${pan}` }, { xAuth: server }),
    await call('cards.check', { token: 'x', card }, { xAuth: server }),
    await call('cards.create', { card }, { xAuth: server }),
    await call('cards.create', { card, pin: '1234' }, {}),
  ]
  const kinds = ['password_in_browser server', 'sad_sent browser', 'card_out_of_place server', 'card_to_other_method server']
  for (const [at, kind] of [...kinds, 'card_from_server server'].entries())
    assert.ok(seen[at]?.includes(`${kind} 1`), `${kind}: ${seen[at]}`)
  assert.ok(seen.at(-1)?.includes('sad_sent browser 2'))
  const stored = await app.store.read(listFindings(of))
  assert.deepEqual(
    stored.filter(({ origin }) => origin !== '').map(({ kind, origin, method }) => [kind, origin, method]),
    [['password_in_browser', shop, 'cards.check']],
  )
  const text = JSON.stringify(stored)
  for (const secret of [pan, password, '123"', '1234']) assert.ok(!text.includes(secret), secret)
})

test('an invalid origin, or one with digits like a card number, is not stored', async () => {
  for (const origin of ['null', 'https://8600069195406311.example', `https://${'a'.repeat(200)}.example`, 'https://shop.example/path']) {
    await call('cards.check', {}, { xAuth: server, origin, isFromBrowser: true })
    assert.equal((await findings.list(of)).find(({ kind }) => kind === 'password_in_browser')?.origin, '', origin)
  }
})

test('findings that could not be written are written later, with newer ones', async () => {
  const written: FindingRow[][] = []
  let isDown = true
  const store = storeOf(
    replaceWrite(addFindings, async ({ findings }) => {
      if (isDown) throw new Error('no database')
      written.push([...findings])
    }),
  )
  const own = makeComplianceFindings({ store, clock })
  const seen = {
    requestId: 'a',
    method: 'cards.check',
    merchantId: pipelineMerchantId,
    callerKind: 'server',
    origin: null,
    hasCardNumber: true,
    error: null,
  } as const
  own.record(seen)
  const failing = own.runOnce()
  own.record({ ...seen, requestId: 'b' })
  await assert.rejects(failing, /no database/)
  isDown = false
  await own.runOnce()
  await own.runOnce()
  assert.deepEqual(
    written.map((rows) => rows.map(({ count, requestId }) => [count, requestId])),
    [[[2, 'b']]],
  )
})
