import assert from 'node:assert/strict'
import { test } from 'node:test'

import { observeSms, type SmsSend } from './observe-sms.ts'
import type { SmsMessage, SmsResult } from './sms.ts'

const message = {} as SmsMessage

test('each message is reported once: with its outcome, as failed when the adapter throws, and when its caller gives it up', async () => {
  const sends: SmsSend[] = []
  const results: Promise<SmsResult>[] = [Promise.resolve({ outcome: 'accepted' }), Promise.resolve({ outcome: 'unknown' })]
  let end: (result: SmsResult) => void = () => undefined
  const sms = observeSms({
    sms: { send: () => results.shift() ?? new Promise<SmsResult>((resolve) => (end = resolve)) },
    onSend: (send) => sends.push(send),
    now: () => 0,
  })
  const giving = new AbortController()
  await sms.send(message, giving.signal)
  await sms.send(message, giving.signal)
  const pending = sms.send(message, giving.signal)
  giving.abort()
  end({ outcome: 'accepted' })
  await pending
  results.push(Promise.reject(new Error('broken')))
  await assert.rejects(sms.send(message, new AbortController().signal), /broken/)
  assert.deepEqual(
    sends.map(({ outcome }) => outcome),
    ['accepted', 'unknown', 'failed', 'failed'],
  )
})
