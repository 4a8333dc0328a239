// needs: softhsm
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import { KekError, KekMissingError, type Kek } from '@tessera/vault/kek'

import { findOnPath } from '../../../../../tools/find-program.ts'
import { makeSystemClock } from '../../../system-clock.ts'
import { describeKek } from '../kek.suite.ts'
import { openPkcs11Kek } from './pkcs11-kek.ts'
import { startTokenProcess } from './token-process.ts'

// A real PKCS#11 token: SoftHSM2 of Debian, in a folder of this test.

const folder = mkdtempSync(join(tmpdir(), 'tessera-softhsm-'))
const modulePath =
  ['/usr/lib/softhsm/libsofthsm2.so', '/usr/lib64/libsofthsm2.so'].find((path) => existsSync(path)) ?? '/usr/lib/softhsm/libsofthsm2.so'
const pin = '246810'
const opened: Kek[] = []

before(() => {
  mkdirSync(join(folder, 'tokens'))
  writeFileSync(join(folder, 'softhsm2.conf'), `directories.tokendir = ${join(folder, 'tokens')}\nlog.level = ERROR\n`)
  process.env['SOFTHSM2_CONF'] = join(folder, 'softhsm2.conf')
  for (const label of ['cards', 'others']) softhsm(['--init-token', '--free', '--label', label, '--so-pin', '13579', '--pin', pin])
})

after(() => {
  for (const kek of opened) kek.close()
  rmSync(folder, { recursive: true })
})

describeKek('PKCS#11 (SoftHSM2)', {
  open: () => open({ mayGenerate: true }),
  openOther: () => open({ token: 'others', mayGenerate: true }),
})

test('a key is not generated when something depends on the one that is missing', async () => {
  await assert.rejects(
    open({ key: 'absent' }),
    (err) => err instanceof KekMissingError && /no AES key absent.*tessera keys init/.test(err.message),
  )
})

test('a second key of one label in one token is another key', async () => {
  const [first, second] = [await open({ key: 'a', mayGenerate: true }), await open({ key: 'b', mayGenerate: true })]
  assert.notEqual(first.id, second.id)
  const wrapped = await first.wrap(new Uint8Array(32), Buffer.from('a'))
  await assert.rejects(second.unwrap(wrapped, Buffer.from('a')), KekError)
})

test('a key that does not decrypt what the key of an earlier opening has encrypted is another one, whatever its label and id', async (t) => {
  const processes = [1, 2, 3].map(() => startTokenProcess({ clock: makeSystemClock(), timeoutMs: 5000 }))
  t.after(() => processes.forEach((each) => each.end()))
  const ask = async (index: number, keyLabel: string, check: Uint8Array | null) =>
    processes[index]?.call({ kind: 'open', modulePath, names: { tokenLabel: 'cards', keyLabel }, pin, mayGenerate: true, check })
  const first = await ask(0, 'c', null)
  assert.ok(first?.kind === 'opened')
  assert.equal((await ask(1, 'c', first.check))?.kind, 'opened')
  assert.equal((await ask(2, 'd', first.check))?.kind, 'other')
  assert.equal(
    (await processes[2]
      ?.call({ kind: 'wrap', key: new Uint8Array(32), associated: Buffer.from('a') })
      .catch((err: unknown) => err)) instanceof KekError,
    true,
  )
})

test('an imported key is refused: it was outside of the token', async () => {
  const key = join(folder, 'key.bin')
  writeFileSync(key, Buffer.alloc(32, 3))
  softhsm(['--import', key, '--aes', '--token', 'cards', '--label', 'imported', '--id', 'A1', '--pin', pin])
  await assert.rejects(
    open({ key: 'imported' }),
    (err) => err instanceof KekError && /CKA_NEVER_EXTRACTABLE must be true/.test(err.message),
  )
})

test('what an operator got wrong is named: the token, the PIN, the module', async () => {
  await assert.rejects(
    open({ token: 'elsewhere' }),
    (err) => err instanceof KekError && /no token elsewhere; the module has .*cards/.test(err.message),
  )
  await assert.rejects(open({ pin: '000000' }), (err) => err instanceof KekError && /refused the PIN: it is wrong/.test(err.message))
  await assert.rejects(open({ module: '/nowhere.so' }), (err) => err instanceof KekError && /nowhere\.so/.test(err.message))
})

interface OpenOptions {
  readonly token?: string
  readonly key?: string
  readonly pin?: string
  readonly module?: string
  readonly mayGenerate?: boolean
}

async function open(options: OpenOptions): Promise<Kek> {
  const { token = 'cards', key = 'tessera-kek', mayGenerate = false } = options
  const kek = await openPkcs11Kek({
    clock: makeSystemClock(),
    warn: () => undefined,
    timeoutMs: 20_000,
    opening: {
      kind: 'open',
      modulePath: options.module ?? modulePath,
      names: { tokenLabel: token, keyLabel: key },
      pin: options.pin ?? pin,
      mayGenerate,
    },
  })
  opened.push(kek)
  return kek
}

function softhsm(args: readonly string[]): void {
  execFileSync(findOnPath('softhsm2-util') ?? assert.fail('softhsm2-util is missing: npm run peers installs it'), args, { stdio: 'ignore' })
}
