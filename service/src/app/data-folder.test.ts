// own process: it changes the user of the process
import assert from 'node:assert/strict'
import { chownSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

import { ExitError } from '../ops/exits.ts'
import { claimDataFolder, readFolderMarker, refuseForeignEnvironment } from './data-folder.ts'

const isRoot = process.geteuid?.() === 0
const needsRoot = isRoot ? false : 'only root can give a file to another user'

test('root is refused on the data folder of another user, and writes nothing into it', { skip: needsRoot }, (t) => {
  const folder = makeFolder(t)
  writeFileSync(join(folder, 'environment'), 'test\n', { mode: 0o600 })
  claimDataFolder(folder, 'test')
  chownSync(join(folder, 'environment'), 1234, 1234)
  assert.throws(
    () => claimDataFolder(folder, 'test'),
    (err) =>
      err instanceof ExitError && err.exit === 'cannotCreate' && /belongs to the user with the id 1234.*--reuid 1234/s.test(err.message),
  )
  assert.deepEqual(readdirSync(folder), ['environment'])
})

test('a file of another user in the data folder is named, with its owner', { skip: needsRoot }, (t) => {
  const folder = makeFolder(t)
  chownSync(folder, 1234, 1234)
  writeFileSync(join(folder, 'store.json'), '{}', { mode: 0o600 })
  const message = `${folder}/store.json in the data folder cannot be used (EACCES): it belongs to the user with the id 0.`
  process.seteuid?.(1234)
  try {
    assert.throws(
      () => readFolderMarker(folder),
      (err) => err instanceof ExitError && err.message.includes(message),
    )
  } finally {
    process.seteuid?.(0)
  }
})

test('a command with the settings of the other environment is told so, and a folder that says none is left to the checks', (t) => {
  const dataFolder = makeFolder(t)
  const refuse = (environment: string): void => refuseForeignEnvironment({ dataFolder, environment })
  refuse('test')
  writeFileSync(join(dataFolder, 'environment'), 'production\n')
  refuse('production')
  assert.throws(
    () => refuse('test'),
    (err) =>
      err instanceof ExitError &&
      err.exit === 'invalidSettings' &&
      err.message.includes('is of the production environment') &&
      err.message.includes('--config'),
  )
  writeFileSync(join(dataFolder, 'environment'), 'x')
  refuse('test')
})

function makeFolder(t: { after: (fn: () => void) => void }): string {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-data-folder-'))
  t.after(() => rmSync(folder, { recursive: true }))
  return folder
}
