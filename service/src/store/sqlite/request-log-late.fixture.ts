import { readFileSync } from 'node:fs'
import { workerData } from 'node:worker_threads'

import type { RequestLogStart } from './request-log-worker.ts'

// The thread of the request log on a disk that does not respond until somebody writes to a named pipe.

const { path } = workerData as RequestLogStart
readFileSync(`${path}.pipe`)
await import('./request-log-worker.ts')
