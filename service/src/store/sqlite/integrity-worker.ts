import { workerData, parentPort } from 'node:worker_threads'
import { DatabaseSync } from 'node:sqlite'

// Reads a whole database: a thread of its own, so that health endpoints and signals are handled meanwhile.

const { location } = workerData as { readonly location: string }
const db = new DatabaseSync(new URL(location), { readOnly: true })
try {
  parentPort?.postMessage({ faults: findFaults() })
} catch (err) {
  const errcode = err instanceof Error && 'errcode' in err ? err.errcode : null
  parentPort?.postMessage({ faults: [err instanceof Error ? err.message : String(err)], errcode })
} finally {
  db.close()
}

function findFaults(): string[] {
  const found = db
    .prepare('pragma integrity_check(10)')
    .all()
    .map((row) => String(row['integrity_check']))
  return found.length === 1 && found[0] === 'ok' ? findGaps() : found
}

/** Pages of two moments may be valid B-trees with rows missing: the audit has an entry for each number up to its last. */
function findGaps(): string[] {
  if (db.prepare("select 1 from sqlite_schema where type = 'table' and name = 'audit'").get() === undefined) return []
  return db
    .prepare('select chain, count(*) as entries, max(seq) as newest from audit group by chain having count(*) <> max(seq)')
    .all()
    .map(
      ({ chain, entries, newest }) =>
        `the audit chain ${String(chain)} has ${String(entries)} entries, and its last one is number ${String(newest)}`,
    )
}
