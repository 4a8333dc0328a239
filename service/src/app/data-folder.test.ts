// own process: it changes the user of the process
import assert from 'node:assert/strict'
import { chownSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

import { ExitError } from '../ops/exits.ts'
import { claimDataFolder, readFolderMarker, refuseForeignEnvironment } from './data-folder.ts'

/** Root gives a file to another user. Another user's test sees its own as root would. */
const isRoot = process.geteuid?.() === 0
const otherUser = isRoot ? 1234 : (process.geteuid?.() ?? 0)

test('root is refused on the data folder of another user, and writes nothing into it', (t) => {
  const folder = makeFolder(t)
  writeFileSync(join(folder, 'environment'), 'test\n', { mode: 0o600 })
  claimDataFolder(folder, 'test')
  if (isRoot) chownSync(join(folder, 'environment'), otherUser, otherUser)
  t.mock.method(process as { geteuid: () => number }, 'geteuid', () => 0)
  assert.throws(
    () => claimDataFolder(folder, 'test'),
    (err) => err instanceof ExitError && err.exit === 'cannotCreate' && err.message.includes(`--reuid ${String(otherUser)}`),
  )
  assert.deepEqual(readdirSync(folder), ['environment'])
})

test('a file of another user in the data folder is named, with its owner', (t) => {
  const folder = makeFolder(t)
  const file = join(folder, 'store.json')
  writeFileSync(file, '{}', { mode: isRoot ? 0o600 : 0o000 })
  const owner = process.geteuid?.() ?? 0
  if (isRoot) {
    chownSync(folder, otherUser, otherUser)
    process.seteuid?.(otherUser)
  } else t.mock.method(process as { geteuid: () => number }, 'geteuid', () => otherUser + 1)
  const message = `${file} in the data folder cannot be used (EACCES): it belongs to the user with the id ${String(owner)}.`
  // Only for the moment: the runner of tests writes files meanwhile.
  try {
    assert.throws(
      () => readFolderMarker(folder),
      (err) => err instanceof ExitError && err.message.includes(message),
    )
  } finally {
    if (isRoot) process.seteuid?.(0)
  }
})

test('a command with the settings of the other environment is refused, and a folder that names none is left to the checks', (t) => {
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
