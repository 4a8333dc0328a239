import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { openDroppingHost } from './dropping-host.ts'

test('a dropping host neither accepts a connection nor refuses it, and is gone when it is closed', async () => {
  const host = await openDroppingHost()
  const socket = connect(host.port, '127.0.0.1')
  let seen = 'nothing'
  socket.on('connect', () => (seen = 'connected')).on('error', () => (seen = 'refused'))
  await pause(300)
  assert.equal(seen, 'nothing')
  socket.destroy()
  await host.close()
  const [err] = (await once(connect(host.port, '127.0.0.1'), 'error')) as [NodeJS.ErrnoException]
  assert.equal(err.code, 'ECONNREFUSED')
})
