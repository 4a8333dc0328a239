import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { test } from 'node:test'

import { findFreePort } from './free-port.ts'

test('a free port can be listened on, and is not an ephemeral port', async () => {
  const port = await findFreePort()
  const server = createServer().listen(port, '127.0.0.1')
  await once(server, 'listening')
  server.close()
  await once(server, 'close')
  assert.ok(port >= 20_000 && port < 32_768, String(port))
})

test('a port in use is skipped', async (t) => {
  const taken = createServer().listen(await findFreePort(), '127.0.0.1')
  t.after(() => taken.close())
  await once(taken, 'listening')
  const address = taken.address()
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0
  let drawn = 0
  const other = await findFreePort(() => port + drawn++)
  assert.ok(drawn > 1 && other !== port, `${String(other)} after ${String(drawn)}`)
})
