import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import type { Sms, SmsMessage } from './sms.ts'

/** An adapter under test, with its gateway. */
export interface SmsSetup {
  readonly sms: Sms
  /** The texts that reached the gateway, by our message id, in order. */
  receivedTexts(): Promise<readonly string[]>
  /** Makes the gateway refuse the next message. */
  rejectNext(): Promise<void>
  /** Makes the gateway accept the next message without responding. */
  loseNextAnswer(): Promise<void>
  close(): Promise<void>
}

/** What every SMS adapter must do. Run by each adapter's test against its gateway, or a documented test double of it. */
export function describeSms(name: string, setUp: () => Promise<SmsSetup>): void {
  describe(`SMS adapter ${name}`, () => {
    it('delivers the text once and reports "accepted"', () =>
      withSetup(async ({ sms, receivedTexts }) => {
        assert.equal((await sms.send(message('a'), never)).outcome, 'accepted')
        assert.deepEqual(await receivedTexts(), [message('a').text])
      }))

    it('reports "rejected" when the gateway refuses, and nothing is delivered', () =>
      withSetup(async ({ sms, rejectNext, receivedTexts }) => {
        await rejectNext()
        const { outcome, error } = await sms.send(message('b'), never)
        assert.equal(outcome, 'rejected')
        assert.doesNotMatch(String(error), /998901234566|Code 123456/)
        assert.deepEqual(await receivedTexts(), [])
      }))

    it('neither reports "rejected" nor sends again when the response is lost: the cardholder would get two codes', () =>
      withSetup(async ({ sms, loseNextAnswer, receivedTexts }) => {
        await loseNextAnswer()
        const caller = new AbortController()
        const sending = sms.send(message('c'), caller.signal).then(
          ({ outcome }) => outcome,
          (err: unknown) => err,
        )
        while ((await receivedTexts()).length === 0) await new Promise(setImmediate)
        caller.abort(new Error('the timeout of the caller'))
        assert.notEqual(await sending, 'rejected')
        assert.deepEqual(await receivedTexts(), [message('c').text])
      }))

    it('throws nothing that contains the phone or the text', () =>
      withSetup(async ({ sms, close }) => {
        await close()
        const shown = await sms.send(message('d'), never).then(JSON.stringify, (err: unknown) => String(err))
        assert.doesNotMatch(shown, /998901234566|Code 123456/)
      }))
  })

  async function withSetup(run: (setup: SmsSetup) => Promise<void>): Promise<void> {
    const setup = await setUp()
    try {
      await run(setup)
    } finally {
      await setup.close()
    }
  }
}

function message(messageId: string): SmsMessage {
  return {
    messageId,
    merchantId: '65f0c0ffee0000000000cafe',
    phone: '998901234566',
    text: `Code 123456 ${messageId}`,
    lifetimeSeconds: 180,
  }
}

const never = new AbortController().signal
