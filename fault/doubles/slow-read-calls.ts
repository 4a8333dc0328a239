import * as real from '../../service/src/server/reader/read-calls.ts'

export * from '../../service/src/server/reader/read-calls.ts'
export { slowReadCalls as readCalls }

/** Reading and refusing a request takes two milliseconds, and a call ten, which is what they take of each other on a real processor. The thread sleeps meanwhile. */
const slowReadCalls: typeof real.readCalls = (request, detector) => {
  Atomics.wait(never, 0, 0, request.refusal === null ? callMs : refusalMs)
  return real.readCalls(request, detector)
}

const callMs = 10
const refusalMs = 2
const never = new Int32Array(new SharedArrayBuffer(4))
