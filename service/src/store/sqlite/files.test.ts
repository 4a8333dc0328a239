import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { bytesOf, makeCard, makeAuditEntry, shreddedVersion } from '../suite/samples.fixture.ts'
import { openSqliteKeyStore, SQLITE_KEYS_FILE } from './keys.ts'
import { openSqliteStore, SQLITE_FILE } from './sqlite.ts'
import { withFolder, withSqlite } from './with-store.fixture.ts'
import { findCard, insertCard, updateCard } from '../cards.ts'
import { withTestAuditKey } from '../suite/audit-key.fixture.ts'

test(
  'only the owner can read the files of the embedded store',
  withSqlite(async ({ store, folder }) => {
    await store.write(insertCard, { card: makeCard(1), audit: makeAuditEntry(makeCard(1)) })
    const keys = await openSqliteKeyStore(folder)
    const files = readdirSync(folder)
    assert.ok(files.includes(`${SQLITE_FILE}-wal`) && files.includes(`${SQLITE_FILE}-shm`))
    for (const file of files) assert.equal(statSync(join(folder, file)).mode & 0o777, 0o600, file)
    await keys.close()
  }),
)

test(
  'a shredded PAN is in no file once the store is closed',
  withSqlite(async ({ store, folder, reopen }) => {
    const cards = Array.from({ length: 60 }, (_, number) => makeCard(number, { blob: bytesOf(`to be shredded ${number}`, 200) }))
    await Promise.all(cards.map((card) => store.write(insertCard, { card, audit: makeAuditEntry(card) })))
    const filesWithPan = (): string[] => {
      const files = readdirSync(folder).map((file) => [file, readFileSync(join(folder, file))] as const)
      return files.flatMap(([file, content]) => (cards.some(({ blob }) => content.includes(Buffer.from(blob.subarray(100)))) ? [file] : []))
    }
    assert.notDeepEqual(filesWithPan(), [])
    for (const shredded of cards.map(shreddedVersion))
      assert.equal(await store.write(updateCard, { card: shredded, audit: makeAuditEntry(shredded) }), true)
    await reopen().then((again) => again.close(1000))
    assert.deepEqual(filesWithPan(), [])
  }),
)

test('keys are in a file of their own', () =>
  withFolder(async (folder) => {
    const keys = await openSqliteKeyStore(folder)
    await keys.close()
    assert.deepEqual(readdirSync(folder), [SQLITE_KEYS_FILE])
  }))

test('a file that is not a database is refused and left as it is', () =>
  withFolder(async (folder) => {
    const path = join(folder, SQLITE_FILE)
    writeFileSync(path, 'a shopping list, and a long one at that. '.repeat(200))
    await assert.rejects(openSqliteStore({ folder }), /tessera\.db .*is not a database/)
    assert.match(readFileSync(path, 'utf8'), /^a shopping list/)
  }))

test('reading a damaged page fails, and cards on other pages are read and written', () =>
  withFolder(async (folder) => {
    const exits: Error[] = []
    const open = async (): ReturnType<typeof openSqliteStore> =>
      withTestAuditKey(await openSqliteStore({ folder, exit: (cause) => exits.push(cause) }))
    const cards = Array.from({ length: 300 }, (_, number) => makeCard(number, { account: JSON.stringify({ filler: 'x'.repeat(900) }) }))
    const before = await open()
    await Promise.all(cards.map((card) => before.write(insertCard, { card, audit: makeAuditEntry(card) })))
    await before.close(5000)
    damagePageOf(join(folder, SQLITE_FILE), cards[150]!.blob)

    const store = await open()
    const read = await Promise.allSettled(cards.map((card) => store.read(findCard(card))))
    const refused = read.filter(({ status }) => status === 'rejected').length
    assert.ok(refused > 0 && refused < 10, `${refused} cards were refused`)
    const [lost] = cards.filter((_, at) => read[at]?.status === 'rejected')
    const [shredded, inserted] = await Promise.allSettled([
      store.write(updateCard, { card: shreddedVersion(lost!), audit: makeAuditEntry(shreddedVersion(lost!)) }),
      store.write(insertCard, { card: makeCard(1000), audit: makeAuditEntry(makeCard(1000)) }),
    ])
    await store.close(5000)
    assert.deepEqual([shredded.status, inserted.status], ['rejected', 'fulfilled'])
    assert.deepEqual(exits, [])
  }))

/** Overwrites the header of the b-tree page that holds some bytes. */
function damagePageOf(path: string, content: Uint8Array): void {
  const file = readFileSync(path)
  const at = file.indexOf(content)
  assert.ok(at > 0)
  const page = at - (at % PAGE_BYTES)
  file.fill(0xff, page, page + 8)
  writeFileSync(path, file)
}

const PAGE_BYTES = 4096
