import assert from 'node:assert/strict'
import { chmod, mkdir, mkdtemp, open, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, mock, test } from 'node:test'

import { KekError, KekMissingError } from '@tessera/vault/kek'

import { openFileKek } from './file-kek.ts'
import { describeKek } from './kek.suite.ts'

const plain = Uint8Array.from({ length: 32 }, (_, i) => i)
const associated = Uint8Array.from(Buffer.from('card of a merchant'))

let folder = ''
let count = 0

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tessera-kek-'))
})
after(() => rm(folder, { recursive: true }))

/** A path in a folder of its own. */
async function freshPath(): Promise<string> {
  const own = join(folder, String(count++))
  await mkdir(own)
  return join(own, 'kek')
}

const suitePaths: { own?: string; other?: string } = {}
describeKek('development file', {
  open: async () => openFileKek((suitePaths.own ??= await freshPath())),
  openOther: async () => openFileKek((suitePaths.other ??= await freshPath())),
})

test('a KEK that is missing is not created when something depends on it', async () => {
  const path = await freshPath()
  await assert.rejects(openFileKek(path, false), KekMissingError)
  await assert.rejects(stat(path), { code: 'ENOENT' })
  const created = await openFileKek(path)
  assert.equal((await openFileKek(path, false)).id, created.id)
})

test('a development KEK is created when there is none, readable by its owner only', async () => {
  const path = await freshPath()
  const kek = await openFileKek(path)
  assert.equal(kek.kind, 'development-file')
  assert.equal((await stat(path)).mode & 0o777, 0o600)
  assert.deepEqual(await readdir(join(path, '..')), ['kek'])
})

test('a reopened file is the same KEK, and unwraps what it wrapped', async () => {
  const path = await freshPath()
  const first = await openFileKek(path)
  const wrapped = await first.wrap(plain, associated)
  const second = await openFileKek(path)
  assert.equal(second.id, first.id)
  assert.deepEqual(Uint8Array.from(await second.unwrap(wrapped, associated)), plain)
})

test('the file and its name are synced to disk before the KEK is used, once', async () => {
  const handle = await open(folder)
  const sync = mock.method(Object.getPrototypeOf(handle) as typeof handle, 'sync')
  await handle.close()
  const path = await freshPath()
  await openFileKek(path)
  assert.equal(sync.mock.callCount(), 2)
  await openFileKek(path)
  assert.equal(sync.mock.callCount(), 2)
  sync.mock.restore()
})

test('two files are two KEKs, and neither unwraps what the other wrapped', async () => {
  const [one, other] = [await openFileKek(await freshPath()), await openFileKek(await freshPath())]
  assert.notEqual(one.id, other.id)
  await assert.rejects(other.unwrap(await one.wrap(plain, associated), associated), KekError)
})

test('of many processes that create the file at once one wins, all get its key, and no draft is left', async () => {
  const path = await freshPath()
  const keks = await Promise.all(Array.from({ length: 8 }, () => openFileKek(path)))
  assert.equal(new Set(keks.map((kek) => kek.id)).size, 1)
  assert.deepEqual(await readdir(join(path, '..')), ['kek'])
  assert.equal((await openFileKek(path)).id, keks[0]?.id)
})

test('a file that other users can read or write is refused with its mode and what to do', async () => {
  const path = await freshPath()
  await openFileKek(path)
  for (const mode of [0o640, 0o604, 0o660, 0o606, 0o610, 0o644, 0o666]) {
    await chmod(path, mode)
    await assertRefused(path, new RegExp(`mode ${mode.toString(8)}.*chmod 600`))
  }
  await chmod(path, 0o400)
  await openFileKek(path)
})

test('a damaged file is refused: any bit flipped, truncated, extended, emptied', async () => {
  const path = await freshPath()
  await openFileKek(path)
  const bytes = await readFile(path)
  for (let at = 0; at < bytes.length; at++) await assertDamaged(path, bytes.with(at, (bytes[at] ?? 0) ^ (1 << (at & 7))))
  for (let length = 0; length < bytes.length; length += 7) await assertDamaged(path, bytes.subarray(0, length))
  await assertDamaged(path, Buffer.concat([bytes, Buffer.of(0)]))
  await assertDamaged(path, Buffer.concat([bytes, bytes]))
  await writeFile(path, bytes)
  await openFileKek(path)
})

test('anything but a regular file is refused: a folder, a link to a valid file', async () => {
  const path = await freshPath()
  await openFileKek(path)
  await symlink(path, `${path}-link`)
  await assertRefused(`${path}-link`, /cannot be opened/)
  await assertRefused(join(path, '..'), /not a regular file/)
})

test('a missing folder is an error', async () => {
  const path = join(await freshPath(), 'nowhere', 'kek')
  await assert.rejects(openFileKek(path))
})

test('a wrapped key does not contain the key, and no two wraps are equal', async () => {
  const kek = await openFileKek(await freshPath())
  const [one, two] = [await kek.wrap(plain, associated), await kek.wrap(plain, associated)]
  assert.equal(Buffer.from(one).indexOf(plain.subarray(0, 8)), -1)
  assert.notDeepEqual(one, two)
})

test('a wrapped key does not unwrap when any bit is flipped, when it is truncated or extended, or with other associated data', async () => {
  const kek = await openFileKek(await freshPath())
  const wrapped = await kek.wrap(plain, associated)
  for (let bit = 0; bit < wrapped.length * 8; bit++) {
    const flipped = wrapped.with(bit >> 3, (wrapped[bit >> 3] ?? 0) ^ (1 << (bit & 7)))
    await assert.rejects(kek.unwrap(flipped, associated), KekError)
  }
  for (let length = 0; length < wrapped.length; length++) await assert.rejects(kek.unwrap(wrapped.slice(0, length), associated), KekError)
  await assert.rejects(kek.unwrap(Uint8Array.of(...wrapped, 0), associated), KekError)
  for (const other of [new Uint8Array(), associated.subarray(1), Uint8Array.of(...associated, 0)]) {
    await assert.rejects(kek.unwrap(wrapped, other), KekError)
  }
})

test('wrapping does not change the caller’s key, and unwrapping returns memory of its own', async () => {
  const kek = await openFileKek(await freshPath())
  const wrapped = await kek.wrap(plain, associated)
  assert.equal(plain[31], 31)
  const unwrapped = await kek.unwrap(wrapped, associated)
  assert.equal(unwrapped.buffer.byteLength, 32)
})

async function assertDamaged(path: string, bytes: Uint8Array): Promise<void> {
  await writeFile(path, bytes)
  await assertRefused(path, /is damaged/)
}

/** The error names the file, and nothing of its contents. */
async function assertRefused(path: string, message: RegExp): Promise<void> {
  await assert.rejects(openFileKek(path), (thrown: Error) => {
    assert.ok(thrown instanceof KekError)
    assert.match(thrown.message, message)
    assert.ok(thrown.message.includes(path))
    return true
  })
}
