// A thread that hashes passwords, one at a time, at a low priority of its own. Started by slow-hash.ts.
import { scryptSync } from 'node:crypto'
import { getPriority, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'

import type { SlowHashOrder } from './slow-hash.ts'

// On Linux a priority belongs to the thread; elsewhere this would slow the whole process down.
if (process.platform === 'linux') setPriority(0, Math.min(getPriority(0) + 10, 19))

parentPort?.on('message', ({ password, salt, cost, length }: SlowHashOrder) => {
  parentPort?.postMessage(scryptSync(password, salt, length, { N: 2 ** cost, r: 8, p: 1, maxmem: 2 ** (cost + 11) }))
})
