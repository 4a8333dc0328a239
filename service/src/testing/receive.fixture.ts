import { cardNumberDetector } from '@tessera/contract/card-number-detector'

import { createHttpServer } from '../server/http/http-server.ts'
import { wipeCall } from '../server/reader/call-reader.ts'
import { readCalls } from '../server/reader/read-calls.ts'

// The HTTP server and the reader of the service alone; with the argument `keep` the buffer of node's HTTP parser is not wiped, which is a control for
// the memory test.

const server = createHttpServer({
  wipesReceiveBuffer: process.argv[2] !== 'keep',
  handle: (request) => {
    const read = readCalls(request, cardNumberDetector)
    for (const call of read.kind === 'call' ? [read.call] : read.calls) wipeCall(call)
    return Promise.resolve({ status: 200, retryAfterSeconds: null, requestId: '', text: '{}' })
  },
})
const { port } = await server.listen({ port: 0, host: '127.0.0.1' })
process.send?.(port)
