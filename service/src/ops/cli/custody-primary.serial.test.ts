// time limit: 120 s
import assert from 'node:assert/strict'
import { test } from 'node:test'

import type { OperatorOperationName, Params, Result } from '@tessera/contract/operations'

import { startCluster } from '../../../../tools/postgres.ts'
import { makeScratch, runHere, until } from '../../testing/child.fixture.ts'

import { makePostgresInstallation, makeSqliteInstallation, startHere } from './boot.fixture.ts'
import { callOperator } from './control-client.ts'

const scratch = makeScratch()
let entered = 0

test('tessera store check of a stopped service waits for the custodians who hold the KEK, and no service can start on the folder meanwhile', async () => {
  const { flags: common, folder } = makeSqliteInstallation(scratch)
  const flags = [...common, '--kek=shares']
  const first = startHere(flags)
  const [one = '', two = '', three = ''] = await makeShares(folder)
  await enter(folder, one)
  await enter(folder, two)
  await (await first).stop()

  const check = runHere(['store', 'check', '--json', ...flags])
  await untilSealed(folder)
  await enter(folder, three)
  await assert.rejects(startHere(flags), /runs on the folder/)
  await enter(folder, one)
  const { code, out } = await check
  assert.equal(code, 0, out)
  const { rows, findings } = JSON.parse(out) as { rows: number; findings: object[] }
  assert.deepEqual([rows > 0, findings], [true, []])
})

test('a primary is chosen while custodians hold the KEK: the service writes the audit entry, sealed or not, and without one the command waits for custodians', async (t) => {
  const cluster = await startCluster()
  t.after(() => cluster.stop())
  const { flags: common, folder, run } = await makePostgresInstallation(cluster, scratch)
  const flags = [...common.filter((flag) => !flag.startsWith('--database-wait-seconds')), '--kek=shares']
  const host = `127.0.0.1:${cluster.port}`
  const choose = () => runHere(['store', 'choose-primary', host, '--yes', '--json', ...flags])
  const epochs = async () => (await run('select epoch from primary_epoch')).map((row) => Number((row as { epoch: unknown }).epoch))
  const entries = async () => (await run(`select 1 from audit where action = 'database.primary_chosen' and subject = '${host}'`)).length
  const first = startHere(flags)
  const [one = '', two = '', three = ''] = await makeShares(folder)
  await enter(folder, one)
  await enter(folder, two)
  await first
  const unsealed = await choose()
  assert.equal(unsealed.code, 0, unsealed.out)
  assert.deepEqual([await epochs(), await entries()], [[2], 1])
  await (await first).stop()

  const second = startHere(flags)
  await untilSealed(folder)
  const sealed = await choose()
  assert.equal(sealed.code, 0, sealed.out)
  assert.deepEqual([await epochs(), await entries()], [[3], 1], 'the keys of the audit are sealed')
  await enter(folder, one)
  await enter(folder, three)
  await second
  assert.equal(await entries(), 2)
  await (await second).stop()

  const alone = choose()
  await untilSealed(folder)
  await enter(folder, two)
  assert.deepEqual([await epochs(), await entries()], [[3], 2], 'nothing is chosen before the entry can be written')
  await enter(folder, three)
  const { code, out } = await alone
  assert.equal(code, 0, out)
  assert.deepEqual([await epochs(), await entries()], [[4], 3])

  const last = startHere(flags)
  await untilSealed(folder)
  await enter(folder, one)
  await enter(folder, two)
  await (await last).stop()
})

/** Two of three open it. */
async function makeShares(folder: string): Promise<string[]> {
  await untilSealed(folder)
  await operator(folder, 'operator.shares.create', { shares: 3, threshold: 2, isNext: false, custodian: 'dealer' })
  const shares: string[] = []
  for (let i = 1; i <= 3; i++) shares.push((await operator(folder, 'operator.shares.take', { custodian: `custodian-${String(i)}` })).share)
  return shares
}

async function enter(folder: string, share: string): Promise<void> {
  await operator(folder, 'operator.shares.enter', { share, custodian: `holder-${String(++entered)}` })
}

async function untilSealed(folder: string): Promise<void> {
  await until(async () => {
    const reply = await callOperator(folder, 'operator.shares.list', {}).catch(() => null)
    return reply !== null && 'result' in reply && reply.result.isSealed
  }, 'custodians to be awaited')
}

async function operator<Name extends OperatorOperationName>(folder: string, name: Name, params: Params<Name>): Promise<Result<Name>> {
  const reply = (await callOperator(folder, name, params)) ?? assert.fail('nobody listens')
  return 'result' in reply ? reply.result : assert.fail(JSON.stringify(reply.error))
}
