import assert from 'node:assert/strict'
import { cpSync, existsSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

import { makeScratch, runTessera, startTesseraChild } from '../../testing/child.fixture.ts'

const card = { number: '8600495473316478', expire: '0399' }
const options = (folder: string): string[] => [`--data=${folder}`, '--port=0', '--admin-port=0', '--log-level=error']

test('an older database under its service is refused at the start, says what to do, and starts after an operator accepted it', async () => {
  const folder = join(makeScratch(), 'data')
  const first = await startTesseraChild(folder)
  const { reply } = await first.call('cards.create', { card, save: true })
  const token = reply.result?.card.token ?? assert.fail('no card')
  await first.stop()
  for (const file of databaseFiles) cpSync(join(folder, file), join(folder, `${file}.backup`))
  const second = await startTesseraChild(folder)
  assert.equal((await second.call('cards.remove', { token }, true)).reply.error, undefined)
  await second.stop()

  for (const file of databaseFiles) {
    rmSync(join(folder, file), { force: true })
    cpSync(join(folder, `${file}.backup`), join(folder, file))
  }
  const refused = await runTessera(['start', ...options(folder)]).ended
  assert.equal(refused.code, 78, refused.err)
  assert.match(refused.err, /database_restored: this database is older .*tessera audit accept-restored/s)
  const unconfirmed = await runTessera(['audit', 'accept-restored', ...options(folder)]).ended
  assert.deepEqual([unconfirmed.code, /add --yes/.test(unconfirmed.err)], [64, true])

  // Without its key store it is refused before anything is written; the control is that the same command succeeds with it.
  const keys = join(folder, 'keys.db')
  renameSync(keys, `${keys}.away`)
  const before = readFileSync(join(folder, 'tessera.db'))
  const mismatched = await runTessera(['audit', 'accept-restored', '--yes', ...options(folder)]).ended
  assert.deepEqual([mismatched.code, /key_store_mismatch/.test(mismatched.err)], [78, true], mismatched.err)
  assert.deepEqual([existsSync(keys), readFileSync(join(folder, 'tessera.db')).equals(before)], [false, true])
  renameSync(`${keys}.away`, keys)
  const nowhere = await runTessera(['audit', 'accept-restored', '--yes', ...options(join(makeScratch(), 'none'))]).ended
  assert.deepEqual([nowhere.code, /there is no database to accept/.test(nowhere.err)], [78, true], nowhere.err)

  const accepted = await runTessera(['audit', 'accept-restored', '--yes', ...options(folder)]).ended
  assert.equal(accepted.code, 0, accepted.err)
  assert.match(accepted.out, /Accepted/)

  const third = await startTesseraChild(folder)
  assert.equal((await third.call('cards.check', { token }, true)).reply.result?.card.token, token, 'as it was in the backup')
  await third.stop()
})

/** The database is one file after a stop. */
const databaseFiles = ['tessera.db']
