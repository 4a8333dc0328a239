import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import { test } from 'node:test'

import { makeAuthority, type CertificateWithKey } from '../../adapters/http/certificate.fixture.ts'
import { makeScratch, runTessera, until } from '../../testing/child.fixture.ts'

import { callOperator } from './control-client.ts'

const scratch = makeScratch()
const authority = makeAuthority('an authority')
const files = { cert: join(scratch, 'cert.pem'), key: join(scratch, 'key.pem') }
const flags = (folder: string): string[] => [
  'start',
  '--json',
  '--port=0',
  '--admin-port=0',
  `--data=${join(scratch, folder)}`,
  `--tls-cert-file=${files.cert}`,
  `--tls-key-file=${files.key}`,
]

test('without a terminal SIGHUP reads the certificate again; one that cannot be used is refused, and the old one stays', async () => {
  install(authority.certify('pay.example', 40))
  const service = runTessera(flags('reload'), {}, [], { isDetached: true })
  const { url, adminUrl } = await readyOf(service.out)
  assert.match(url, /^https:/)
  assert.deepEqual(await look(url), { status: 200, name: 'pay.example' })
  assert.equal(await daysLeft(adminUrl), 39)

  install(authority.certify('renewed.example', 90))
  service.kill('SIGHUP')
  await until(() => service.err().includes('"event":"certificate_loaded"'), 'the certificate to be loaded')
  assert.deepEqual(await look(url), { status: 200, name: 'renewed.example' })
  assert.equal(await daysLeft(adminUrl), 89)

  install({ cert: authority.certify('renewed.example').cert, key: authority.certify('other.example').key })
  service.kill('SIGHUP')
  await until(() => service.err().includes('"event":"certificate_refused"'), 'the certificate to be refused')
  assert.match(service.err(), /"listener":"api","reason":"other_key","days":89/)
  assert.deepEqual(await look(url), { status: 200, name: 'renewed.example' })
  assert.match(await metricsOf(adminUrl), /tessera_tls_reload_refused\{listener="api"\} 1/)

  service.kill('SIGTERM')
  assert.equal((await service.ended).code, 0)
})

test('a SIGHUP that comes while the service is sealed counts when it is unsealed', async () => {
  install(authority.certify('pay.example', 40))
  const service = runTessera([...flags('sealed'), '--kek=shares'], {}, [], { isDetached: true })
  const operator: typeof callOperator = (folder, name, params) => callOperator(join(scratch, folder), name, params)
  await until(async () => {
    const reply = await operator('sealed', 'operator.shares.list', {}).catch(() => null)
    return reply !== null && 'result' in reply && reply.result.isSealed
  }, 'the service to be sealed')
  await operator('sealed', 'operator.shares.create', { shares: 2, threshold: 2, isNext: false, custodian: 'a' })
  const shares: string[] = []
  for (const custodian of ['a', 'b']) {
    const reply = await operator('sealed', 'operator.shares.take', { custodian })
    shares.push(reply !== null && 'result' in reply ? reply.result.share : assert.fail('no share'))
  }
  install(authority.certify('renewed.example', 90))
  service.kill('SIGHUP')
  for (const [i, share] of shares.entries()) await operator('sealed', 'operator.shares.enter', { share, custodian: `c-${String(i)}` })
  const { url } = await readyOf(service.out)
  assert.deepEqual(await look(url), { status: 200, name: 'renewed.example' })
  service.kill('SIGTERM')
  assert.equal((await service.ended).code, 0)
})

test('a start with a certificate that has expired ends with 78 and says so', async () => {
  install(authority.certify('pay.example', -1))
  const { code, out } = await runTessera(flags('expired')).ended
  assert.equal(code, 78)
  assert.match(out, /The certificate of TESSERA_TLS_CERT_FILE expired on /)
})

test('with a terminal SIGHUP drains, since the terminal was closed', async () => {
  install(authority.certify('pay.example'))
  // script(1) of util-linux gives the service a terminal of its own.
  const command = [process.execPath, join(import.meta.dirname, '../../../bin/tessera.mjs'), ...flags('terminal')].join(' ')
  const terminal = spawn('script', ['--quiet', '--return', '--flush', '--command', `exec ${command}`, '/dev/null'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env['PATH'] },
  })
  let out = ''
  terminal.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
  const ended = new Promise<number | null>((resolve) => terminal.once('close', resolve))
  const { pid } = await readyOf(() => out)
  process.kill(pid, 'SIGHUP')
  assert.equal(await ended, 0)
  assert.match(out, /"event":"draining"/)
  assert.match(out, /"stopped":\{"callsCutOff":0\}/)
})

function install({ cert, key }: CertificateWithKey): void {
  writeFileSync(files.cert, cert)
  writeFileSync(files.key, key)
  chmodSync(files.key, 0o600)
}

interface Ready {
  readonly url: string
  readonly adminUrl: string
  readonly pid: number
}

async function readyOf(out: () => string): Promise<Ready> {
  const line = (): string | undefined => /^\{"ready":.*\}$/m.exec(out().replaceAll('\r', ''))?.[0]
  await until(() => line() !== undefined, 'the service to be ready')
  return (JSON.parse(line() ?? '') as { ready: Ready }).ready
}

/** Calls the API on a new connection. Returns the status and the name in the certificate. */
function look(url: string): Promise<{ status: number | undefined; name: string | undefined }> {
  const options = { method: 'POST', agent: false, ca: authority.cert, checkServerIdentity: () => undefined }
  return new Promise((resolve, reject) => {
    let name: string | undefined
    const sent = request(`${url}/api`, options, (res) => {
      res.resume().once('end', () => resolve({ status: res.statusCode, name }))
    })
    sent.once('socket', (socket) => {
      socket.once('secureConnect', () => {
        if ('getPeerCertificate' in socket) name = (socket.getPeerCertificate as () => { subject: { CN: string } })().subject.CN
      })
    })
    sent.once('error', reject).end('{"id":1,"method":"rpc.discover"}')
  })
}

async function daysLeft(adminUrl: string): Promise<number> {
  const [, expiry = ''] =
    /^tessera_tls_certificate_expiry_timestamp_seconds\{listener="api"\} (\d+)$/m.exec(await metricsOf(adminUrl)) ?? []
  return Math.floor((Number(expiry) - Date.now() / 1000) / 86_400)
}

async function metricsOf(adminUrl: string): Promise<string> {
  return (await fetch(`${adminUrl}/metrics`)).text()
}
