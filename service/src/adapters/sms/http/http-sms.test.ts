import assert from 'node:assert/strict'
import { describe, it, test } from 'node:test'

import { describeSms, type SmsSetup } from '../sms.suite.ts'
import type { SmsMessage } from '../sms.ts'
import { startGateway, type GatewayReply, type GatewayRequest } from './gateway.fixture.ts'
import { parseSmsTemplate, readSmsTemplate, shippedTemplates } from './template.ts'

const never = new AbortController().signal
const message: SmsMessage = {
  messageId: '65f0c0ffee0000000000beef',
  merchantId: '65f0c0ffee0000000000cafe',
  phone: '998901234566',
  text: 'Код "123456" & <b>\n\n@shop.example #123456',
  lifetimeSeconds: 180,
}

// Doubles that reply as the public documentation of each gateway says (docs/operating/sms.md): no such account is at hand.
const replies: Record<
  (typeof shippedTemplates)[number],
  { accepted: GatewayReply; rejected: GatewayReply; textOf: (request: GatewayRequest) => string }
> = {
  eskiz: {
    accepted: {
      status: 200,
      body: '{"id":"59f0e35a-2c73-4726-a232-3d4050174315","status":"waiting","message":"Waiting for SMS provider"}',
    },
    rejected: { status: 400, body: '{"status":"error","message":"998901234566 is not a number"}' },
    textOf: ({ body }) => multipartFields(body)['message'] ?? '',
  },
  playmobile: {
    accepted: { status: 200, body: 'Request is received' },
    rejected: { status: 400, body: '{"error-code":202,"error-description":"Empty recipient"}' },
    textOf: ({ body }) => (JSON.parse(body) as { messages: [{ sms: { content: { text: string } } }] }).messages[0].sms.content.text,
  },
  kannel: {
    accepted: { status: 202, body: '0: Accepted for delivery' },
    rejected: { status: 403, body: 'Authorization failed for sendsms' },
    textOf: ({ body }) => body,
  },
}

const login: GatewayReply = { status: 200, body: '{"message":"token_generated","data":{"token":"token-1"},"token_type":"bearer"}' }

for (const name of shippedTemplates) {
  describeSms(`http, template ${name}`, async (): Promise<SmsSetup> => {
    const { accepted, rejected, textOf } = replies[name]
    let next: GatewayReply | 'silent' = accepted
    const texts: string[] = []
    const gateway = await startGateway(readSmsTemplate(name), (request) => {
      if (request.url.endsWith('/auth/login')) return login
      const given = next
      next = accepted
      if (given !== rejected) texts.push(textOf(request))
      return given
    })
    return {
      sms: gateway.sms,
      receivedTexts: async () => texts,
      rejectNext: async () => void (next = rejected),
      loseNextAnswer: async () => void (next = 'silent'),
      close: gateway.close,
    }
  })
}

test('what is not said to be accepted or rejected is unknown, and a gateway that cannot be reached has not sent anything', async () => {
  const gateway = await startGateway(readSmsTemplate('playmobile'), () => ({ status: 500, body: 'Internal Server Error' }))
  assert.equal((await gateway.sms.send(message, never)).outcome, 'unknown')
  await gateway.close()
  assert.deepEqual(await gateway.sms.send(message, never), { outcome: 'rejected', error: 'unreachable' })
})

test('the gateway’s own name of the message is returned, and its error only when it repeats nothing of the message', async () => {
  const given = [replies.eskiz.accepted, replies.eskiz.rejected, { status: 400, body: '{"message":"No balance"}' }]
  const gateway = await startGateway(readSmsTemplate('eskiz'), ({ url }) => (url.endsWith('/login') ? login : given.shift()) ?? login)
  const results = [await gateway.sms.send(message, never), await gateway.sms.send(message, never), await gateway.sms.send(message, never)]
  assert.deepEqual(results, [
    { outcome: 'accepted', gatewayMessageId: '59f0e35a-2c73-4726-a232-3d4050174315' },
    { outcome: 'rejected', error: 'http 400' },
    { outcome: 'rejected', error: 'No balance' },
  ])
  await gateway.close()
})

describe('the token of a gateway', () => {
  const sent = { status: 200, body: '{"id":"1","status":"waiting"}' }

  it('is obtained once for messages at the same time, and bears each of them', async () => {
    const gateway = await startGateway(readSmsTemplate('eskiz'), ({ url }) => (url.endsWith('/login') ? login : sent))
    await Promise.all([gateway.sms.send(message, never), gateway.sms.send(message, never)])
    const urls = gateway.requests.map(({ url }) => url)
    assert.deepEqual(urls, ['/api/auth/login', '/api/message/sms/send', '/api/message/sms/send'])
    assert.equal(gateway.requests[2]?.headers.authorization, 'Bearer token-1')
    assert.deepEqual(multipartFields(gateway.requests[0]?.body ?? ''), { email: 'shop@example.uz', password: 'p"<&s' })
    await gateway.close()
  })

  it('is renewed before it expires, and by a new sign-in where the gateway does not renew it', async () => {
    let refresh: GatewayReply = { status: 200, body: '{"data":{"token":"token-2"}}' }
    const gateway = await startGateway(readSmsTemplate('eskiz'), ({ url }) =>
      url.endsWith('/refresh') ? refresh : url.endsWith('/login') ? login : sent,
    )
    await gateway.sms.send(message, never)
    gateway.clock.advance(28 * 86_400_000)
    await gateway.sms.send(message, never)
    assert.deepEqual(
      gateway.requests.slice(2).map(({ method, url, headers }) => [method, url, headers.authorization]),
      [
        ['PATCH', '/api/auth/refresh', 'Bearer token-1'],
        ['POST', '/api/message/sms/send', 'Bearer token-2'],
      ],
    )
    refresh = { status: 401, body: '{}' }
    gateway.clock.advance(28 * 86_400_000)
    await gateway.sms.send(message, never)
    assert.deepEqual(
      gateway.requests.slice(4).map(({ url }) => url),
      ['/api/auth/refresh', '/api/auth/login', '/api/message/sms/send'],
    )
    await gateway.close()
  })

  it('is replaced once when the gateway refuses it, and the message is sent once', async () => {
    let tokens = 0
    const gateway = await startGateway(readSmsTemplate('eskiz'), ({ url, headers }) => {
      if (url.endsWith('/login')) return { status: 200, body: `{"data":{"token":"token-${String(++tokens)}"}}` }
      return headers.authorization === 'Bearer token-1' ? { status: 401, body: '{"message":"Expired"}' } : sent
    })
    assert.equal((await gateway.sms.send(message, never)).outcome, 'accepted')
    assert.equal(gateway.requests.length, 4)
    await gateway.close()
  })

  it('that cannot be obtained means that nothing was sent', async () => {
    const gateway = await startGateway(readSmsTemplate('eskiz'), () => ({ status: 401, body: '{"message":"Invalid credentials"}' }))
    assert.deepEqual(await gateway.sms.send(message, never), { outcome: 'rejected', error: 'not signed in' })
    assert.deepEqual(
      gateway.requests.map(({ url }) => url),
      ['/api/auth/login'],
    )
    await gateway.close()
  })
})

describe('a value cannot change the request that it stands in', () => {
  const hostile = '"}],"x":"1\r\nx-evil: 1&to=1&amp;<a/>--tessera-boundary {password}'
  const request = (body: object, more: object = {}) =>
    JSON.stringify({
      name: 'own',
      send: { request: { method: 'POST', path: '/send', ...body, ...more }, accepted: [{ status: [200] }], rejected: [{ status: [400] }] },
    })
  const send = async (template: string): Promise<GatewayRequest> => {
    const gateway = await startGateway(parseSmsTemplate(template, 'own'), () => ({ status: 200, body: '' }))
    await gateway.sms.send({ ...message, text: hostile }, never)
    await gateway.close()
    return gateway.requests[0] ?? assert.fail('no request')
  }

  it('as JSON, form, multipart and plain text', async () => {
    assert.deepEqual(JSON.parse((await send(request({ json: { a: ['{text}'] } }))).body), { a: [hostile] })
    assert.deepEqual([...new URLSearchParams((await send(request({ form: { a: '{text}' } }))).body)], [['a', hostile]])
    assert.deepEqual(multipartFields((await send(request({ multipart: { a: '{text}', b: 'c' } }))).body), { a: hostile, b: 'c' })
    assert.equal((await send(request({ text: '{text}' }))).body, hostile)
  })

  it('as XML, in the path, in the query and in a header', async () => {
    const { body } = await send(request({ xml: '<m><t>{text}</t></m>' }))
    assert.doesNotMatch(body.slice('<m><t>'.length, -'</t></m>'.length), /[<>"]/)
    const { url, headers } = await send(request({ headers: { 'x-text': '{text}' }, query: { t: '{text}' } }, { path: '/send/{text}' }))
    assert.equal(new URL(url, 'http://x').searchParams.get('t'), hostile)
    assert.equal(url.split('?')[0], `/send/${encodeURIComponent(hostile)}`)
    assert.equal(headers['x-evil'], undefined)
  })
})

describe('a template that is wrong is refused with the member and the reason', () => {
  const valid = {
    name: 'own',
    send: { request: { method: 'POST', path: '/s', text: '{text}' }, accepted: [{ status: [200] }], rejected: [{ status: [400] }] },
  }
  const wrong: readonly [text: string, expected: RegExp][] = [
    ['{', /own is wrong at its top: it is not JSON/],
    ['[]', /its top: it must be an object/],
    [JSON.stringify({ ...valid, name: 'A B' }), /at name: it must be lower-case/],
    [JSON.stringify({ ...valid, sned: 1 }), /sned is unknown; it may have name, documentation/],
    [JSON.stringify({ ...valid, send: { ...valid.send, accepted: [] } }), /at send\.accepted: it must be a list with at least one/],
    [JSON.stringify({ ...valid, send: { ...valid.send, accepted: [{}] } }), /at send\.accepted\.0: a condition needs status/],
    [
      JSON.stringify({ ...valid, send: { ...valid.send, request: { method: 'DELETE', path: '/' } } }),
      /send\.request\.method: it must be GET/,
    ],
    [JSON.stringify({ ...valid, send: { ...valid.send, request: { method: 'GET', path: '/', text: 'x' } } }), /GET has no body: use query/],
    [
      JSON.stringify({ ...valid, send: { ...valid.send, request: { method: 'POST', path: '/', text: '{phnoe}' } } }),
      /\{phnoe\} is no variable/,
    ],
    [
      JSON.stringify({ ...valid, send: { ...valid.send, request: { method: 'GET', path: '/', query: { p: '{password}' } } } }),
      /a password or a token in the URL/,
    ],
    [JSON.stringify({ ...valid, send: { ...valid.send, request: { method: 'POST', path: '/', text: 'a', xml: '<a/>' } } }), /one body/],
  ]
  for (const [text, expected] of wrong) {
    it(String(expected), () => {
      assert.throws(() => parseSmsTemplate(text, 'own'), expected)
    })
  }

  it('and a name that is neither ours nor a path is no template', () => {
    assert.throws(() => readSmsTemplate('eskis'), /"eskis" is no template: give eskiz, playmobile, kannel, or the absolute path/)
    assert.throws(() => readSmsTemplate('/nowhere/t.json'), /cannot be read \(ENOENT\)/)
  })
})

/** The fields of a multipart body (RFC 7578). */
function multipartFields(body: string): Record<string, string> {
  const boundary = body.split('\r\n', 1)[0] ?? ''
  const parts = body.split(boundary).slice(1, -1)
  return Object.fromEntries(
    parts.map((part) => [/name="([^"]*)"/.exec(part)?.[1] ?? '', part.split('\r\n\r\n').slice(1).join('\r\n\r\n').slice(0, -2)]),
  )
}

test('a message that waits for the token of another one is not sent when its own time is over', async (t) => {
  const gateway = await startGateway(readSmsTemplate('eskiz'), () => 'silent')
  t.after(() => gateway.close())
  void gateway.sms.send(message, never)
  const caller = new AbortController()
  const waiting = gateway.sms.send(message, caller.signal)
  caller.abort()
  assert.deepEqual(await waiting, { outcome: 'rejected', error: 'not signed in' })
})

describe('what became of a message', () => {
  const state = (data: object): GatewayReply => ({ status: 200, body: JSON.stringify({ status: 'success', data }) })

  it('is requested by the id of the gateway, and only what the template names is final', async () => {
    let reply: GatewayReply | 'silent' = state({ status: 'DELIVRD' })
    const gateway = await startGateway(readSmsTemplate('eskiz'), ({ url }) => (url.endsWith('/login') ? login : reply))
    const find = () => gateway.sms.findDelivery?.('59f0/35a', never)
    assert.deepEqual(await find(), { outcome: 'delivered' })
    assert.deepEqual(gateway.requests[1]?.url, '/api/message/sms/status_by_id/59f0%2F35a')
    assert.equal(gateway.requests[1].headers.authorization, 'Bearer token-1')
    reply = state({ status: 'EXPIRED' })
    assert.deepEqual(await find(), { outcome: 'failed', error: 'EXPIRED' })
    for (const pending of [state({ status: 'waiting' }), state({}), { status: 404, body: '' }, { status: 200, body: 'OK' }]) {
      reply = pending
      assert.deepEqual(await find(), { outcome: 'pending' }, pending.body)
    }
    for (const status of [429, 500, 403]) {
      reply = { status, body: '{"data":{}}' }
      assert.deepEqual(await find(), { outcome: 'unavailable' }, String(status))
    }
    await gateway.close()
    assert.deepEqual(await find(), { outcome: 'unavailable' })
  })

  it('is not requested without a token, nor where the template does not say how', async () => {
    const refused = await startGateway(readSmsTemplate('eskiz'), () => ({ status: 401, body: '{}' }))
    assert.deepEqual(await refused.sms.findDelivery?.('1', never), { outcome: 'unavailable' })
    await refused.close()
    for (const name of ['playmobile', 'kannel']) assert.equal(readSmsTemplate(name).status, null)
    const kannel = await startGateway(readSmsTemplate('kannel'), () => ({ status: 202, body: '0: Accepted for delivery' }))
    assert.equal(kannel.sms.findDelivery, undefined)
    await kannel.close()
  })

  it('needs an id, and a request of what is known by then', () => {
    const template = (send: object, path: string) =>
      JSON.stringify({
        name: 'own',
        send: { request: { method: 'POST', path: '/send' }, accepted: [{ status: [200] }], rejected: [{ status: [400] }], ...send },
        status: { request: { method: 'GET', path }, delivered: [{ textStart: ['D'] }], failed: [{ textStart: ['F'] }] },
      })
    assert.throws(() => parseSmsTemplate(template({}, '/status/{gatewayMessageId}'), 'own'), /wrong at send: id is missing/)
    assert.throws(() => parseSmsTemplate(template({ id: 'id' }, '/status/{phone}'), 'own'), /status\.request: \{phone\} is not known/)
    const early = { id: 'id', request: { method: 'POST', path: '/send/{gatewayMessageId}' } }
    assert.throws(() => parseSmsTemplate(template(early, '/'), 'own'), /send\.request: \{gatewayMessageId\} is not known/)
  })
})
