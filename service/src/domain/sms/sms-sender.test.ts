import assert from 'node:assert/strict'
import { createSecretKey, randomBytes } from 'node:crypto'
import { test } from 'node:test'

import type { Dek } from '@tessera/vault/dek'

import type { SmsOutcome, SmsResult } from '../../adapters/sms/sms.ts'
import { insertSmsSend, recordSmsResult, withdrawSmsSend } from '../../store/sms-sends.ts'
import { makeHandClock } from '../../testing/clock.fixture.ts'
import { makeSeeded } from '../../testing/seeded.fixture.ts'
import { replaceWrite, storeOf } from '../../testing/store.fixture.ts'
import { PeerUnavailable, type PeerGate } from '../limits/peer-gate.ts'
import { makeSmsSender, type SmsGateway } from './sms-sender.ts'

const message = {
  messageId: 'a'.repeat(24),
  merchantId: 'b'.repeat(24),
  phone: '998901234567',
  text: 'code 123456',
  lifetimeSeconds: 180,
  purpose: 'code',
  subject: 'c'.repeat(24),
} as const
const dek: Dek = { keyId: 'd'.repeat(32), purpose: 'phone', owner: '', epoch: 1, createdAt: 0, key: createSecretKey(randomBytes(32)) }
const never = new AbortController().signal

type Behavior = SmsOutcome | 'broken' | 'open' | 'full'

/** Gateways that behave as named; `full` has no place left when it is called. */
function start(behaviors: Record<string, Behavior>, weights: Record<string, number> = {}) {
  const calls: string[] = []
  const stored: string[] = []
  const refused: string[] = []
  const { below } = makeSeeded(1)
  const clock = makeHandClock()
  const gateways = Object.entries(behaviors).map(([name, behavior]): SmsGateway => {
    const send = async (): Promise<SmsResult> => {
      calls.push(name)
      if (behavior === 'broken') throw new Error('broken')
      return { outcome: behavior as SmsOutcome, error: behavior }
    }
    return { name, weight: weights[name] ?? 0, sms: { send }, gate: gateThat(behavior, () => void refused.push(name)) }
  })
  const sender = makeSmsSender({
    gateways,
    random: below,
    clock,
    keyring: { active: async () => dek },
    reports: { messageStored: async () => undefined },
    onUnstored: (err) => assert.fail(String(err)),
    store: storeOf(
      replaceWrite(insertSmsSend, async ({ send }) => void stored.push(`${send.gateway} ${send.outcome}`)),
      replaceWrite(withdrawSmsSend, async ({ gateway }) => void stored.push(`${gateway} withdrawn`)),
      replaceWrite(recordSmsResult, async ({ result }) => void stored.push(`${result.gateway} ${result.outcome}`)),
    ),
  })
  return { calls, stored, refused, sender, send: () => sender.send(message, { timeoutMs: 1000, signal: never }) }
}

function gateThat(behavior: Behavior, onRefused: () => void): PeerGate {
  const waitMs = behavior === 'open' ? 4000 : 0
  return {
    breakerState: behavior === 'open' ? 'open' : 'closed',
    isFailing: behavior === 'open',
    recoveries: 0,
    freePlaces: behavior === 'full' ? 0 : 1,
    waitMs: () => waitMs,
    refusalMs() {
      if (waitMs > 0) onRefused()
      return waitMs
    },
    call: (_merchantId, run) =>
      behavior === 'full' ? Promise.reject(new PeerUnavailable('sms', { reason: 'full', retryAfterMs: 1000 })) : run(),
    hold: (_merchantId, run) => run(),
  }
}

test('the next gateway gets a message only after a rejection, or when the one before was not called', async () => {
  for (const [first, isPassedOn, kind] of [
    ['accepted', false, 'accepted'],
    ['unknown', false, 'unknown'],
    ['broken', false, 'unknown'],
    ['rejected', true, 'accepted'],
    ['open', true, 'accepted'],
    ['full', true, 'accepted'],
  ] as const) {
    const { calls, send } = start({ first, second: 'accepted' })
    assert.equal((await send()).kind, kind, first)
    assert.equal(calls.includes('second'), isPassedOn, first)
  }
})

test('a message that nobody takes is rejected if a gateway rejected it, and otherwise was not sent, with the shortest wait', async () => {
  assert.deepEqual(await start({ a: 'open', b: 'rejected', c: 'full' }).send(), { kind: 'rejected' })
  assert.deepEqual(await start({ a: 'open', b: 'full' }).send(), { kind: 'not_called', retryAfterMs: 1000 })
  assert.equal(start({ a: 'open', b: 'accepted' }).sender.refusalMs(message.merchantId), 0)
  assert.equal(start({ a: 'open' }).sender.refusalMs(message.merchantId), 4000)
})

test('each gateway that was called has its own row, stored before the call', async () => {
  const { stored, send } = start({ a: 'open', b: 'rejected', c: 'accepted' })
  await send()
  assert.deepEqual(stored, ['b requested', 'b rejected', 'c requested', 'c accepted'])
})

test('nothing is left of a message whose gateway had no place any more when it was to be called', async () => {
  const { stored, send } = start({ a: 'full', b: 'accepted' })
  await send()
  assert.deepEqual(stored, ['a requested', 'a withdrawn', 'b requested', 'b accepted'])
})

test('the question whether a gateway would be called counts as refused only when none would, and then once', () => {
  const one = start({ a: 'open', b: 'accepted' })
  assert.equal(one.sender.refusalMs(message.merchantId), 0)
  assert.deepEqual(one.refused, [])
  const none = start({ a: 'open', b: 'open' })
  assert.equal(none.sender.refusalMs(message.merchantId), 4000)
  assert.deepEqual(none.refused, ['a'])
})

test('gateways get messages by their weights, and one without weight only what the others rejected', async () => {
  const { calls, send } = start({ spare: 'accepted', a: 'accepted', b: 'accepted' }, { a: 3, b: 1 })
  for (let at = 0; at < 1000; at++) await send()
  const share = calls.filter((name) => name === 'a').length / calls.length
  assert.ok(share > 0.7 && share < 0.8, String(share))
  assert.ok(!calls.includes('spare'))
  const rejecting = start({ spare: 'accepted', a: 'rejected', b: 'rejected' }, { a: 3, b: 1 })
  await rejecting.send()
  assert.deepEqual([rejecting.calls.length, rejecting.calls.at(-1)], [3, 'spare'])
})
