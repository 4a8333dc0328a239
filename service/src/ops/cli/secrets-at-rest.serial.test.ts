// time limit: 120 s
// runs once: a secret that is written once in many is what it looks for
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

import { drawPan } from '../../testing/random.fixture.ts'
import { startCluster, type Cluster } from '../../../../tools/postgres.ts'

import { makeScratch, startTesseraChild } from '../../testing/child.fixture.ts'
import type { Ended, Started } from '../../testing/child.fixture.ts'

const scratch = makeScratch()
const known = '8600495473316478'

/** What was given to a merchant or a cardholder, and may lie nowhere: by what it is. */
type Secrets = Map<string, Buffer>

/** Sends cards on their way, some of them twice under one idempotency key, and tells every secret that went over the wire. */
async function spread(service: Started): Promise<Secrets> {
  const secrets: Secrets = new Map()
  for (const [number, pan] of [drawPan('8600'), drawPan('9860'), known, known].entries()) {
    const { reply } = await callTwice(service, 'cards.create', { card: { number: pan, expire: '0399' }, save: true }, `create-${number}`)
    const token = reply.result?.card.token ?? assert.fail(JSON.stringify(reply))
    if (pan !== known) for (const [how, bytes] of dresses(pan)) secrets.set(`number ${number} ${how}`, bytes)
    secrets.set(`secret of token ${number}`, Buffer.from(token.slice(25)))
    secrets.set(`secret of token ${number} in UTF-16`, Buffer.from(token.slice(25), 'utf16le'))
    await callTwice(service, 'cards.get_verify_code', { token }, `code-${number}`)
    await callTwice(service, 'cards.verify', { token, code: '666666' }, `verify-${number}`)
    if (number === 3) await service.call('cards.remove', { token }, true)
    await service.call('cards.check', { token }, true)
  }
  secrets.set('password', Buffer.from(service.facts.demo?.password ?? assert.fail('a demo merchant')))
  return secrets
}

async function callTwice({ facts }: Started, method: string, params: object, key: string): Promise<{ reply: Reply }> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const headers = { 'x-auth': facts.demo?.merchantId ?? '', 'idempotency-key': key }
  const ask = async (): Promise<Reply> =>
    (await (await fetch(`${facts.url}/api/${method}`, { method: 'POST', headers, body })).json()) as Reply
  const [first, again] = [await ask(), await ask()]
  assert.deepEqual(again, first)
  return { reply: first }
}

interface Reply {
  readonly result?: { readonly card: { readonly token: string } }
}

function dresses(pan: string): [string, Buffer][] {
  return [
    ['as text', Buffer.from(pan)],
    ['in fours', Buffer.from(pan.replace(/(.{4})(?!$)/g, '$1 '))],
    ['in hex', Buffer.from(Buffer.from(pan).toString('hex'))],
    ['packed', Buffer.from(pan, 'hex')],
    ['in UTF-16', Buffer.from(pan, 'utf16le')],
  ]
}

function findSecrets(places: readonly [string, Buffer][], secrets: Secrets): string[] {
  return places.flatMap(([place, bytes]) =>
    [...secrets].filter(([, secret]) => bytes.includes(secret)).map(([what]) => `${what}: ${place}`),
  )
}

function filesUnder(folder: string): [string, Buffer][] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => [name, readFileSync(join(parentPath, name))])
}

function printed({ out, err }: Ended): [string, Buffer] {
  // The banner of the start contains the demo merchant's public password.
  return ['what was printed', Buffer.from(out.slice(out.indexOf('\n')) + err)]
}

/** The embedded store is killed, so that its write-ahead log lies there as it was; the search has to find what does lie there. */
function judge(places: readonly [string, Buffer][], secrets: Secrets, mask: string): void {
  assert.deepEqual(findSecrets(places, secrets), [])
  assert.notDeepEqual(findSecrets(places, new Map([['a mask', Buffer.from(mask)]])), [], 'the search finds what is there')
}

test('no file of a killed service holds a token, a password or a number that went through it', async () => {
  const folder = join(scratch, 'killed')
  const service = await startTesseraChild(folder, ['--log-level=debug'])
  const secrets = await spread(service)
  service.kill('SIGKILL')
  judge([...filesUnder(folder), printed(await service.ended)], secrets, '860049******6478')
})

test('no file of PostgreSQL, its log of writes included, holds a token, a password or a number that went through the service', async () => {
  const cluster: Cluster = await startCluster()
  try {
    const folder = join(scratch, 'postgres')
    const service = await startTesseraChild(folder, ['--log-level=debug'], { TESSERA_DATABASE_URL: cluster.url })
    const secrets = await spread(service)
    const said = printed(await service.stop())
    await cluster.crash()
    judge([...filesUnder(join(cluster.folder, 'data')), ...filesUnder(folder), said], secrets, '860049******6478')
    await cluster.start()
  } finally {
    await cluster.stop()
  }
})
