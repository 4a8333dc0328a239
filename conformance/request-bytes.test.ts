import assert from 'node:assert/strict'
import { it } from 'node:test'

import { requestBytes } from './request-bytes.ts'
import type { TemplateValues } from './template.ts'
import type { VectorRequest } from './vector.ts'

const known: TemplateValues = { given: { merchant: 'm1', password: 'p1', host: 'pay.example:81' }, tokens: new Map() }
const call: VectorRequest = { kind: 'call', line: 'POST /api', headers: ['X-Auth: {{merchant}}'], body: ['{"id":"ж"}'] }
const text = (request: VectorRequest, root = '') => requestBytes(request, root, known).toString()

it('a call gets what HTTP needs: Host, Connection and the length in bytes', () => {
  assert.equal(
    text(call),
    'POST /api HTTP/1.1\r\nHost: pay.example:81\r\nConnection: close\r\nContent-Length: 11\r\nX-Auth: m1\r\n\r\n{"id":"ж"}',
  )
})

it('what the vector says itself is not said twice', () => {
  const own = text({ ...call, headers: ['host: other.example', 'CONTENT-LENGTH: 3'] })
  assert.equal(own, 'POST /api HTTP/1.1\r\nConnection: close\r\nhost: other.example\r\nCONTENT-LENGTH: 3\r\n\r\n{"id":"ж"}')
})

it('a call without a body has a length only where it is a POST', () => {
  assert.doesNotMatch(text({ ...call, line: 'GET /api', body: null }), /content-length/i)
  assert.match(text({ ...call, body: null }), /\r\nContent-Length: 0\r\n/)
})

it('a service may live under a path', () => {
  assert.match(text(call, '/sandbox'), /^POST \/sandbox\/api HTTP/)
})

it('raw bytes go as they are, repeated and binary pieces too', () => {
  const raw = requestBytes({ kind: 'raw', raw: ['A {{host}}\r\n', { repeat: 'xy', times: 2 }, { base64: '/wA=' }] }, '/sandbox', known)
  assert.deepEqual(raw, Buffer.concat([Buffer.from('A pay.example:81\r\nxyxy'), Buffer.from([0xff, 0])]))
})
