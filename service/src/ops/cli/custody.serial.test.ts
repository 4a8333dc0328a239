// time limit: 120 s
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'

import { createShareSet } from '@tessera/vault/share-set'
import { formatShare } from '@tessera/vault/share-text'

import { sandbox } from '../../adapters/sandbox/sandbox.ts'
import { makeScratch, runTessera, until } from '../../testing/child.fixture.ts'
import { runWithInput, startCustodied, type CustodiedService } from '../../testing/custodians.fixture.ts'

// The steps of docs/operating/custodian-shares.md, in real processes.

const scratch = makeScratch()
const data = join(scratch, 'data')
const launcher = join(import.meta.dirname, '../../../bin/tessera.mjs')
const pan = '8600069195406311'

test('a service without a set starts sealed; custodians make one, enter it, and cards are created; a restart is sealed until they come again', async () => {
  const first = await startCustodied(data, ['--kek=shares'])
  await first.untilState('sealed')
  assert.match((await first.readiness()).reason ?? '', /there is no set of shares yet/)
  assert.equal((await fetch(`${first.adminUrl}/readyz`)).status, 503)
  const refused = await call(first, 'cards.create', { card: { number: pan, expire: '0399' }, save: true })
  assert.equal(refused.error?.reason, 'store_unavailable')
  assert.ok((refused.error.retry_after ?? 0) > 0)
  assert.equal((await first.operator('operator.keys.list', {})).reason, 'sealed')
  assert.equal((await first.operator('operator.shares.take', { custodian: 'a' })).reason, 'no_shares_to_take')
  assert.equal(
    (await first.operator('operator.shares.create', { shares: 2, threshold: 3, isNext: false, custodian: 'a' })).reason,
    'shares_size',
  )

  const { setId, shares } = await first.makeShares({ shares: 3, threshold: 2 })
  assert.equal((await first.operator('operator.shares.take', { custodian: 'a' })).reason, 'no_shares_to_take')
  const [one = '', two = '', three = ''] = shares
  await first.enter(one)
  assert.equal((await first.readiness()).reason, `1 of 2 shares of the set ${setId} are entered`)
  assert.deepEqual(await wrongEntries(first, one), ['share_repeated', 'share_malformed', 'share_of_other_set'])
  const backoff = await first.operator('operator.shares.enter', { share: two, custodian: 'b' })
  assert.equal(backoff.reason, 'share_backoff')
  await stop(first)

  const second = await startCustodied(data, ['--kek=shares'])
  await second.untilState('sealed')
  assert.equal((await second.readiness()).reason, `0 of 2 shares of the set ${setId} are entered`)
  // The command, as a custodian types it, in small letters and with blanks.
  const typed = await runWithInput(['keys', 'unseal', '--custodian=aziz', `--data=${data}`], three.toLowerCase().replaceAll('-', ' '))
  assert.match(typed.out, new RegExp(`1 of 2 shares of the set ${setId} are entered. 1 more`), typed.err)
  assert.ok(!typed.out.includes(three) && !typed.err.includes(three))
  const last = await runWithInput(['keys', 'unseal', '--custodian=dilnoza', `--data=${data}`], one)
  assert.match(last.out, /its KEK is open/, last.err)
  await second.untilState('ready')
  const created = await call(second, 'cards.create', { card: { number: pan, expire: '0399' }, save: true })
  const token = created.result?.card.token ?? assert.fail(created.error?.reason)
  const entries = (await second.operator('operator.audit.list', { merchantId: '', subject: null, count: 100 })).result
  const custodians = entries?.entries.filter(({ action }) => action.startsWith('share.') || action === 'kek.opened')
  assert.deepEqual(custodians?.map(({ actor, action, subject, outcome }) => [actor, action, subject, outcome]).reverse(), [
    ['custodian:aziz', 'share.entered', `${setId}/3`, 'done'],
    ['custodian:dilnoza', 'share.entered', `${setId}/1`, 'done'],
    ['custodian:dilnoza', 'kek.opened', setId, 'done'],
  ])
  // `tessera doctor` cannot open the KEK, and asks the service which has it open.
  const doctor = await runTessera(['doctor', '--json', '--kek=shares', `--data=${data}`]).ended
  const findings = (JSON.parse(doctor.out) as { findings: { check: string; ok: boolean; found: string }[] }).findings
  assert.equal(findings.find(({ check }) => check === 'KEK')?.found, `in shares of custodians, open: ${setId} (2 of 3)`)
  assert.deepEqual(
    findings.filter(({ check, ok }) => !ok && ['KEK', 'data keys', 'stored rows', 'audit'].includes(check)),
    [],
  )
  await stop(second)

  const third = await startCustodied(data, ['--kek=shares'])
  await third.untilState('sealed')
  await third.enter(two, three)
  await third.untilState('ready')
  const { merchantId, password } = sandbox.demo
  assert.equal((await call(third, 'cards.check', { token }, `${merchantId}:${password}`)).result?.card.token, token)
  assert.equal((await third.operator('operator.keys.verify', {})).result?.findings.length, 0)
  await stop(third)
  for (const share of shares) {
    const groups = share.replaceAll('-', '')
    for (const bytes of readAll(data)) assert.ok(!bytes.includes(share) && !bytes.includes(groups), 'a share is in the data folder')
    for (const child of [first, second, third])
      assert.ok(!child.err().includes(groups) && !child.err().includes(share), 'a share is in the log')
  }
})

test('connections that send nothing, or a request byte by byte, do not keep an unsealed service from serving', async () => {
  const service = await startCustodied(join(scratch, 'held'), [
    '--kek=shares',
    '--api-origin=https://api.example.com',
    '--form-origin=https://form.example.com',
  ])
  await service.untilState('sealed')
  const misdirected = await fetch(`${service.url}/api/cards.create`, { method: 'POST', body: '{}' })
  assert.equal(misdirected.status, 421, 'the host is checked as it is when the service is unsealed')
  const { shares } = await service.makeShares({ shares: 2, threshold: 2 })
  const held = [await hold(service, ''), await hold(service, 'POST /api HTTP/1.1\r\nHost: api.example.com\r\nX-Slow: ')]
  held.push(await hold(service, 'POST /api HTTP/1.1\r\nHost: api.example.com\r\nContent-Length: 60000\r\n\r\n'))
  await service.enter(...shares)
  await service.untilState('ready')
  for (const { trickle, socket } of held) {
    clearInterval(trickle)
    socket.destroy()
  }
  await stop(service)
})

test('the command that reads a share disables core dumps of its own process first', async (t) => {
  // At the hard limit of this shell; where that is 0, nothing is to be disabled.
  const child = spawn('sh', [
    '-c',
    'ulimit -S -c "$(ulimit -H -c)"; echo raised; exec "$0" "$@"',
    process.execPath,
    launcher,
    'keys',
    'check-share',
  ])
  t.after(() => child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  const limit = (): string | undefined => {
    const limits = readFileSync(`/proc/${String(child.pid)}/limits`, 'utf8')
    return /^Max core file size\s+(\S+)/m.exec(limits)?.[1]
  }
  await until(() => ['0', '1'].includes(limit() ?? ''), 'core dumps to be off')
})

/** A connection that stays open: silent, or with a request that never ends. */
async function hold({ url }: CustodiedService, begin: string): Promise<{ readonly socket: Socket; readonly trickle: NodeJS.Timeout }> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  if (begin !== '') socket.write(begin)
  return { socket, trickle: setInterval(() => begin !== '' && socket.writable && socket.write('a'), 500) }
}

test('shares that were forged do not open the set, all are forgotten, and the right ones open it', async () => {
  const folder = join(scratch, 'forged')
  const service = await startCustodied(folder, ['--kek=shares'])
  await service.untilState('sealed')
  const abandoned = await service.makeShares({ shares: 2, threshold: 2 })
  const { setId, shares } = await service.makeShares({ shares: 3, threshold: 2 })
  const [one = '', two = '', three = ''] = shares
  const [, forged] = createShareSet({ threshold: 2, shares: 3 }, { environment: 'test', now: 1 }).shares
  assert.ok(forged !== undefined)
  const needless = await service.operator('operator.shares.enter', { share: abandoned.shares[0] ?? '', custodian: 'a' })
  assert.equal(needless.reason, 'share_not_needed')
  await service.enter(one)
  const wrong = await service.operator('operator.shares.enter', { share: formatShare({ ...forged, setId }), custodian: 'mallory' })
  assert.equal(wrong.reason, 'shares_not_of_set')
  assert.match(wrong.message ?? '', /which one cannot be known/)
  assert.equal((await service.readiness()).reason, `0 of 2 shares of the set ${setId} are entered`)
  await service.enter(two, three)
  await service.untilState('ready')
  const { keks } = (await service.operator('operator.keys.list', {})).result ?? assert.fail('no keys')
  assert.deepEqual(
    keks.map(({ kekId }) => kekId),
    [`shares-${setId}`],
    'an abandoned set wraps keys',
  )
  await stop(service)
})

test('a stop while sealed ends the process, and keys check-share reads a share without a service', async () => {
  const service = await startCustodied(join(scratch, 'stopped'), ['--kek=shares'])
  await service.untilState('sealed')
  service.kill('SIGTERM')
  assert.equal((await service.ended).code, 0)
  const [share] = createShareSet({ threshold: 2, shares: 3 }, { environment: 'test', now: 1 }).shares
  assert.ok(share !== undefined)
  const right = await runWithInput(['keys', 'check-share'], formatShare(share))
  assert.match(right.out, new RegExp(`share 1 of the set ${share.setId}, which 2 shares open`), right.err)
  const wrong = await runWithInput(
    ['keys', 'check-share'],
    formatShare(share).replace(/.$/, (last) => (last === '7' ? '8' : '7')),
  )
  assert.equal(wrong.code, 64, wrong.err)
  assert.match(wrong.err, /the checksum is wrong/)
})

async function wrongEntries(service: CustodiedService, entered: string): Promise<(string | undefined)[]> {
  const [foreign] = createShareSet({ threshold: 2, shares: 3 }, { environment: 'test', now: 1 }).shares
  assert.ok(foreign !== undefined)
  const reasons: (string | undefined)[] = []
  for (const share of [entered, `${entered.slice(0, -1)}${entered.endsWith('7') ? '8' : '7'}`, formatShare(foreign)])
    reasons.push((await service.operator('operator.shares.enter', { share, custodian: 'a' })).reason)
  return reasons
}

interface CardReply {
  readonly result?: { readonly card: { readonly token: string } }
  readonly error?: { readonly reason: string; readonly retry_after?: number }
}

async function call({ url }: CustodiedService, method: string, params: object, xAuth = sandbox.demo.merchantId): Promise<CardReply> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  return (await (await fetch(`${url}/api/${method}`, { method: 'POST', headers: { 'x-auth': xAuth }, body })).json()) as CardReply
}

async function stop(service: CustodiedService): Promise<void> {
  service.kill('SIGTERM')
  const { code, err } = await service.ended
  assert.equal(code, 0, err)
  assert.ok(!err.includes('log_tripwire'), 'the tripwire behind the log fired')
}

function readAll(folder: string): Buffer[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name)))
}
