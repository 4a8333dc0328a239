import assert from 'node:assert/strict'
import { test } from 'node:test'

import {
  countSmsSends,
  deleteOldSmsSends,
  findDeliveryTime,
  findKnownSmsIds,
  findSmsSend,
  insertSmsSend,
  listSmsSends,
  listSmsSendsOfSubject,
  listUndecidedSms,
  recordSmsDelivery,
  recordSmsResult,
  withdrawSmsSend,
  type SmsSendRow,
} from '../sms-sends.ts'
import { deleteInPages } from '../store.ts'
import type { WithStore } from './opened.fixture.ts'
import { sampleMerchantId, T0 } from './samples.fixture.ts'

const phone = { keyId: 'a'.repeat(32), phoneHash: new Uint8Array(32).fill(7) }

function makeSend(number: number, values: Partial<SmsSendRow> = {}): SmsSendRow {
  return {
    messageId: number.toString(16).padStart(24, '0'),
    gateway: 'http',
    merchantId: sampleMerchantId,
    purpose: 'code',
    subject: 'c'.repeat(24),
    ...phone,
    phoneMask: '99890*****67',
    parts: 1,
    requestedAt: T0 + number,
    outcome: 'requested',
    acceptedAt: null,
    gatewayMessageId: '',
    deliveredAt: null,
    failedAt: null,
    error: '',
    ...values,
  }
}

function accepted(number: number, gatewayMessageId: string) {
  const { messageId, gateway } = makeSend(number)
  return { messageId, gateway, outcome: 'accepted', acceptedAt: T0 + number + 100, failedAt: null, gatewayMessageId, error: '' } as const
}

export function smsSendsSuite(withStore: WithStore): void {
  test(
    'a message is stored before its gateway replies, then with the reply, then with the report of its delivery, of which the first counts',
    withStore(async ({ store }) => {
      const send = makeSend(1)
      await store.write(insertSmsSend, { send })
      assert.deepEqual(await store.read(findSmsSend(send)), send)
      const report = { gateway: 'http', gatewayMessageId: 'g-1', deliveredAt: T0 + 900, failedAt: null, error: '', after: T0 - 1000 }
      assert.equal(await store.write(recordSmsDelivery, report), false)
      await store.write(recordSmsResult, { result: accepted(1, 'g-1') })
      assert.equal(await store.write(recordSmsDelivery, { ...report, gateway: 'smpp' }), false)
      assert.equal(await store.write(recordSmsDelivery, { ...report, after: T0 + 1 }), false)
      assert.equal(await store.write(recordSmsDelivery, report), true)
      assert.equal(await store.write(recordSmsDelivery, { ...report, deliveredAt: T0 + 5000 }), true)
      const expected = { ...send, outcome: 'accepted', acceptedAt: T0 + 101, gatewayMessageId: 'g-1', deliveredAt: T0 + 900 }
      assert.deepEqual(await store.read(findSmsSend(send)), expected)
    }),
  )

  test(
    'of ids of a gateway those of our messages are found',
    withStore(async ({ store }) => {
      for (const number of [1, 2, 3]) await store.write(insertSmsSend, { send: makeSend(number) })
      for (const number of [1, 2]) await store.write(recordSmsResult, { result: accepted(number, `g-${String(number)}`) })
      assert.deepEqual(await store.read(findKnownSmsIds('http', ['g-0', 'g-1', 'g-2', 'g-3'])), new Set(['g-1', 'g-2']))
      assert.deepEqual(await store.read(findKnownSmsIds('smpp', ['g-1'])), new Set())
    }),
  )

  test(
    'the messages that a gateway has and of which nobody knows the outcome are listed, newest first',
    withStore(async ({ store }) => {
      for (const number of [1, 2, 3, 4, 5]) await store.write(insertSmsSend, { send: makeSend(number) })
      for (const number of [1, 2, 3, 4]) await store.write(recordSmsResult, { result: accepted(number, `g-${String(number)}`) })
      const report = { gateway: 'http', error: '', after: 0 }
      await store.write(recordSmsDelivery, { ...report, gatewayMessageId: 'g-2', deliveredAt: T0, failedAt: null })
      await store.write(recordSmsDelivery, { ...report, gatewayMessageId: 'g-3', deliveredAt: null, failedAt: T0 })
      const [one, four] = [1, 4].map((number) => ({ gatewayMessageId: `g-${String(number)}`, requestedAt: T0 + number }))
      assert.deepEqual(await store.read(listUndecidedSms('http', T0)), [four, one])
      assert.deepEqual(await store.read(listUndecidedSms('http', T0 + 1)), [four])
      assert.deepEqual(await store.read(listUndecidedSms('smpp', 0)), [])
    }),
  )

  test(
    'a message whose gateway was not called after all is deleted, and one with an outcome is not',
    withStore(async ({ store }) => {
      const [uncalled, other, replied] = [makeSend(1), makeSend(1, { gateway: 'smpp' }), makeSend(2)]
      for (const send of [uncalled, other, replied]) await store.write(insertSmsSend, { send })
      await store.write(recordSmsResult, { result: accepted(2, 'g-2') })
      for (const { messageId, gateway } of [uncalled, replied]) await store.write(withdrawSmsSend, { messageId, gateway })
      assert.equal(await store.read(findSmsSend(uncalled)), null)
      assert.deepEqual(await store.read(findSmsSend(other)), other)
      assert.equal((await store.read(findSmsSend(replied)))?.outcome, 'accepted')
    }),
  )

  test(
    'messages are found by the hash of their phone under its key, newest first, and each gateway of a message has a row',
    withStore(async ({ store }) => {
      const sends = [makeSend(1), makeSend(2), makeSend(2, { gateway: 'smpp', requestedAt: T0 + 3 })]
      const others = [makeSend(4, { phoneHash: new Uint8Array(32).fill(8) }), makeSend(5, { keyId: 'b'.repeat(32) })]
      for (const send of [...sends, ...others]) await store.write(insertSmsSend, { send })
      assert.deepEqual(await store.read(listSmsSends({ ...phone, count: 9 })), sends.toReversed())
      assert.deepEqual(await store.read(listSmsSends({ ...phone, count: 1 })), sends.slice(-1))
    }),
  )

  test(
    'the messages about a card whose ids are of one second are found, of one merchant',
    withStore(async ({ store }) => {
      const id = (second: number, n: number): string => `${(T0 / 1000 + second).toString(16)}07f3${n.toString(16).padStart(12, '0')}`
      const sends = [makeSend(1, { messageId: id(0, 1) }), makeSend(2, { messageId: id(0, 1), gateway: 'smpp' })]
      const others = [
        makeSend(3, { messageId: id(1, 1) }),
        makeSend(4, { messageId: id(0, 2), subject: 'f'.repeat(24) }),
        makeSend(5, { messageId: id(0, 3), merchantId: 'f'.repeat(24) }),
      ]
      for (const send of [...sends, ...others]) await store.write(insertSmsSend, { send })
      const { subject, merchantId } = makeSend(1)
      assert.deepEqual(await store.read(listSmsSendsOfSubject({ subject, merchantId, at: T0 + 999 })), sends)
    }),
  )

  test(
    'messages are counted by gateway and outcome, with how long their delivery took',
    withStore(async ({ store }) => {
      for (let number = 0; number < 7; number++) await store.write(insertSmsSend, { send: makeSend(number, { parts: 2 }) })
      await store.write(insertSmsSend, { send: makeSend(8, { gateway: 'smpp' }) })
      for (const number of [0, 1, 2, 3]) await store.write(recordSmsResult, { result: accepted(number, `g${String(number)}`) })
      const refused = { outcome: 'rejected', acceptedAt: null, failedAt: T0 + 50, error: 'http 422' } as const
      await store.write(recordSmsResult, { result: { ...accepted(4, ''), ...refused } })
      await store.write(recordSmsResult, { result: { ...accepted(5, ''), outcome: 'unknown', acceptedAt: null } })
      const report = { gateway: 'http', after: 0, error: '' }
      for (const [id, took] of [5000, 1000, 3000].entries()) {
        const deliveredAt = accepted(id, '').acceptedAt + took
        await store.write(recordSmsDelivery, { ...report, gatewayMessageId: `g${String(id)}`, deliveredAt, failedAt: null })
      }
      await store.write(recordSmsDelivery, { ...report, gatewayMessageId: 'g3', deliveredAt: null, failedAt: T0, error: 'UNDELIV' })
      const none = { accepted: 0, rejected: 0, unknown: 0, delivered: 0, failed: 0, parts: 0 }
      assert.deepEqual(await store.read(countSmsSends(T0)), [
        { gateway: 'http', sent: 7, accepted: 4, rejected: 1, unknown: 2, delivered: 3, failed: 1, parts: 8 },
        { ...none, gateway: 'smpp', sent: 1, unknown: 1 },
      ])
      assert.deepEqual(await store.read(countSmsSends(T0 + 8)), [{ ...none, gateway: 'smpp', sent: 1, unknown: 1 }])
      assert.equal(await store.read(findDeliveryTime('http', T0, 1)), 3000)
      assert.equal(await store.read(findDeliveryTime('smpp', T0, 0)), null)
    }),
  )

  test(
    'messages are deleted by age, page by page',
    withStore(async ({ store }) => {
      for (let number = 0; number < 510; number++) await store.write(insertSmsSend, { send: makeSend(number) })
      assert.equal(await deleteInPages(store, deleteOldSmsSends, T0 + 505), 505)
      assert.equal((await store.read(listSmsSends({ ...phone, count: 600 }))).length, 5)
    }),
  )
}
