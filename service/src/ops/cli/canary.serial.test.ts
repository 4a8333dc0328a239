// runs once: a secret that is written once in many is what it looks for
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

import { drawPan } from '../../testing/random.fixture.ts'

import { makeScratch, startTesseraChild, until } from '../../testing/child.fixture.ts'
import type { Ended, Started } from '../../testing/child.fixture.ts'

const expire = '0399'

/** A card number in every encoding in which a file could contain it. */
function dresses(pan: string): Map<string, Buffer> {
  const raw = Buffer.from(pan, 'latin1')
  const fours = pan.match(/.{1,4}/g) ?? []
  const swapped = Buffer.from(pan, 'utf16le').swap16()
  return new Map([
    ['raw', raw],
    ['in fours', Buffer.from(fours.join(' '))],
    ['in fours with dashes', Buffer.from(fours.join('-'))],
    ['hex', Buffer.from(raw.toString('hex'))],
    ['hex, upper case', Buffer.from(raw.toString('hex').toUpperCase())],
    ['UTF-16, little endian', Buffer.from(pan, 'utf16le')],
    ['UTF-16, big endian', swapped],
    ['packed decimal', Buffer.from(pan, 'hex')],
    ['digits as bytes', Buffer.from(raw.map((byte) => byte - 0x30))],
    // Base64 has three phases, by where in a longer text the number stands; the outer characters depend on the neighbours.
    ...[0, 1, 2].map((phase) => [`base64, phase ${String(phase)}`, base64(raw, phase)] as const),
  ])
}

function base64(raw: Buffer, phase: number): Buffer {
  const text = Buffer.concat([Buffer.alloc(phase), raw]).toString('base64')
  return Buffer.from(text.slice(phase === 0 ? 0 : 4, -4))
}

function findIn(bytes: Buffer, pan: string): string[] {
  return [...dresses(pan)].filter(([, dress]) => bytes.includes(dress)).map(([name]) => name)
}

/** Sends a number through the places where it belongs. */
async function sendRight(service: Started, pan: string): Promise<string> {
  const { reply } = await service.call('cards.create', { card: { number: pan, expire }, save: true })
  const token = reply.result?.card.token ?? assert.fail(JSON.stringify(reply))
  await service.call('cards.get_verify_code', { token })
  await service.call('cards.verify', { token, code: '000000' })
  await service.call('cards.check', { token }, true)
  await service.call('cards.create', { card: { number: Number(pan), expire } })
  await service.call('cards.create', { card: { number: `${pan}0`, expire } })
  return token
}

/**
 * Sends a number through every place where it may not stand. Numbers under a prefix of fewer than four digits are let through there, since
 * merchants' own numbers look like them (docs/reference/wire.md#card-numbers-in-requests), so this is for the others.
 */
async function sendWrong(service: Started, pan: string, token: string): Promise<void> {
  const { url, demo } = service.facts
  await service.call('cards.create', { card: { number: pan, expire: pan }, customer: pan })
  await service.call('cards.verify', { token, code: pan })
  await service.call('cards.verify', { token: pan, code: '1' })
  await service.call(pan, { pan })
  const headers = { 'x-auth': demo?.merchantId ?? '' }
  const body = JSON.stringify({ id: pan, method: 'cards.create', params: { card: { number: pan, expire }, account: { order: pan } } })
  await fetch(`${url}/api`, { method: 'POST', headers, body })
  await fetch(`${url}/api?pan=${pan}`, { method: 'POST', headers: { ...headers, 'user-agent': pan }, body })
  await fetch(`${url}/api`, { method: 'POST', headers: { 'x-auth': pan, cookie: pan }, body: `${body}${pan}` })
  await fetch(`${url}/${pan}`)
}

async function spread(service: Started, pans: readonly string[]): Promise<void> {
  for (const pan of pans) {
    const token = await sendRight(service, pan)
    if (!pan.startsWith('4')) await sendWrong(service, pan, token)
  }
}

function requestLines(log: string): number {
  return log.match(/"event":"request"/g)?.length ?? 0
}

function logOf({ out, err }: Ended): Buffer {
  return Buffer.from(out + err)
}

test('a card number that went through the running service is in none of its files, nor in what it printed, in any dress', async () => {
  const folder = join(makeScratch(), 'data')
  const pans = ['8600', '9860', '4', '2200'].map((prefix) => drawPan(prefix))
  const first = await startTesseraChild(folder, ['--log-level=debug'])
  await spread(first, pans)
  await until(() => requestLines(first.err()) > 20, 'the log to be written')
  // Killed, so that the write-ahead log lies there as it was.
  first.kill('SIGKILL')
  const killed = await first.ended
  const files = readdirSync(folder)
  assert.ok(files.includes('tessera.db') && files.includes('tessera.db-wal'), files.join())
  const places = new Map([...readFiles(folder, files), ['what was printed', logOf(killed)] as const])
  const second = await startTesseraChild(folder, ['--log-level=debug'])
  await spread(second, pans)
  const stopped = await second.stop()
  for (const [name, bytes] of [...readFiles(folder, readdirSync(folder)), ['what was printed later', logOf(stopped)] as const])
    places.set(`${name}, later`, bytes)
  for (const [name, bytes] of places) for (const pan of pans) assert.deepEqual(findIn(bytes, pan), [], name)
  assert.ok(!killed.err.includes('log_tripwire'))
  assert.ok(requestLines(killed.err) > 20, 'the log was on')
})

test('the search finds a number that does lie there, in every dress', () => {
  const pan = drawPan('8600')
  for (const [name, dress] of dresses(pan))
    assert.ok(findIn(Buffer.concat([Buffer.from('before '), dress, Buffer.from(' after')]), pan).includes(name), name)
  for (const before of ['', 'x', 'xx']) {
    const line = Buffer.from(Buffer.from(`${before}${pan} and more`).toString('base64'))
    assert.ok(
      findIn(line, pan).some((name) => name.startsWith('base64')),
      before,
    )
  }
})

function readFiles(folder: string, names: readonly string[]): [string, Buffer][] {
  return names.filter((name) => !name.endsWith('.sock')).map((name) => [name, readFileSync(join(folder, name))])
}
