import { cardNumberDetector } from '@tessera/contract/card-number-detector'

import { createHttpServer } from '../server/http/http-server.ts'
import { wipeCall } from '../server/reader/call-reader.ts'
import { readCalls } from '../server/reader/read-calls.ts'

// The HTTP server and the reader of the service alone, for the memory test. The argument `direct`: as in the service; `wipe`: node:http reads every request;
// `keep`: it does, and the buffer of its parser is not wiped, which is the control.

const server = createHttpServer({
  readsDirectly: process.argv[2] === 'direct',
  wipesReceiveBuffer: process.argv[2] !== 'keep',
  handle: (request) => {
    const read = readCalls(request, cardNumberDetector)
    for (const call of read.kind === 'call' ? [read.call] : read.calls) wipeCall(call)
    return Promise.resolve({ status: 200, retryAfterSeconds: null, requestId: '', text: '{}' })
  },
})
const { port } = await server.listen({ port: 0, host: '127.0.0.1' })
process.send?.(port)
