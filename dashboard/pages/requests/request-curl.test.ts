import assert from 'node:assert/strict'
import { test } from 'node:test'

import { requestCurl } from './request-curl.ts'

type LoggedRequest = Parameters<typeof requestCurl>[0]
type Member = LoggedRequest['params']['list'][number]

function logged(entry: Partial<LoggedRequest['entry']>, list: readonly Member[]): LoggedRequest {
  const request = { entry: { method: 'cards.create', profile: 'spec', caller: 'server', ...entry }, params: { list: [...list], more: 0 } }
  return request as LoggedRequest
}

const plain = (path: string, value: Member['value']): Member => ({ path, value, hidden: null, size: 0 })
const hidden = (path: string, why: Member['hidden']): Member => ({ path, value: null, hidden: why, size: 5 })

const origin = 'https://pay.example'

test('a value that is not stored becomes a placeholder that says what belongs there, at its place in the params', () => {
  const list = [
    hidden('card.number', 'secret'),
    hidden('card.expire', 'secret'),
    plain('save', true),
    plain('account.order_id', '197'),
    hidden('code', 'secret'),
  ]
  assert.equal(
    requestCurl(logged({}, list), 'm1', origin),
    [
      `curl -sS 'https://pay.example/api/cards.create'`,
      `-H "X-Auth: m1:$TESSERA_PASSWORD"`,
      `-d '{"id":1,"method":"cards.create","params":{"card":{"number":"<card number>","expire":"<MMYY>"},"save":true,"account":{"order_id":"197"},"code":"<SMS code>"}}'`,
    ].join(' \\\n  '),
  )
})

test('a browser sends the merchant id alone, and the subscribe profile has one address for every method', () => {
  const curl = requestCurl(logged({ caller: 'browser', profile: 'subscribe' }, [plain('token', '65f0c0ffee0000000000cafe')]), 'm1', origin)
  assert.match(curl, /^curl -sS 'https:\/\/pay\.example\/api' \\\n {2}-H 'X-Auth: m1' /)
  assert.match(curl, /"token":"<token of card 65f0c0ffee0000000000cafe>"/)
})

test('members that are not of the method, or that stand for many, are left out', () => {
  assert.match(
    requestCurl(logged({}, [hidden('cvv', 'unknown'), plain('detail.*', 'x'), plain('id', 'r')]), 'm1', origin),
    /"params":\{"id":"r"\}/,
  )
})

test('no value ends the quotes of the shell', () => {
  const curl = requestCurl(logged({}, [plain('description', "it's $(rm -rf /)")]), 'm1', origin)
  assert.ok(curl.includes(String.raw`it'\''s $(rm -rf /)`), curl)
})

test('a call without a method has no curl line', () => {
  assert.equal(requestCurl(logged({ method: null }, []), 'm1', origin), '')
})
