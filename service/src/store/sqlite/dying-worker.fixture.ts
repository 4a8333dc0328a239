import { parentPort, workerData } from 'node:worker_threads'
import type { CommitWorkerStart } from './commit-worker.ts'

// In the place of the thread that writes: it dies, or falls silent, when it is first told something.

const { path } = workerData as CommitWorkerStart
parentPort?.on('message', () => {
  if (path === 'dies') process.exit()
})
parentPort?.postMessage('ready')
