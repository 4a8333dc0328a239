import { readFileSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import type { KeyWorkerStart } from './key-worker.ts'

// Replaces the thread of the key store: at the first message it reads a named pipe, like a disk that does not respond. Nothing can end it meanwhile.

const { path } = workerData as KeyWorkerStart
parentPort?.once('message', () => void readFileSync(`${path}.pipe`))
parentPort?.postMessage('ready')
