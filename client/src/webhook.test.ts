import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'

import { verifyWebhook, WebhookRefused, type WebhookHeaders } from './index.ts'

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const oldSecret = `whsec_${Buffer.alloc(24, 9).toString('base64')}`
const event = {
  type: 'receipt.paid',
  timestamp: '2026-11-21T00:00:00.000Z',
  data: {
    receipt: {
      id: '6745a1f0000a3f5c0d2e4b62',
      state: 4,
      amount: 500_000,
      currency: 860,
      pay_time: 1,
      cancel_time: 0,
      card: null,
      account: { order_id: 'Ташкент №197' },
      reason: null,
    },
    customer: null,
  },
}
const body = JSON.stringify(event)
const nowSeconds = Math.floor(Date.now() / 1000)

/** A delivery as the Standard Webhooks library of others signs it. */
function deliver({ id = 'evt_1', at = nowSeconds, text = body, by = secret } = {}): Record<string, string> {
  return { 'webhook-id': id, 'webhook-timestamp': String(at), 'webhook-signature': new Webhook(by).sign(id, new Date(at * 1000), text) }
}

function isTaken(text: string, headers: WebhookHeaders, secrets: string | string[] = secret): boolean {
  try {
    verifyWebhook(text, headers, { secrets })
    return true
  } catch (err) {
    assert.ok(err instanceof WebhookRefused)
    return false
  }
}

describe('verifyWebhook', () => {
  it('gives the event of a delivery, with the id under which it is repeated', () => {
    const delivery = verifyWebhook(body, deliver({ id: 'evt_42' }), { secrets: secret })
    assert.deepEqual(delivery, { ...event, id: 'evt_42' })
    assert.equal(delivery.type === 'receipt.paid' ? delivery.data.receipt.amount : null, 500_000)
  })

  it("takes the body as bytes, and headers as node's, as fetch's, or as a proxy spelled them", () => {
    const headers = deliver()
    const upper = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]))
    for (const given of [headers, new Headers(headers), upper]) {
      assert.equal(verifyWebhook(Buffer.from(body), given, { secrets: secret }).type, 'receipt.paid')
    }
  })

  it('takes either secret while one is being rotated, and a delivery signed with both', () => {
    assert.ok(isTaken(body, deliver({ by: oldSecret }), [secret, oldSecret]))
    assert.ok(!isTaken(body, deliver({ by: oldSecret }), [secret]))
    const both = `${deliver({ by: oldSecret })['webhook-signature'] ?? ''} ${deliver()['webhook-signature'] ?? ''}`
    assert.ok(isTaken(body, { ...deliver(), 'webhook-signature': both }, [secret]))
  })

  it('takes 300 seconds to either side of now, and not one more', () => {
    const now = nowSeconds * 1000 + 999
    for (const [seconds, expected] of [
      [-301, false],
      [-300, true],
      [300, true],
      [301, false],
    ] as const) {
      const check = (): unknown => verifyWebhook(body, deliver({ at: nowSeconds + seconds }), { secrets: secret, now })
      if (expected) assert.doesNotThrow(check)
      else assert.throws(check, /too far from now/)
    }
  })

  it('refuses a header that is missing, empty or there twice', () => {
    for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature']) {
      for (const value of [undefined, '', ['a', 'b']]) {
        assert.throws(() => verifyWebhook(body, { ...deliver(), [name]: value }, { secrets: secret }), {
          message: `the header ${name} is missing`,
        })
      }
    }
  })

  it('refuses a signed body that is no event', () => {
    for (const text of ['', 'null', '[]', '{"type":1,"data":{}}', '{"type":"receipt.paid"', '{"type":"receipt.paid"}']) {
      assert.throws(() => verifyWebhook(text, deliver({ text }), { secrets: secret }), { message: 'the body is no event' })
    }
  })

  it('gives an event that this version does not know: the receiver ignores it', () => {
    const text = JSON.stringify({ ...event, type: 'receipt.of_a_later_year' })
    assert.equal(verifyWebhook(text, deliver({ text }), { secrets: secret }).type, 'receipt.of_a_later_year')
  })

  it('looks at ten signatures and no more', () => {
    const right = deliver()['webhook-signature'] ?? ''
    const wrong = (count: number): string[] => Array.from({ length: count }, () => `v1,${'A'.repeat(43)}=`)
    assert.ok(isTaken(body, { ...deliver(), 'webhook-signature': [...wrong(9), right].join(' ') }))
    assert.ok(!isTaken(body, { ...deliver(), 'webhook-signature': [...wrong(10), right].join(' ') }))
  })

  it('wants a secret that is one', () => {
    for (const secrets of ['', 'whsec_', 'whsec_c2hvcnQ=', [secret, 'short']]) {
      assert.throws(() => verifyWebhook(body, deliver(), { secrets }), TypeError)
    }
    assert.ok(!isTaken(body, deliver(), []))
  })
})

describe('verifyWebhook and the standardwebhooks library of others', () => {
  const theirs = new Webhook(secret)
  const isTakenThere = (text: string, headers: Record<string, string>): boolean => {
    try {
      theirs.verify(text, headers)
      return true
    } catch {
      return false
    }
  }
  const asEvent = (customer: string): string => JSON.stringify({ ...event, data: { ...event.data, customer } })

  it('take the same deliveries, whatever is in them', () => {
    const deliveries = fc.record({
      id: fc.stringMatching(/^[\w-]{1,40}$/),
      customer: fc.string({ unit: 'binary' }),
      shift: fc.integer({ min: -290, max: 290 }),
    })
    fc.assert(
      fc.property(deliveries, ({ id, customer, shift }) => {
        const text = asEvent(customer)
        const headers = deliver({ id, at: nowSeconds + shift, text })
        assert.ok(isTakenThere(text, headers))
        assert.ok(isTaken(text, headers))
      }),
    )
  })

  it('refuse the same deliveries, whatever was done to them', () => {
    const changes = fc.oneof(
      fc.record({
        part: fc.constantFrom('webhook-id', 'webhook-timestamp', 'webhook-signature', 'body'),
        at: fc.nat(400),
        by: fc.stringMatching(/^[ -~]$/),
      }),
    )
    fc.assert(
      fc.property(changes, ({ part, at, by }) => {
        const put = (text: string): string => `${text.slice(0, at % text.length)}${by}${text.slice((at % text.length) + 1)}`
        const headers = Object.fromEntries(Object.entries(deliver()).map(([name, value]) => [name, name === part ? put(value) : value]))
        const text = part === 'body' ? put(body) : body
        const verdict = isTaken(text, headers)
        // Theirs reads `17e` as 17 seconds and answers a signed body that is no JSON with an error of its own; both then refuse.
        assert.equal(verdict, isTakenThere(text, headers), `${part} ${at} ${by}`)
      }),
      { numRuns: 1000 },
    )
  })
})
