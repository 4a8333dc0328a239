// time limit: 120 s
// on disk: it kills the service between a write and its fsync
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { openApiClient, tokenOf } from './api-client.ts'
import { resultOf } from './database-writer-target.ts'
import { dataFolderOf } from './inspect.ts'
import { panWithNetworkOtp, testOtp } from './load.ts'
import { plantedFaults } from './planted-faults.ts'
import { createServiceDataFactory, type ServiceData } from './service-data.ts'
import { killAll, ProgramNotStarted, startService, type RunningService } from './spawn.ts'

const dataFactory = createServiceDataFactory()
after(async () => {
  await killAll()
  await dataFactory.close()
})

test('a start that is killed while it signs rows is continued by the next one, which ends it with one audit entry', async () => {
  const serviceData = await dataFactory.create('sqlite')
  const first = await startService({ flags: serviceData.flags })
  await verifyCard(first)
  await first.stop()
  withDatabase(serviceData, 'keys.db', (keys) => keys.exec("delete from keys where owner like 'rows_signed%'"))
  withDatabase(serviceData, 'tessera.db', removeMacs)
  for (const file of recordsOfAudit) rmSync(join(dataFolderOf(serviceData), file), { force: true })

  const imports = [plantedFaults.killWhileSigning]
  await assert.rejects(
    startService({ flags: serviceData.flags, imports }),
    (err) => err instanceof ProgramNotStarted && err.exitCode === null,
  )
  const [unsigned, total] = withDatabase(serviceData, 'tessera.db', countUnsigned)
  assert.ok(unsigned > 0 && unsigned < total, `killed in the middle: ${unsigned} of ${total} have no MAC`)
  assert.equal(withDatabase(serviceData, 'tessera.db', countAudited), 0)

  const next = await startService({ flags: serviceData.flags })
  assert.deepEqual(withDatabase(serviceData, 'tessera.db', countUnsigned), [0, total])
  assert.equal(withDatabase(serviceData, 'tessera.db', countAudited), 1)
  await verifyCard(next)
  assert.equal(await next.stop(), 0)
  await serviceData.remove()
})

async function verifyCard(running: RunningService): Promise<void> {
  const client = await openApiClient(running)
  const token = tokenOf(resultOf(await client.create(panWithNetworkOtp)))
  resultOf(await client.requestCode(token))
  resultOf(await client.verify(token, testOtp))
  client.close()
}

/** What the service recorded about its audit outside of the database: a service of before has neither that nor the audit. */
const recordsOfAudit = ['audit-heads', 'row-versions', 'audit-checkpoints.jsonl']

/** A thousand events as a version before events had MACs wrote them, no answer of the mark that they were signed, and no audit. */
function removeMacs(database: DatabaseSync): void {
  database.exec(`
    with recursive n (i) as (select 1 union all select i + 1 from n where i < 1000)
    insert into outbox (bucket, event_id, merchant_id, object_id, position, type, at, body, mac)
      select bucket, printf('%024x', i), merchant_id, printf('%024x', i), 1, type, at, body, x'' from outbox, n where position = 1;
    update outbox set mac = x'';
    delete from known_answers where owner like 'rows_signed%';
    delete from audit;
  `)
}

function countUnsigned(database: DatabaseSync): [unsigned: number, total: number] {
  const row = database.prepare('select sum(length(mac) = 0) as unsigned, count(*) as total from outbox').get()
  return [Number(row?.['unsigned']), Number(row?.['total'])]
}

function countAudited(database: DatabaseSync): number {
  return Number(database.prepare("select count(*) as count from audit where action = 'rows.signed'").get()?.['count'])
}

function withDatabase<T>(serviceData: ServiceData, file: string, use: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(join(dataFolderOf(serviceData), file))
  try {
    return use(database)
  } finally {
    database.close()
  }
}
