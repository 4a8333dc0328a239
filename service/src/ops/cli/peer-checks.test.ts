import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'

import { makeAuthority } from '../../adapters/http/certificate.fixture.ts'
import { startTlsServer, trustedAuthority } from '../../adapters/http/tls-server.fixture.ts'
import { readConfig } from '../config/config.ts'

import { checkPeers } from './peer-checks.ts'

const trusted = trustedAuthority()

test('the service that knows cardholders is reached where a verification policy calls it, and nothing is sent to it', async (t) => {
  const server = await startTlsServer({ certified: trusted.certify('localhost') })
  t.after(() => server.close())
  const url = `https://localhost:${String(server.port)}`
  const flags = ['--holder=http', `--holder-http-url=${url}/match`, '--holder-http-token-file=/nowhere']
  assert.deepEqual(await check(flags), [])
  const found = { check: 'TESSERA_HOLDER_HTTP_URL', ok: true, found: `localhost:${String(server.port)} reached, certificate verified` }
  assert.deepEqual(await check([...flags, '--holder-check=service']), [{ ...found, advice: '' }])
  assert.deepEqual(server.requests, [])
  const closed = await check(['--holder=http', '--holder-http-url=https://127.0.0.1:1/', '--holder-check=service'])
  assert.deepEqual(
    closed.map(({ check: name, ok }) => [name, ok]),
    [['TESSERA_HOLDER_HTTP_URL', false]],
  )
})

test('where checkpoints of the audit are sent is reached by TLS and TCP, and of UDP the name is looked up', async (t) => {
  const server = await startTlsServer({ certified: trusted.certify('localhost') })
  t.after(() => server.close())
  const syslog = await startTcpServer(t)
  const both = [
    `--audit-checkpoint-url=https://localhost:${String(server.port)}/`,
    `--audit-checkpoint-syslog=tcp://127.0.0.1:${syslog.port}`,
  ]
  assert.deepEqual(
    (await check(both)).map(({ check: name, ok, found }) => [name, ok, found]),
    [
      ['TESSERA_AUDIT_CHECKPOINT_URL', true, `localhost:${String(server.port)} reached, certificate verified`],
      ['TESSERA_AUDIT_CHECKPOINT_SYSLOG', true, `127.0.0.1:${syslog.port} reached, without TLS`],
    ],
  )
  assert.deepEqual([server.requests, syslog.received()], [[], 0])
  const [closed] = await check(['--audit-checkpoint-syslog=tcp://127.0.0.1:1'])
  assert.deepEqual([closed?.ok, closed?.found], [false, '127.0.0.1:1 (ECONNREFUSED)'])
  const [byUdp] = await check(['--audit-checkpoint-syslog=udp://127.0.0.1:514'])
  assert.deepEqual([byUdp?.ok, byUdp?.found.includes('no server acknowledges UDP')], [true, true])
  const [unknown] = await check(['--audit-checkpoint-syslog=udp://nowhere.invalid:514'])
  assert.equal(unknown?.ok, false)
})

test('a certificate is checked against the authorities that the settings name', async (t) => {
  const own = makeAuthority('a bank')
  const server = await startTlsServer({ certified: own.certify('localhost') })
  t.after(() => server.close())
  const caFile = join(mkdtempSync(join(tmpdir(), 'tessera-peers-')), 'ca.pem')
  writeFileSync(caFile, own.cert)
  const host = ['--network=iso8583', '--network-iso8583-host=localhost', `--network-iso8583-port=${String(server.port)}`]
  const [bySystem] = await check(host)
  assert.deepEqual([bySystem?.check, bySystem?.ok], ['TESSERA_NETWORK_ISO8583_HOST', false])
  const [byOwn] = await check([...host, `--network-iso8583-ca-file=${caFile}`])
  assert.equal(byOwn?.found, `localhost:${String(server.port)} reached, certificate verified`)
  const [missing] = await check([...host, '--network-iso8583-ca-file=/nowhere'])
  assert.match(missing?.found ?? '', /\/nowhere cannot be read: ENOENT/)
})

const check = (flags: readonly string[]) => checkPeers(readConfig(flags, {}).config)

async function startTcpServer(t: TestContext): Promise<{ readonly port: string; received(): number }> {
  let received = 0
  const server = createServer((socket) => void socket.on('data', ({ length }) => (received += length)).on('error', () => undefined))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return { port: String((server.address() as AddressInfo).port), received: () => received }
}
