import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'

import {
  verifyWebhook,
  WebhookRefused,
  type CardEvent,
  type PageChange,
  type PageEvent,
  type ReceiptEvent,
  type WebhookHeaders,
} from './index.ts'

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

/** Headers signed by the reference library of Standard Webhooks. */
function deliver({ id = 'evt_1', at = nowSeconds, text = body, by = secret } = {}): Record<string, string> {
  return { 'webhook-id': id, 'webhook-timestamp': String(at), 'webhook-signature': new Webhook(by).sign(id, new Date(at * 1000), text) }
}

function isAccepted(text: string, headers: WebhookHeaders, secrets: string | string[] = secret): boolean {
  try {
    verifyWebhook(text, headers, { secrets })
    return true
  } catch (err) {
    assert.ok(err instanceof WebhookRefused)
    return false
  }
}

describe('verifyWebhook', () => {
  it('returns the event of a delivery, with the id that its repetitions have too', () => {
    const delivery = verifyWebhook(body, deliver({ id: 'evt_42' }), { secrets: secret })
    assert.deepEqual(delivery, { ...event, id: 'evt_42' })
    assert.equal(delivery.type === 'receipt.paid' ? delivery.data.receipt.amount : null, 500_000)
  })

  it('accepts the body as bytes, and headers of Node, of fetch, or in another letter case', () => {
    const headers = deliver()
    const upper = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]))
    for (const given of [headers, new Headers(headers), upper]) {
      assert.equal(verifyWebhook(Buffer.from(body), given, { secrets: secret }).type, 'receipt.paid')
    }
  })

  it('accepts either secret during a rotation, and a delivery signed with both', () => {
    assert.ok(isAccepted(body, deliver({ by: oldSecret }), [secret, oldSecret]))
    assert.ok(!isAccepted(body, deliver({ by: oldSecret }), [secret]))
    const both = `${deliver({ by: oldSecret })['webhook-signature'] ?? ''} ${deliver()['webhook-signature'] ?? ''}`
    assert.ok(isAccepted(body, { ...deliver(), 'webhook-signature': both }, [secret]))
  })

  it('accepts a timestamp up to 300 seconds from now in either direction', () => {
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

  it('rejects a missing, empty or repeated header', () => {
    for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature']) {
      for (const value of [undefined, '', ['a', 'b']]) {
        assert.throws(() => verifyWebhook(body, { ...deliver(), [name]: value }, { secrets: secret }), {
          message: `the header ${name} is missing`,
        })
      }
    }
  })

  it('rejects a signed body that is not an event', () => {
    for (const text of ['', 'null', '[]', '{"type":1,"data":{}}', '{"type":"receipt.paid"', '{"type":"receipt.paid"}']) {
      assert.throws(() => verifyWebhook(text, deliver({ text }), { secrets: secret }), { message: 'the body is not an event' })
    }
  })

  it('returns an event of an unknown type, which the receiver ignores', () => {
    const text = JSON.stringify({ ...event, type: 'receipt.of_a_later_year' })
    assert.equal(verifyWebhook(text, deliver({ text }), { secrets: secret }).type, 'receipt.of_a_later_year')
  })

  it('compares at most ten signatures', () => {
    const right = deliver()['webhook-signature'] ?? ''
    const wrong = (count: number): string[] => Array.from({ length: count }, () => `v1,${'A'.repeat(43)}=`)
    assert.ok(isAccepted(body, { ...deliver(), 'webhook-signature': [...wrong(9), right].join(' ') }))
    assert.ok(!isAccepted(body, { ...deliver(), 'webhook-signature': [...wrong(10), right].join(' ') }))
  })

  it('throws TypeError for a malformed secret', () => {
    for (const secrets of ['', 'whsec_', 'whsec_c2hvcnQ=', [secret, 'short']]) {
      assert.throws(() => verifyWebhook(body, deliver(), { secrets }), TypeError)
    }
    assert.ok(!isAccepted(body, deliver(), []))
  })
})

describe('verifyWebhook and the reference library standardwebhooks', () => {
  const reference = new Webhook(secret)
  const isAcceptedByReference = (text: string, headers: Record<string, string>): boolean => {
    try {
      reference.verify(text, headers)
      return true
    } catch {
      return false
    }
  }
  const eventWith = (customer: string): string => JSON.stringify({ ...event, data: { ...event.data, customer } })

  it('accept the same generated deliveries', () => {
    const deliveries = fc.record({
      id: fc.stringMatching(/^[\w-]{1,40}$/),
      customer: fc.string({ unit: 'binary' }),
      shift: fc.integer({ min: -290, max: 290 }),
    })
    fc.assert(
      fc.property(deliveries, ({ id, customer, shift }) => {
        const text = eventWith(customer)
        const headers = deliver({ id, at: nowSeconds + shift, text })
        assert.ok(isAcceptedByReference(text, headers))
        assert.ok(isAccepted(text, headers))
      }),
    )
  })

  it('reject the same altered deliveries', () => {
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
        const isValid = isAccepted(text, headers)
        // The reference reads `17e` as 17 seconds, and throws another error for a signed body that is not JSON. Both reject the delivery.
        assert.equal(isValid, isAcceptedByReference(text, headers), `${part} ${at} ${by}`)
      }),
      { numRuns: 1000 },
    )
  })
})

it('the data of each kind of event has a type that the library exports by name', () => {
  const page: PageEvent = {
    page: {
      id: 'a'.repeat(24),
      address: 'https://shop.example/pay',
      last_read_time: 1,
      changes: [{ what: 'script', change: 'added', name: 'inline' }],
    },
  }
  const text = JSON.stringify({ type: 'page.changed', timestamp: event.timestamp, data: page })
  const delivery = verifyWebhook(text, deliver({ text }), { secrets: secret })
  const describeChange = ({ what, change }: PageChange): string => `${what} ${change}`
  const namesOf = {
    page: ({ page: { changes } }: PageEvent) => changes.map(describeChange),
    card: ({ card }: CardEvent) => [card.id],
    receipt: ({ receipt }: ReceiptEvent) => [receipt.id],
  }
  if (delivery.type !== 'page.changed') throw new TypeError(delivery.type)
  // `data` is narrowed by `type`, without an assertion.
  assert.deepEqual(namesOf.page(delivery.data), ['script added'])
})
