// needs: softhsm
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'

import { findOnPath } from '../../../../tools/find-program.ts'
import { callAlone, createToken, goodCard, onEach } from '../../app/workers/workers.fixture.ts'
import { makeScratch, runTessera, startTesseraChild, until, type Ended } from '../../testing/child.fixture.ts'

// The steps of docs/operating/hsm.md, with a real PKCS#11 token: SoftHSM2 of Debian.

const scratch = makeScratch()
const data = join(scratch, 'data')
const env = { SOFTHSM2_CONF: join(scratch, 'softhsm2.conf') }
const modulePath = ['/usr/lib/softhsm/libsofthsm2.so', '/usr/lib64/libsofthsm2.so'].find((path) => existsSync(path)) ?? 'missing'
const settings = [
  '--kek=pkcs11',
  `--kek-pkcs11-module=${modulePath}`,
  '--kek-pkcs11-token=cards',
  `--kek-pkcs11-pin-file=${join(scratch, 'pin')}`,
]

before(() => {
  mkdirSync(join(scratch, 'tokens'))
  mkdirSync(data, { mode: 0o700 })
  writeFileSync(env.SOFTHSM2_CONF, `directories.tokendir = ${join(scratch, 'tokens')}\nlog.level = ERROR\n`)
  writePin('246810')
  const softhsm = findOnPath('softhsm2-util') ?? assert.fail('softhsm2-util is missing: npm run peers installs it')
  const args = ['--init-token', '--free', '--label', 'cards', '--so-pin', '13579', '--pin', '246810']
  execFileSync(softhsm, args, { stdio: 'ignore', env: { ...process.env, ...env } })
})

test('before that, doctor says that production has no key in the token, and how it gets one', async () => {
  const { out } = await run('doctor', '--json', '--env=production')
  const { findings } = JSON.parse(out) as { findings: readonly { check: string; ok: boolean; found: string; advice: string }[] }
  const { ok, found, advice } = findings.find(({ check }) => check === 'KEK') ?? assert.fail(out)
  assert.equal(ok, false)
  assert.match(`${found} ${advice}`, /the token cards has no AES key tessera-kek: "tessera keys init" generates it/)
})

test('keys init generates the KEK in the token, and a second time changes nothing', async () => {
  const first = await run('keys', 'init', '--json')
  const { kek, generated } = JSON.parse(first.out) as { kek: string; generated: boolean }
  assert.match(kek, /^pkcs11-[0-9a-f]{16}$/)
  assert.equal(generated, true)
  assert.deepEqual(JSON.parse((await run('keys', 'init', '--json')).out), { kek, kind: 'pkcs11', generated: false })
})

test('cards live under the KEK of the token, a crash of its process is survived, and a restart opens them', async () => {
  const first = await startTesseraChild(data, settings, env)
  const card = { number: '8600069195406311', expire: '0399' }
  const created = await first.call('cards.create', { card, save: true })
  const token = created.reply.result?.card.token ?? ''
  assert.notEqual(token, '')
  process.kill(findTokenProcess(first.pid), 'SIGKILL')
  assert.equal((await first.call('cards.check', { token }, true)).reply.error, undefined)
  assert.equal((await first.ask('keys', 'rotate', 'otp')).code, 0)
  await first.stop()
  assert.equal(readdirSync(data).includes('development.kek'), false)

  const second = await startTesseraChild(data, settings, env)
  assert.equal((await second.call('cards.check', { token }, true)).reply.result?.card.token, token)
  await second.stop()
  await until(() => listTokenProcesses(second.pid).length === 0, 'the end of the token’s process')
})

test('a start with the wrong PIN, or with another KEK than the keys have, is refused', async () => {
  writePin('000000')
  const wrongPin = await run('start', '--port=0', '--admin-port=0')
  assert.equal(wrongPin.code, 78)
  assert.match(wrongPin.err, /the token cards refused the PIN: it is wrong/)
  writePin('246810')
  const otherKek = await run('keys', 'init', '--kek-pkcs11-key=another')
  assert.equal(otherKek.code, 78)
  assert.match(otherKek.err, /keys that the KEK pkcs11-\S+ wraps/)
  assert.match((await run('start', '--port=0', '--admin-port=0', '--kek-pkcs11-key=another')).err, /has no AES key another/)
})

test('the KEK is changed to another key of the token while cards are created, and the former one is not needed afterwards', async () => {
  const next = ['--kek-pkcs11-key=next']
  const nextFile = join(scratch, 'next.json')
  const pin = join(scratch, 'pin')
  const named = { kek: 'pkcs11', kekPkcs11Module: modulePath, kekPkcs11Token: 'cards', kekPkcs11Key: 'next', kekPkcs11PinFile: pin }
  writeFileSync(nextFile, JSON.stringify(named))
  const both = { ...env, TESSERA_KEK_NEXT_FILE: nextFile }
  assert.equal((await runTessera(['keys', 'init', '--next', `--data=${data}`, ...settings], both).ended).code, 0)

  const service = await startTesseraChild(data, settings, both)
  const card = { number: '8600069195406311', expire: '0399' }
  const progress = { isDone: false }
  const rewrapping = service.ask('keys', 'rewrap').finally(() => (progress.isDone = true))
  const tokens: string[] = []
  do {
    const { reply } = await service.call('cards.create', { card, save: true })
    tokens.push(reply.result?.card.token ?? assert.fail(reply.error?.reason ?? 'no result'))
  } while (!progress.isDone)
  const rewrapped = await rewrapping
  assert.equal(rewrapped.code, 0, rewrapped.err)
  assert.equal((await service.ask('keys', 'verify')).code, 0)
  await service.stop()

  const after = await startTesseraChild(data, [...settings, ...next], env)
  for (const token of tokens) assert.equal((await after.call('cards.check', { token }, true)).reply.result?.card.token, token)
  await after.stop()
  const former = await run('start', '--port=0', '--admin-port=0')
  assert.equal(former.code, 78, former.err)
})

test('two workers: while the token is away, what needs it is refused and the rest is answered, /readyz says so, and no restart is needed afterwards', async () => {
  const service = await startTesseraChild(join(scratch, 'two-workers'), [...settings, '--workers=2', '--kek-pkcs11-timeout-ms=2000'], env)
  const { url, adminUrl } = service.facts
  const merchants: string[] = []
  for (const name of ['--name=One', '--name=Two']) {
    const { out } = await service.ask('merchants', 'create', '--json', name)
    merchants.push((JSON.parse(out) as { merchantId: string }).merchantId)
  }
  const [first = '', second = ''] = merchants
  // The first card of a merchant needs a new key, and so the KEK.
  const createFirst = (merchantId: string) => callAlone(url, 'cards.create', { card: goodCard, save: true }, { 'x-auth': merchantId })
  const readiness = async () =>
    (await (await fetch(`${adminUrl}/readyz`)).json()) as { ready: boolean; state: string; away?: { part: string; reason: string }[] }
  await onEach(() => createToken(url))
  const before = listTokenProcesses(service.pid)
  assert.equal(before.length, 2, 'a process of the token for each worker')

  renameSync(join(scratch, 'tokens'), join(scratch, 'tokens-away'))
  for (const pid of before) process.kill(pid, 'SIGKILL')
  const refused = await onEach(() => createFirst(first))
  assert.deepEqual([...new Set(refused.map(({ error }) => error?.reason))], ['store_unavailable'])
  await onEach(() => createToken(url))
  const { ready, state, away = [] } = await readiness()
  assert.deepEqual([ready, state, away.map(({ part }) => part)], [true, 'degraded', ['kek']])
  const rotation = await service.ask('keys', 'rotate', 'otp')
  assert.equal(rotation.code, 69)
  assert.match(rotation.err, /The KEK cannot be used now: .*try again when tessera status does not name the part kek/)

  renameSync(join(scratch, 'tokens-away'), join(scratch, 'tokens'))
  // Each worker starts a process of the token at most once in five seconds.
  const areAllCreated = async (merchantId: string): Promise<boolean> =>
    (await onEach(() => createFirst(merchantId))).every(({ error }) => error === undefined)
  await until(() => areAllCreated(first), 'cards of the first merchant')
  assert.ok(await areAllCreated(second))
  assert.equal((await readiness()).state, 'ready')
  assert.equal((await service.ask('keys', 'rotate', 'otp')).code, 0)
  assert.equal((await service.stop()).code, 0)
})

function run(...args: string[]): Promise<Ended> {
  return runTessera([...args, `--data=${data}`, ...settings], env).ended
}

function writePin(pin: string): void {
  writeFileSync(join(scratch, 'pin'), `${pin}\n`, { mode: 0o600 })
}

function findTokenProcess(parent: number): number {
  return listTokenProcesses(parent)[0] ?? assert.fail('there is no process of the token')
}

/** The children of a process that run the token's program, from Linux's /proc. */
function listTokenProcesses(parent: number): number[] {
  const isOurs = (pid: string): boolean => {
    try {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8')
      return (
        status.includes(`\nPPid:\t${String(parent)}\n`) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('kms/pkcs11/process.ts')
      )
    } catch {
      return false
    }
  }
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && isOurs(name))
    .map(Number)
}
