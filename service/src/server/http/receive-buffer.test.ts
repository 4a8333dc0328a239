import assert from 'node:assert/strict'
import { test } from 'node:test'

import { connectToSelf, makeReceiveBufferWiper, type ConnectionToSelf } from './receive-buffer.ts'

test('a wiper whose connection breaks opens another, also after that failed once', async () => {
  const errors: unknown[] = []
  const opened: ConnectionToSelf[] = []
  const tooMany = Object.assign(new Error('too many open files'), { code: 'EMFILE' })
  let attempts = 0
  const reopened = Promise.withResolvers<void>()
  const connect = async (): Promise<ConnectionToSelf> => {
    attempts += 1
    if (attempts === 2) throw tooMany
    const pair = await connectToSelf()
    opened.push(pair)
    if (attempts === 3) reopened.resolve()
    return pair
  }
  const wiper = makeReceiveBufferWiper((err) => errors.push(err), { connect, reopenDelayMs: 1 })
  await wiper.start()
  const keepAlive = setInterval(() => undefined, 1000)
  try {
    opened[0]?.near.destroy()
    await reopened.promise
    assert.deepEqual([attempts, errors], [3, [tooMany]], 'the control: the first attempt to open it again failed')
  } finally {
    clearInterval(keepAlive)
    wiper.stop()
  }
})
