import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import pg from 'pg'

import { startCluster, type Cluster } from '../../../../tools/postgres.ts'
import { createCitusDouble, listRecordedDistributions } from '../../store/postgres/citus-double.fixture.ts'
import { listPlacedTables } from '../../store/postgres/table-placement.ts'
import { makeScratch, startTesseraChild } from '../../testing/child.fixture.ts'

const scratch = makeScratch()
let cluster: Cluster

before(async () => {
  cluster = await startCluster()
})
after(() => cluster.stop())

async function raw(text: string): Promise<readonly Record<string, string>[]> {
  const client = new pg.Client({ connectionString: cluster.url })
  await client.connect()
  try {
    return (await client.query<Record<string, string>>(text)).rows
  } finally {
    await client.end()
  }
}

test('tessera migrate --distribute refuses without Citus, prints its statements, waits for the services to stop, and runs them on a double of Citus', async () => {
  const service = await startTesseraChild(join(scratch, 'distribute'), [], { TESSERA_DATABASE_URL: cluster.url })
  const migrate = (...options: string[]) => service.ask('migrate', '--distribute', `--database-url=${cluster.url}`, ...options)
  const without = await migrate()
  assert.deepEqual([without.code, /no extension citus/.test(without.err)], [78, true], without.err)

  await createCitusDouble({ raw })
  const shown = await migrate()
  assert.equal(shown.code, 0, shown.err)
  assert.match(shown.out, /^select create_distributed_table\('cards', 'bucket', colocate_with => 'none'\);$/m)
  assert.match(shown.out, /^select create_distributed_table\('audit', 'chain', colocate_with => 'none'\);$/m)
  assert.match(shown.out, /^-- With the coordinator stay: .*merchants/m)
  const running = await migrate('--yes')
  assert.deepEqual([running.code, /connections of services/.test(running.err)], [64, true], running.err)
  assert.deepEqual(await listRecordedDistributions({ raw }), [])

  assert.equal((await service.stop()).code, 0)
  const done = await migrate('--yes')
  assert.equal(done.code, 0, done.err)
  const distributed = (await listRecordedDistributions({ raw })).filter(({ called }) => called === 'create_distributed_table')
  assert.deepEqual(distributed.map(({ named }) => named).sort(), [...listPlacedTables('bucket'), 'audit'].sort())
})
