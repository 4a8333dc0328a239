// time limit: 240 s
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { connect } from 'node:tls'
import pg from 'pg'

import { readNodeKey, generateNodeKey, signAsNode, type NodeKey } from '@tessera/vault/node-key'

import { findFreePort } from '../../../../tools/free-port.ts'
import { startCluster, type Cluster } from '../../../../tools/postgres.ts'
import { makeAuthority, type CertificateWithKey } from '../../adapters/http/certificate.fixture.ts'
import { requestHandOver, type HandOverTls } from '../../adapters/hand-over/hand-over-connection.ts'
import { makeScratch, runTessera, until } from '../../testing/child.fixture.ts'
import { runWithInput, startCustodied, type CustodiedService } from '../../testing/custodians.fixture.ts'

// An unsealed node hands the KEK to another that custodians enrolled, and to nobody else. Real processes on one PostgreSQL, over mutual TLS.

const scratch = makeScratch()
const [authority, foreign] = [makeAuthority('nodes'), makeAuthority('others')]
let cluster: Cluster
let port = 0

before(async () => {
  cluster = await startCluster()
  port = await findFreePort()
  for (const name of ['a', 'b']) {
    const { cert, key } = authority.certify('localhost')
    mkdirSync(join(scratch, name), { mode: 0o700 })
    writeFileSync(join(scratch, `${name}.pem`), cert)
    writeFileSync(join(scratch, `${name}.key`), key, { mode: 0o600 })
  }
  writeFileSync(join(scratch, 'ca.pem'), authority.cert)
})
after(() => cluster.stop())

test('an enrolled node is handed the KEK; a node that is not, one that was revoked, and a replayed request get nothing, and the audit says so', async () => {
  const key = await makeNodeKey('b')
  const one = await startNode('a', [`--hand-over-port=${String(port)}`])
  await one.untilState('sealed')
  const { setId, shares } = await one.makeShares({ shares: 3, threshold: 2 })
  await one.enter(...shares.slice(0, 2))
  await one.untilState('ready')

  // Not enrolled: it goes on asking, and stays sealed.
  const two = await startNode('b', [`--hand-over-peers=localhost:${String(port)}`])
  await two.untilState('sealed')
  await until(async () => (await handOvers(one)).includes('node-b refused'), 'a refused hand-over')
  assert.equal((await two.readiness()).state, 'sealed')

  // Custodians enrol it, by the command; as many as the threshold have to agree to the same key.
  const other = generateNodeKey('node-b').key
  let enrolling = 0
  const enroll = (share: string, publicKey: string) =>
    one.operator('operator.nodes.enroll', { name: 'node-b', publicKey, share, custodian: `c-${String(++enrolling)}` })
  assert.equal((await enroll(shares[0] ?? '', other.publicKey)).result?.isEnrolled, false)
  assert.equal((await enroll(shares[1] ?? '', key.publicKey)).result?.isEnrolled, false)
  const args = ['keys', 'enroll-node', 'node-b', key.publicKey, '--custodian=aziz', `--data=${one.folder}`]
  const enrolled = await runWithInput(args, shares[2] ?? '')
  assert.match(enrolled.out, /is enrolled/, enrolled.err)
  await two.untilState('ready')
  assert.ok((await handOvers(one)).includes('node-b done'))
  assert.equal((await two.operator('operator.keys.verify', {})).result?.findings.length, 0)
  const entries = (await one.operator('operator.audit.list', all)).result?.entries ?? []
  const opened = entries.filter(({ action }) => action === 'kek.opened').map(({ actor, subject }) => `${actor} ${subject}`)
  assert.deepEqual(opened, [`node:node-b ${setId}`, `custodian:holder-2 ${setId}`])
  assert.ok(entries.some(({ action, actor, subject }) => action === 'node.enrolled' && actor === 'custodian:aziz' && subject === 'node-b'))

  // What was recorded on one connection fits no other, and another authority's certificate reaches nothing.
  const recorded = await recordRequest(key, setId)
  assert.deepEqual(await replay(recorded), { keks: [] })
  assert.equal((await handOvers(one)).filter((each) => each === 'node-b refused').length >= 2, true)
  await assert.rejects(ask(key, setId, tlsOf(foreign.certify('localhost'))))
  assert.equal(await ask(other, setId), 0, 'another key of the same name')
  assert.equal(await ask(key, setId), 1)

  const whileEnrolled = await changeNodeList((value) => value)
  assert.equal((await one.operator('operator.nodes.revoke', { name: 'node-b' })).result?.success, true)
  assert.equal(await ask(key, setId), 0)
  const [listed] = (await one.operator('operator.nodes.list', {})).result?.nodes ?? []
  assert.notEqual(listed?.revokedAt, null)

  // Somebody who writes the database puts the list of before back, or their own.
  const before = await changeNodeList((value) => value.replace('revokedAt', 'revokedat'))
  assert.match((await one.operator('operator.nodes.list', {})).message ?? '', /was not written by this service/)
  await changeNodeList(() => before)
  assert.equal((await one.operator('operator.nodes.list', {})).result?.nodes.length, 1)
  await changeNodeList(() => whileEnrolled)
  assert.match((await one.operator('operator.nodes.list', {})).message ?? '', /an older list of enrolled nodes was put back/)
  assert.equal(await ask(key, setId).catch(() => 0), 0)
  for (const node of [one, two]) {
    node.kill('SIGTERM')
    assert.equal((await node.ended).code, 0, node.err())
  }
})

const all = { merchantId: '' as const, subject: null, count: 200 }

async function handOvers(node: CustodiedService): Promise<string[]> {
  const entries = (await node.operator('operator.audit.list', all)).result?.entries ?? []
  return entries.filter(({ action }) => action === 'kek.handed_over').map(({ subject, outcome }) => `${subject} ${outcome}`)
}

async function makeNodeKey(name: string): Promise<NodeKey> {
  const folder = join(scratch, name)
  const made = await runTessera(['keys', 'node-key', `node-${name}`, '--json', `--data=${folder}`]).ended
  const { publicKey } = JSON.parse(made.out) as { publicKey: string }
  const key = readNodeKey(readFileSync(join(folder, 'node-key.json'), 'utf8'))
  assert.equal(key.publicKey, publicKey)
  return key
}

function startNode(name: string, args: readonly string[]): Promise<CustodiedService> {
  const files = [`--hand-over-cert-file=${join(scratch, `${name}.pem`)}`, `--hand-over-key-file=${join(scratch, `${name}.key`)}`]
  const settings = ['--kek=shares', `--hand-over-ca-file=${join(scratch, 'ca.pem')}`, ...files, ...args]
  return startCustodied(join(scratch, name), settings, { TESSERA_DATABASE_URL: cluster.url })
}

function tlsOf({ cert, key }: CertificateWithKey): HandOverTls {
  return { certificate: Buffer.from(cert), key: Buffer.from(key), authority: Buffer.from(authority.cert) }
}

function requestOf(key: NodeKey, setId: string, session: Uint8Array) {
  const signature = Buffer.from(signAsNode(key, ['test', key.name, session, setId])).toString('hex')
  return { node: key.name, sets: [setId], signature }
}

/** How many KEKs a node is handed. */
async function ask(key: NodeKey, setId: string, tls = tlsOf(authority.certify('localhost'))): Promise<number> {
  let count = -1
  await requestHandOver(
    { host: 'localhost', port, tls },
    (session) => requestOf(key, setId, session),
    async ({ keks }) => void (count = keks.length),
  )
  return count
}

/** What a node sends on a connection, as somebody may have recorded it there. */
async function recordRequest(key: NodeKey, setId: string): Promise<string> {
  let line = ''
  const tls = tlsOf(authority.certify('localhost'))
  const record = (session: Uint8Array) => {
    const request = requestOf(key, setId, session)
    line = JSON.stringify(request)
    return request
  }
  await requestHandOver({ host: 'localhost', port, tls }, record, async ({ keks }) => assert.equal(keks.length, 1))
  return line
}

async function replay(line: string): Promise<unknown> {
  const { cert, key } = authority.certify('localhost')
  const socket = connect({ host: 'localhost', servername: 'localhost', port, ca: authority.cert, cert, key, minVersion: 'TLSv1.3' })
  socket.once('secureConnect', () => socket.write(`${line}\n`))
  let text = ''
  for await (const chunk of socket) text += String(chunk)
  return JSON.parse(text) as unknown
}

/** Returns what was there. */
async function changeNodeList(change: (value: string) => string): Promise<string> {
  const client = new pg.Client({ connectionString: cluster.url })
  await client.connect()
  const { rows } = await client.query<{ value: Buffer }>(`select value from ${valuesTable} where name = 'nodes.enrolled'`)
  const value = rows[0]?.value.toString() ?? assert.fail('no node is enrolled')
  await client.query(`update ${valuesTable} set value = $1 where name = 'nodes.enrolled'`, [Buffer.from(change(value))])
  await client.end()
  return value
}

const valuesTable = 'tessera_keys.key_store_values'
