import assert from 'node:assert/strict'
import { request } from 'node:https'
import { test } from 'node:test'

import { makeAuthority, type CertificateWithKey } from '../../adapters/http/certificate.fixture.ts'
import { startListener } from '../../testing/http-request.fixture.ts'
import { createAdminServer, type AdminAccess } from './admin-server.ts'
import type { PageRoute } from './page-routes.ts'

const token = 'f'.repeat(40)
const readyz: PageRoute = { method: 'GET', host: () => true, path: '/readyz', handle: () => ({ headers: {}, body: 'ready' }) }

test('with a token every path needs it, and a wrong one of any length is refused', async (t) => {
  const send = await startAdmin(t, { isLoopback: false, token, tls: null })
  const statusOf = async (authorization: string | null, url = '/readyz') =>
    (await send({ url, headers: authorization === null ? {} : { authorization } })).statusCode
  assert.equal(await statusOf(`Bearer ${token}`), 200)
  for (const wrong of [null, '', token, `Bearer ${token}f`, `Bearer ${token.slice(1)}`, `bearer ${token}`, `Basic ${token}`])
    assert.equal(await statusOf(wrong), 401, String(wrong))
  assert.equal(await statusOf(null, '/none'), 401)
  assert.equal(await statusOf(`Bearer ${token}`, '/none'), 404)
  const refused = await send('/readyz')
  assert.equal(refused.headers['www-authenticate'], 'Bearer realm="tessera admin"')
  assert.ok(!refused.body.includes(token))
})

test('on loopback only the names of loopback are served, with a token too; elsewhere any Host, since each request is authenticated', async (t) => {
  const authorization = `Bearer ${token}`
  const statuses = async (access: AdminAccess) => {
    const send = await startAdmin(t, access)
    const hosts = ['127.0.0.1:8081', 'localhost', '[::1]:8081', 'tessera-admin.monitoring:8081', '10.1.2.3:8081']
    return Promise.all(hosts.map(async (host) => (await send({ url: '/readyz', headers: { host, authorization } })).statusCode))
  }
  assert.deepEqual(await statuses({ isLoopback: true, token: null, tls: null }), [200, 200, 200, 421, 421])
  assert.deepEqual(await statuses({ isLoopback: true, token, tls: null }), [200, 200, 200, 421, 421])
  assert.deepEqual(await statuses({ isLoopback: false, token, tls: null }), [200, 200, 200, 200, 200])
})

test('with client certificates only a client that has one of the authority is served', async (t) => {
  const [authority, other] = [makeAuthority('monitoring'), makeAuthority('other')]
  const own = authority.certify('admin.example')
  const tls = { certificate: Buffer.from(own.cert), key: Buffer.from(own.key), clientCa: Buffer.from(authority.cert) }
  const admin = createAdminServer([readyz], { isLoopback: false, token: null, tls }, (err) => assert.fail(String(err)))
  t.after(() => admin.close())
  const { port } = await admin.listen({ host: '127.0.0.1', port: 0 })
  const statusOf = (client: CertificateWithKey | null): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const options = { host: '127.0.0.1', port, path: '/readyz', servername: 'admin.example', ca: authority.cert, agent: false, ...client }
      request(options, (res) => resolve(res.resume().statusCode))
        .once('error', reject)
        .end()
    })
  assert.equal(await statusOf(authority.certify('prometheus.example')), 200)
  for (const client of [null, other.certify('prometheus.example')]) await assert.rejects(statusOf(client))
})

async function startAdmin(t: { after(close: () => Promise<void>): void }, access: AdminAccess) {
  const admin = createAdminServer([readyz], access, (err) => assert.fail(String(err)))
  t.after(() => admin.close())
  return startListener(admin)
}
