import { openSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'
import { leakVariable, type Leak } from './leak-rate.ts'

// Preloaded: a service that leaks memory and descriptors at a given rate.

const { mibPerSecond, descriptorsPerSecond } = JSON.parse(process.env[leakVariable] ?? 'null') as Leak
const chunkBytes = 64 * 1024
const chunks: Buffer[] = []
const descriptors: number[] = []
const startedAt = performance.now()

function leakUntilNow(): void {
  const seconds = (performance.now() - startedAt) / 1000
  while (chunks.length * chunkBytes < seconds * mibPerSecond * 2 ** 20) chunks.push(Buffer.alloc(chunkBytes, 1))
  while (descriptors.length < seconds * descriptorsPerSecond) descriptors.push(openSync('/dev/null', 'r'))
}

if (isMainThread) setInterval(leakUntilNow, 100).unref()
