import assert from 'node:assert/strict'
import { test } from 'node:test'

import { toReplyExcerpt, type EndpointReply } from './reply-excerpt.ts'

const reply = (body: string, over: Partial<EndpointReply> = {}): EndpointReply => ({
  headers: { 'content-type': 'text/plain', server: 'nginx' },
  start: Buffer.from(body),
  body: Buffer.from(body),
  isPublic: true,
  ...over,
})

test('the beginning of a reply is stored, with its headers and without credentials', () => {
  const headers = { 'content-type': 'text/html', 'set-cookie': ['session=1'], 'www-authenticate': 'Basic', via: undefined }
  assert.deepEqual(toReplyExcerpt(reply('<h1>502</h1>', { headers })), { headers: 'content-type: text/html', body: '<h1>502</h1>' })
  assert.equal(toReplyExcerpt(reply('x'.repeat(4096))).body.length, 2048)
})

test('nothing of a reply from a private address is stored', () => {
  assert.deepEqual(toReplyExcerpt(reply('secret of the machine', { isPublic: false })), { headers: '', body: '' })
})

test('a card number in a body or a header is replaced, and none is cut so that the detector misses it', () => {
  const excerpt = toReplyExcerpt(reply('{"card":"8600 0691 9540 6311"}', { headers: { 'x-echo': '8600069195406311' } }))
  assert.deepEqual(excerpt, { headers: 'x-echo: [card number]', body: '{"card":"[card number]"}' })
  const atTheCut = toReplyExcerpt(reply(`${' '.repeat(2040)}8600069195406311 and more`)).body
  assert.doesNotMatch(atTheCut, /[0-9]/)
})

test('of a card number that is cut where reading ended, nothing is stored, in any script and with separators', () => {
  for (const digits of [
    '860006919540631',
    '8600 0691 9540 63',
    '8600-0691-95',
    '8600.0691.',
    '\uff18\uff16\uff10\uff10\uff10',
    '8600069\ufffd',
  ]) {
    const text = `${'я'.repeat(1000)} ${digits}`
    assert.equal(toReplyExcerpt(reply(text, { body: null })).body, 'я'.repeat(1000), digits)
    assert.equal(toReplyExcerpt(reply(text)).body, text, 'a body that was read to its end')
  }
})

test('a text that PostgreSQL does not store is stored without its NUL', () => {
  assert.equal(toReplyExcerpt(reply('a\0b')).body, 'a\ufffdb')
})
