import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

import { type DatabaseFiles, findDatabaseFiles, type FoundFile } from '../store/sqlite/file-identity.ts'

import { dataFolderPaths, type NotedFiles, readFolderMarker, writeFolderMarker } from './data-folder.ts'
import { compareFiles, findNotedFiles, noteFilesClosed, noteFilesClosing } from './database-files.ts'

const second = 1_000_000_000n
const touchedNs = 1_000n * second
const database: FoundFile = { device: '1', inode: '10', createdNs: '5', size: 8192, changedNs: String(touchedNs - second) }
const wal: FoundFile = { device: '1', inode: '11', createdNs: '6', size: 4096, changedNs: String(touchedNs + second) }

function compare(noted: Partial<NotedFiles> | null, found: Partial<DatabaseFiles>, touched: bigint | null = touchedNs): string {
  const was = noted === null ? null : { state: 'open' as const, database, wal, ...noted }
  return compareFiles(was, { database, wal, ...found }, touched)
}

test('the files of the last stop are known by device, inode, time of creation, size and change time', () => {
  const closed = { state: 'closed', wal: null } as const
  assert.equal(compare(closed, { wal: null }), 'closed')
  for (const [name, value] of Object.entries({ device: '2', inode: '9', createdNs: '4', size: 4096, changedNs: '7' }))
    assert.equal(compare(closed, { database: { ...database, [name]: value }, wal: null }), 'unknown', name)
  assert.equal(compare(closed, {}), 'unknown', 'a log that a stop did not leave')
  assert.equal(compare(null, {}), 'unknown', 'a folder of an older version')
})

test('after a crash the same files are known, unless something changed them later or the log is missing', () => {
  assert.equal(compare({}, {}), 'crashed')
  assert.equal(compare({}, { wal: null }), 'incomplete')
  assert.equal(compare({}, { wal: { ...wal, inode: '12' } }), 'unknown', 'another log')
  assert.equal(
    compare({}, { database: { ...database, createdNs: '7' } }),
    'unknown',
    'a deleted file whose inode was given to the next one',
  )
  const late = String(touchedNs + 6n * second)
  assert.equal(compare({}, { database: { ...database, changedNs: late } }), 'unknown', 'copied over the file after the crash')
  assert.equal(compare({}, { wal: { ...wal, changedNs: late } }), 'unknown')
  assert.equal(compare({}, {}, null), 'unknown')
})

test('a crash while the files are closed is no missing log', () => {
  assert.equal(compare({ state: 'closing' }, { wal: null }), 'unknown')
  assert.equal(compare({ state: 'closing' }, {}), 'crashed')
})

test('the marker has the files, is read back, and says closing only of files that were open', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-files-'))
  try {
    writeFileSync(join(folder, 'tessera.db'), 'not empty')
    const marker = { store: 'sqlite', kek: 'file-1', key: null } as const
    writeFolderMarker(folder, { ...marker, files: null })
    noteFilesClosing(folder)
    assert.equal(readFolderMarker(folder)?.files, null)
    writeFolderMarker(folder, { ...marker, files: findNotedFiles(folder, 'open') })
    noteFilesClosing(folder)
    assert.equal(readFolderMarker(folder)?.files?.state, 'closing')
    noteFilesClosed(folder)
    const { ino } = statSync(join(folder, 'tessera.db'), { bigint: true })
    assert.deepEqual(readFolderMarker(folder)?.files, findNotedFiles(folder, 'closed'))
    assert.equal(readFolderMarker(folder)?.files?.database.inode, String(ino))
    // A program that sets the time of modification does not hide that it wrote.
    const before = findNotedFiles(folder, 'closed')?.database.changedNs
    utimesSync(join(folder, 'tessera.db'), 1, 1)
    assert.notEqual(findNotedFiles(folder, 'closed')?.database.changedNs, before)
    writeFileSync(dataFolderPaths(folder).marker, JSON.stringify({ ...marker, files: { state: 'closed', database: { inode: 1 } } }))
    assert.equal(readFolderMarker(folder)?.files, null, 'what another version wrote')
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('a database whose log is still there after it was closed is noted as open, so that a lost log is known', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-files-'))
  try {
    const wal = join(folder, 'tessera.db-wal')
    writeFileSync(join(folder, 'tessera.db'), 'not empty')
    writeFileSync(wal, 'not empty')
    writeFolderMarker(folder, { store: 'sqlite', kek: 'file-1', key: null, files: findNotedFiles(folder, 'closing') })
    noteFilesClosed(folder)
    const noted = readFolderMarker(folder)?.files ?? null
    assert.equal(noted?.state, 'open')
    rmSync(wal)
    assert.equal(compareFiles(noted, findDatabaseFiles(folder), touchedNs), 'incomplete')
  } finally {
    rmSync(folder, { recursive: true })
  }
})
