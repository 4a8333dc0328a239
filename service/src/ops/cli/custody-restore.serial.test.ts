// time limit: 120 s
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

import { startCluster } from '../../../../tools/postgres.ts'
import { sandbox } from '../../adapters/sandbox/sandbox.ts'
import { makeScratch, runTessera } from '../../testing/child.fixture.ts'
import { runWithCustodians, startCustodied, type CustodiedService } from '../../testing/custodians.fixture.ts'

const scratch = makeScratch()
const data = join(scratch, 'data')
const copy = join(scratch, 'copy')
const flags = ['--kek=shares', `--data=${data}`]

test('tessera backup has the unsealed service sign, and tessera restore and audit accept-restored wait for the custodians of a KEK in shares, and the service starts with it afterwards', async () => {
  const first = await startCustodied(data, ['--kek=shares', '--audit-checkpoint-entries=1'])
  await first.untilState('sealed')
  const refused = await runTessera(['backup', copy, ...flags]).ended
  assert.deepEqual([refused.code, /the service runs on this data folder, unsealed/.test(refused.err)], [69, true], refused.err)
  const { setId, shares } = await first.makeShares({ shares: 3, threshold: 2 })
  const [one = '', two = '', three = ''] = shares
  await first.enter(one, two)
  await first.untilState('ready')
  const before = await createCard(first)
  const made = await runTessera(['backup', copy, ...flags]).ended
  assert.equal(made.code, 0, made.err)
  assert.match(made.out, /integrity, schema, [1-9]\d* known answers, [1-9]\d* sampled rows and the newest [1-9]\d* audit entries verified/)
  assert.match(made.out, /the KEK: its custodians' shares/)
  // The request log is there once the first calls are written to it, up to a second later.
  assert.deepEqual(
    readdirSync(copy)
      .filter((name) => name !== 'requests.db')
      .sort(),
    ['manifest.json', 'tessera.db'],
  )
  const own = await first.operator('operator.store.signBackup', { folder: data })
  assert.match(own.message ?? '', /not usable: it is the database of the service itself/)
  for (const unreadable of [join(scratch, 'absent'), `/${'x'.repeat(300)}`]) {
    const { reason, message } = await first.operator('operator.store.signBackup', { folder: unreadable })
    assert.deepEqual([reason, message?.includes(`The service cannot read ${unreadable}`)], ['copy_unreadable', true], message)
  }
  const broken = join(scratch, 'broken')
  mkdirSync(broken)
  writeFileSync(join(broken, 'tessera.db'), 'no database'.repeat(1000))
  assert.equal((await first.operator('operator.store.signBackup', { folder: broken })).reason, 'copy_broken')
  const behind = await createCard(first)
  await stop(first)

  const restored = await runWithCustodians(data, ['restore', copy, '--yes', ...flags], { aziz: three, dilnoza: one })
  assert.equal(restored.code, 0, restored.err)
  assert.match(restored.out, /Each of them now runs.*tessera keys unseal.*Backup of .*Accepted\. Start the service again/s)
  for (const share of shares) assert.ok(!restored.out.includes(share) && !restored.err.includes(share))
  const accepted = await runWithCustodians(data, ['audit', 'accept-restored', '--yes', ...flags], { karim: two, dilnoza: three })
  assert.equal(accepted.code, 0, accepted.err)
  assert.match(accepted.out, /Accepted\. Start the service again/)

  const second = await startCustodied(data, ['--kek=shares'])
  await second.untilState('sealed')
  await second.enter(one, two)
  await second.untilState('ready')
  assert.equal((await call(second, 'cards.check', { token: before }, ownAuth)).result?.card.token, before)
  assert.equal((await call(second, 'cards.check', { token: behind }, ownAuth)).error?.reason, 'card_not_found')
  const { entries } = (await second.operator('operator.audit.list', { merchantId: '', subject: null, count: 100 })).result ?? assert.fail()
  const entered = entries.filter(({ action }) => action === 'share.entered').map(({ actor, subject }) => [actor, subject])
  for (const [custodian, index] of [
    ['aziz', 3],
    ['dilnoza', 1],
    ['karim', 2],
  ] as const)
    assert.ok(
      entered.some(([actor, subject]) => actor === `custodian:${custodian}` && subject === `${setId}/${String(index)}`),
      `${custodian}: ${JSON.stringify(entered)}`,
    )
  await stop(second)
})

test('a backup of a stopped service is refused at once, and says when it is possible', async () => {
  const refused = await runTessera(['backup', join(scratch, 'stopped'), ...flags]).ended
  assert.deepEqual([refused.code, /Run the command while the service runs/.test(refused.err)], [69, true], refused.err)
})

test('on PostgreSQL the unsealed service verifies the database and signs where its log stood, and a restore waits for the custodians', async (t) => {
  const cluster = await startCluster()
  t.after(() => cluster.stop())
  const env = { TESSERA_DATABASE_URL: cluster.url }
  const folder = join(scratch, 'postgres')
  const manifest = join(scratch, 'manifest')
  const own = ['--kek=shares', `--data=${folder}`]
  const service = await startCustodied(folder, ['--kek=shares'], env)
  await service.untilState('sealed')
  assert.equal((await runTessera(['backup', manifest, ...own], env).ended).code, 69)
  const { shares } = await service.makeShares({ shares: 3, threshold: 2 })
  const [one = '', two = ''] = shares
  await service.enter(one, two)
  await service.untilState('ready')
  await createCard(service)
  const other = await service.operator('operator.store.signBackup', { folder: manifest })
  assert.match(other.message ?? '', /not usable: it is of the other store/)
  const made = await runTessera(['backup', manifest, ...own], env).ended
  assert.equal(made.code, 0, made.err)
  assert.match(made.out, /Position of the log: [0-9A-F]+\/[0-9A-F]+, timeline 1; [1-9]\d* known answers, [1-9]\d* sampled rows/)
  assert.match(made.out, /the KEK: its custodians' shares/)
  assert.deepEqual(readdirSync(manifest), ['manifest.json'])
  const { file, wal } = JSON.parse(readFileSync(join(manifest, 'manifest.json'), 'utf8')) as { file: unknown; wal: { lsn: string } }
  assert.deepEqual([file, made.out.includes(wal.lsn)], [null, true])
  await stop(service)
  const restored = await runWithCustodians(folder, ['restore', manifest, '--yes', ...own], { aziz: one, dilnoza: two }, env)
  assert.equal(restored.code, 0, restored.err)
  assert.match(restored.out, /Backup of .*Accepted\. Start the service again/s)
})

async function createCard(service: CustodiedService): Promise<string> {
  const { result, error } = await call(service, 'cards.create', { card: { number: '8600495473316478', expire: '0399' }, save: true })
  return result?.card.token ?? assert.fail(error?.reason)
}

const ownAuth = `${sandbox.demo.merchantId}:${sandbox.demo.password}`

interface CardReply {
  readonly result?: { readonly card: { readonly token: string } }
  readonly error?: { readonly reason: string }
}

async function call({ url }: CustodiedService, method: string, params: object, xAuth = sandbox.demo.merchantId): Promise<CardReply> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  return (await (await fetch(`${url}/api/${method}`, { method: 'POST', headers: { 'x-auth': xAuth }, body })).json()) as CardReply
}

async function stop(service: CustodiedService): Promise<void> {
  service.kill('SIGTERM')
  const { code, err } = await service.ended
  assert.equal(code, 0, err)
}
