import assert from 'node:assert/strict'
import { copyFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'

import { findWalDamage } from './wal.ts'
import { withFolder } from './with-store.fixture.ts'

const [pageBytes, headerBytes, frameHeaderBytes] = [4096, 32, 24]
const frameBytes = frameHeaderBytes + pageBytes

/** A copy of a database that four transactions of one frame each have written, with its log; as a crash leaves it. */
async function withLog(run: (path: string) => void): Promise<void> {
  await withFolder((folder) => {
    const [source, path] = [join(folder, 'source.db'), join(folder, 'copy.db')]
    const db = new DatabaseSync(source)
    try {
      db.exec('pragma journal_mode = wal; create table t (n integer)')
      db.exec('pragma wal_checkpoint(truncate)')
      for (let n = 0; n < 4; n++) db.exec(`insert into t values (${n})`)
      for (const end of ['', '-wal']) copyFileSync(source + end, path + end)
    } finally {
      db.close()
    }
    assert.equal(readFileSync(`${path}-wal`).length, headerBytes + 4 * frameBytes)
    run(path)
    return Promise.resolve()
  })
}

function flip(path: string, at: number): void {
  const bytes = readFileSync(path)
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at)
  writeFileSync(path, bytes)
}

test('a log that a crash left behind has no damage, also where its last transaction is torn or cut off', async () => {
  await withLog((path) => {
    assert.equal(findWalDamage(path), null)
    flip(`${path}-wal`, headerBytes + 3 * frameBytes + 500)
    assert.equal(findWalDamage(path), null, 'a power cut may have torn the last frame')
    truncateSync(`${path}-wal`, headerBytes + 2 * frameBytes + 100)
    assert.equal(findWalDamage(path), null)
  })
})

for (const [what, at, frame] of [
  ['the content of a frame', frameHeaderBytes + 100, 2],
  ['the page number of a frame', 3, 1],
  ['the checksum of a frame', 20, 2],
] as const) {
  test(`damage of ${what} is found when later transactions follow it, which SQLite would leave out`, async () => {
    await withLog((path) => {
      flip(`${path}-wal`, headerBytes + (frame - 1) * frameBytes + at)
      assert.equal(findWalDamage(path), `frame ${frame} of 4 of its write-ahead log is damaged, and later transactions follow it`)
      const db = new DatabaseSync(path, { readOnly: true })
      const [row] = db.prepare('select count(*) as rows from t').all()
      db.close()
      assert.equal(row?.['rows'], frame - 1, 'SQLite itself opens it without the rows')
    })
  })
}

test('a damaged header of a log is found', async () => {
  await withLog((path) => {
    flip(`${path}-wal`, 17)
    assert.equal(findWalDamage(path), 'the header of its write-ahead log is damaged')
  })
})

test('frames of an earlier round of the log, which a checkpoint has read, are no damage', async () => {
  await withFolder((folder) => {
    const path = join(folder, 'a.db')
    const db = new DatabaseSync(path)
    db.exec('pragma journal_mode = wal; create table t (n integer)')
    for (let n = 0; n < 6; n++) db.exec(`insert into t values (${n})`)
    db.exec('pragma wal_checkpoint(restart)')
    db.exec('insert into t values (9)')
    assert.equal(findWalDamage(path), null)
    db.close()
    return Promise.resolve()
  })
})
