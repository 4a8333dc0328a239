import assert from 'node:assert/strict'
import { chmodSync, chownSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'

import { startCluster, type Cluster } from '../../../../tools/postgres.ts'
import { makeAuthority, type CertificateWithKey } from '../../adapters/http/certificate.fixture.ts'
import {
  findStartRefusal,
  makePostgresInstallation,
  runOn,
  startHere,
  type Installation,
  type StartedHere,
} from '../../ops/cli/boot.fixture.ts'
import { makeScratch } from '../../testing/child.fixture.ts'

// A real start on a real PostgreSQL that speaks TLS, with the strictest mode.

const scratch = makeScratch()
const [authority, other] = [makeAuthority('the authority of the database'), makeAuthority('another authority')]
const trusted = writeAuthority('trusted.pem', authority.cert)
let cluster: Cluster
let installation: Installation

before(async () => {
  cluster = await startCluster()
  installation = await makePostgresInstallation(cluster, scratch)
})
after(() => cluster.stop())

test('with sslmode=verify-full every connection to both databases has TLS, and the service works', async () => {
  await useCertificate(authority.certify('localhost'))
  const service = await startHere(flagsWith(`sslmode=verify-full&sslrootcert=${trusted}`))
  const { result } = await service.call('cards.create', { card: { number: '8600495473316478', expire: '0399' }, save: true })
  assert.match(result?.card.token ?? '', /./)
  assert.deepEqual(await listTransports(), [
    { datname: 'cards_0', ssl: true },
    { datname: 'keys_0', ssl: true },
  ])
  await stop(service)
})

test('a certificate of another authority, of another name, or that has expired is refused, and so is a server without TLS', async () => {
  const refusalWith = async (certified: CertificateWithKey | null): Promise<string> => {
    await useCertificate(certified)
    const { exit, message } = await findStartRefusal(flagsWith(`sslmode=verify-full&sslrootcert=${trusted}`))
    // Tried again at the next restart: a certificate is renewed without the service.
    assert.equal(exit, 'unavailable', message)
    return message
  }
  assert.match(await refusalWith(other.certify('localhost')), /unable to verify the first certificate/)
  assert.match(await refusalWith(authority.certify('db.example')), /does not match certificate's altnames/)
  assert.match(await refusalWith(authority.certify('localhost', -1)), /certificate has expired/)
  assert.match(await refusalWith(null), /does not support SSL connections/)
  assert.deepEqual(await listTransports(), [], 'nothing connected in the clear instead')
})

test('the control: without sslmode the same start connects in the clear', async () => {
  await useCertificate(authority.certify('localhost'))
  const service = await startHere(flagsWith('sslmode=disable'))
  assert.deepEqual(await listTransports(), [
    { datname: 'cards_0', ssl: false },
    { datname: 'keys_0', ssl: false },
  ])
  await stop(service)
})

/** Stops it, and waits until the server has seen its connections end. */
async function stop(service: StartedHere): Promise<void> {
  await service.stop()
  while ((await listTransports()).length > 0) await pause(20)
}

function writeAuthority(name: string, cert: string): string {
  const path = join(scratch, name)
  writeFileSync(path, cert)
  return path
}

/** The settings of the installation, with the databases under the name that certificates are issued for. */
function flagsWith(parameters: string): string[] {
  return installation.flags.map((flag) =>
    flag.includes('database-url=') ? `${flag.replace('127.0.0.1', 'localhost')}?${parameters}` : flag,
  )
}

/** How the connections of the service to each database are made, without those of this test. */
async function listTransports(): Promise<readonly object[]> {
  return runOn(
    cluster.url,
    `select distinct datname, ssl from pg_stat_ssl join pg_stat_activity using (pid) where datname in ('cards_0', 'keys_0') order by 1, 2`,
  )
}

/** Gives the server a certificate, or none, as an operator does: files, settings, reload. */
async function useCertificate(certified: CertificateWithKey | null): Promise<void> {
  const { uid, gid } = statSync(cluster.folder)
  for (const [name, text] of Object.entries({ 'server.crt': certified?.cert ?? '', 'server.key': certified?.key ?? '' })) {
    const path = join(cluster.folder, name)
    writeFileSync(path, text)
    chownSync(path, uid, gid)
    chmodSync(path, 0o600)
  }
  for (const [name, value] of Object.entries({ ssl_cert_file: 'server.crt', ssl_key_file: 'server.key' }))
    await runOn(cluster.url, `alter system set ${name} = '${join(cluster.folder, value)}'`)
  await runOn(cluster.url, `alter system set ssl = ${certified === null ? 'off' : 'on'}`)
  await runOn(cluster.url, 'select pg_reload_conf()')
  const expected = certified === null ? 'off' : 'on'
  for (;;) {
    const [row] = await runOn(cluster.url, 'show ssl')
    if ((row as { ssl?: string } | undefined)?.ssl === expected) return
    await pause(20)
  }
}
