import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { startListener } from '../../testing/http-request.fixture.ts'
import { createTestPipeline } from '../../testing/pipeline.fixture.ts'
import { createHttpServer } from '../http/http-server.ts'

import { makeIsApiHost } from './hosts.ts'

const call = { url: '/api', method: 'POST', payload: '{"id":1,"method":"rpc.discover"}' }

async function startWith(apiOrigin: string | null) {
  const { answer } = createTestPipeline({}, () => ({ text: 'ok' }))
  const server = createHttpServer({ handle: answer, isApiHost: makeIsApiHost(apiOrigin, 'https://pay.example') })
  after(() => server.close())
  return startListener(server)
}

test('with an origin of its own the API is on its host and on that of the form, and any other host gets 421 and no reply of the API', async () => {
  const send = await startWith('https://api.example:8443')
  const statusAt = async (host: string, more = {}) => (await send({ ...call, ...more, headers: { host } })).statusCode
  for (const host of ['api.example:8443', 'API.example:8443', 'pay.example']) assert.equal(await statusAt(host), 200, host)
  for (const host of ['merchants.example', 'api.example', 'pay.example:8443', 'api.example:8443.evil', '127.0.0.1']) {
    assert.equal(await statusAt(host), 421, host)
    assert.equal(await statusAt(host, { method: 'OPTIONS', payload: '' }), 421, host)
  }
  const { json, headers } = await send({ ...call, headers: { host: 'merchants.example' } })
  assert.deepEqual([(json() as { status: number }).status, headers['connection']], [421, 'close'])
})

test('without one it is on every host, as existing clients expect', async () => {
  const send = await startWith(null)
  for (const host of ['api.example', 'merchants.example', '127.0.0.1'])
    assert.equal((await send({ ...call, headers: { host } })).statusCode, 200)
})
