import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'

import type { AwayPart } from '../lifecycle.ts'

import { openChannel } from './channel.ts'
import type { CallsToFirst, CallsToWorker, WorkerStart } from './worker-calls.ts'

// Replaces the thread of a worker: does what the id of a changed merchant says, when its number is in it. The second one cannot start while there is a
// file `refuse` in the data folder.

const { number, adminUrl, changes, folder } = workerData as WorkerStart
if (adminUrl === 'refuse' && number === 2) throw new Error('cannot start')
if (number === 2 && existsSync(join(folder, '../../refuse'))) throw new Error('the KEK is away')
if (parentPort === null) throw new Error('a worker runs as a worker thread')
let isReady = true
let away: readonly AwayPart[] = []

const first = openChannel<CallsToFirst, CallsToWorker>(
  parentPort,
  {
    ping: () => null,
    readiness: () => ({ isReady, state: 'store_unavailable', reason: 'a test says so', away, inFlight: 7 }),
    collectMetrics: () => [{ name: 'calls_total', kind: 'counter', help: '', merge: 'sum', samples: [['calls_total', 11]] }],
    change(change) {
      if (change.kind === 'sandbox_clock') first.notify('log', `told ${String(number)} ${String(change.offsetMs)}`)
      if (change.kind === 'merchant') obey(change.merchantId)
    },
    shareKeks: () => undefined,
    reload: () => undefined,
    stop: () => 4,
  },
  () => undefined,
)
for (const change of changes) if (change.kind === 'sandbox_clock') first.notify('log', `began ${String(number)} ${String(change.offsetMs)}`)
for (const change of changes)
  if (change.kind === 'counts')
    for (const { name, amount } of change.batch.sums) first.notify('log', `${name} ${String(number)} ${String(amount)}`)
first.notify('ready', null)

function obey(order: string): void {
  const [what, whom] = order.split(' ')
  if (Number(whom) !== number) return
  if (what === 'die') setImmediate(() => process.exit(1))
  if (what === 'unready') isReady = false
  if (what === 'lose_kek') away = [{ part: 'kek', reason: 'the engine is unreachable' }]
  if (what === 'find_kek') away = []
  if (what === 'publish') first.notify('change', { kind: 'sandbox_clock', offsetMs: number * 1000 })
  // Until it is terminated.
  if (what === 'hang') for (;;) Math.random()
}
