import { parentPort, workerData } from 'node:worker_threads'
import type { CommitWorkerStart } from './commit-worker.ts'

// Replaces the worker thread: exits, or never responds, at the first message.

const { path } = workerData as CommitWorkerStart
parentPort?.on('message', () => {
  if (path === 'dies') process.exit()
})
parentPort?.postMessage('ready')
