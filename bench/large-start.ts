import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openApiClient } from '../fault/api-client.ts'
import { dataFolderOf } from '../fault/inspect.ts'
import { startService } from '../fault/spawn.ts'
import { median } from '../fault/statistics.ts'
import type { Measure, Measurement } from './measurement.ts'

/** Starts on an embedded database of a gigabyte, most of it sent SMS, which a start neither reads nor verifies. */
export const largeStart: Measurement = {
  name: 'large-start',
  question:
    'How long does a start take on a large embedded database, after a stop, after kill -9, and when the file is not the one that was left?',
  async run({ dataFactory, isQuick, say }) {
    const serviceData = await dataFactory.create('sqlite')
    try {
      await (await startService({ flags: serviceData.flags })).stop()
      const path = join(dataFolderOf(serviceData), 'tessera.db')
      fillSmsSends(path, isQuick ? quickRows : rows)
      const megabytes = Math.round(statSync(path).size / 1e6)
      say(`large-start: ${String(megabytes)} MB`)
      const changed = await startService({ flags: serviceData.flags })
      await changed.stop()
      const [stopped, killed]: [number[], number[]] = [[], []]
      for (let round = 0; round < rounds; round++) {
        const again = await startService({ flags: serviceData.flags })
        stopped.push(again.startMs)
        const client = await openApiClient(again)
        await client.check('0'.repeat(24))
        client.close()
        await again.kill()
        const recovered = await startService({ flags: serviceData.flags })
        killed.push(recovered.startMs)
        await recovered.stop()
      }
      const of = `start sqlite, ${String(megabytes)} MB`
      const measures: Measure[] = [
        { of, name: 'after a stop', value: median(stopped), unit: 'ms', target: { most: 2000 } },
        { of, name: 'after kill -9', value: median(killed), unit: 'ms', target: { most: 2000 } },
        { of, name: 'changed file, read in full', value: changed.startMs, unit: 'ms' },
      ]
      return measures
    } finally {
      await serviceData.remove()
    }
  },
}

/** Rows of about a kilobyte. */
function fillSmsSends(path: string, count: number): void {
  const db = new DatabaseSync(path)
  try {
    db.prepare(insertRows).run(count, Date.now())
    db.exec('pragma wal_checkpoint(truncate)')
  } finally {
    db.close()
  }
}

const insertRows = `
  with recursive numbers (number) as (select 1 union all select number + 1 from numbers where number < ?1)
  insert into sms_sends (message_id, gateway, merchant_id, purpose, subject, key_id, phone_hash, phone_mask, parts, requested_at, outcome,
    gateway_message_id, failed_at, error)
  select printf('%032d', number), 'bench', 'bench', 'code', '', '', zeroblob(32), '99890*****66', 1, ?2 - number, 'rejected', '', ?2 - number,
    hex(zeroblob(450))
  from numbers`
const rows = 800_000
const quickRows = 100_000
const rounds = 3
