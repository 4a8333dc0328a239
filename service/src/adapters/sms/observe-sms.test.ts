import assert from 'node:assert/strict'
import { test } from 'node:test'

import { callGraceMs } from '../../clock.ts'
import { until } from '../../testing/child.fixture.ts'
import { makeHandClock } from '../../testing/clock.fixture.ts'

import { observeSms, type SmsSend } from './observe-sms.ts'
import type { SmsMessage, SmsResult } from './sms.ts'

const message = {} as SmsMessage

test('each message is reported once: with its outcome, also shortly after its caller gave it up, and otherwise as failed', async () => {
  const clock = makeHandClock()
  const sends: SmsSend[] = []
  const results: Promise<SmsResult>[] = [Promise.resolve({ outcome: 'accepted' }), Promise.resolve({ outcome: 'unknown' })]
  let end: (result: SmsResult) => void = () => undefined
  const sms = observeSms({
    sms: { send: () => results.shift() ?? new Promise<SmsResult>((resolve) => (end = resolve)) },
    onSend: (send) => sends.push(send),
    now: () => 0,
    clock,
  })
  const giving = new AbortController()
  await sms.send(message, giving.signal)
  await sms.send(message, giving.signal)
  const pending = sms.send(message, giving.signal)
  giving.abort()
  await clock.untilSleeping(callGraceMs)
  clock.advance(callGraceMs)
  await until(() => sends.length === 3, 'the report')
  end({ outcome: 'accepted' })
  await pending
  const leaving = new AbortController()
  const told = sms.send(message, leaving.signal)
  leaving.abort()
  end({ outcome: 'rejected' })
  await told
  results.push(Promise.reject(new Error('broken')))
  await assert.rejects(sms.send(message, new AbortController().signal), /broken/)
  assert.deepEqual(
    sends.map(({ outcome }) => outcome),
    ['accepted', 'unknown', 'failed', 'rejected', 'failed'],
  )
})
