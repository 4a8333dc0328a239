// needs: age
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { decryptFile, encryptFile, NotDecrypted, parseIdentities, parseRecipients } from './encryption.ts'

// Backups are opened by age of Debian, also when this program is not at hand; and the other way round.

const folder = mkdtempSync(join(tmpdir(), 'tessera-age-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const path = (name: string): string => join(folder, name)
const plain = randomBytes(3_000_001)
writeFileSync(path('plain'), plain)
execFileSync('age-keygen', ['-o', path('identity')], { stdio: 'ignore' })
execFileSync('age-keygen', ['-o', path('other')], { stdio: 'ignore' })
const recipient = execFileSync('age-keygen', ['-y', path('identity')], { encoding: 'utf8' }).trim()

test('age opens what is encrypted here, with the file of age-keygen and no other', async () => {
  await encryptFile(path('plain'), path('ours.age'), parseRecipients(recipient))
  assert.deepEqual(execFileSync('age', ['-d', '-i', path('identity'), path('ours.age')], { maxBuffer: 1e8 }), plain)
  assert.notEqual(spawnSync('age', ['-d', '-i', path('other'), path('ours.age')]).status, 0)
})

test('what age encrypts is opened here, and what was cut off or changed is refused', async () => {
  execFileSync('age', ['-r', recipient, '-o', path('theirs.age'), path('plain')])
  const identity = parseIdentities(readFileSync(path('identity'), 'utf8'))
  await decryptFile(path('theirs.age'), path('opened'), identity)
  assert.deepEqual(readFileSync(path('opened')), plain)
  const bytes = readFileSync(path('theirs.age'))
  const changed = Buffer.from(bytes)
  changed.writeUInt8(changed.readUInt8(2_000_000) ^ 1, 2_000_000)
  // The end of a file at the border of two chunks is authenticated too.
  for (const [name, text] of [
    ['cut', bytes.subarray(0, -70_000)],
    ['changed', changed],
  ] as const) {
    writeFileSync(path(name), text)
    await assert.rejects(decryptFile(path(name), path(`${name}-opened`), identity), NotDecrypted)
  }
  await assert.rejects(
    decryptFile(path('theirs.age'), path('of-another'), parseIdentities(readFileSync(path('other'), 'utf8'))),
    NotDecrypted,
  )
})
