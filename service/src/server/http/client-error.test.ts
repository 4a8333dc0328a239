import assert from 'node:assert/strict'
import { Socket } from 'node:net'
import { test } from 'node:test'

import { handleClientError } from './client-error.ts'

for (const { isShedding, status } of [
  { isShedding: true, status: '503 Service Unavailable' },
  { isShedding: false, status: '408 Request Timeout' },
])
  test(`a request that did not arrive in time gets ${status} while connections are ${isShedding ? '' : 'not '}paused`, (t) => {
    const socket = new Socket()
    const end = t.mock.method(socket, 'end', () => socket)
    const err = Object.assign(new Error('timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
    handleClientError(err, socket, { onAbort: () => undefined, shedder: { release: () => isShedding } })
    const reply = String(end.mock.calls[0]?.arguments[0])
    assert.ok(reply.startsWith(`HTTP/1.1 ${status}\r\n`), reply)
    assert.equal(reply.includes('retry-after: 1'), isShedding)
    socket.destroy()
  })
