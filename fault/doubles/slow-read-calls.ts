import * as real from '../../service/src/server/reader/read-calls.ts'

export * from '../../service/src/server/reader/read-calls.ts'
export { slowReadCalls as readCalls }

/**
 * Reading and refusing a request takes two milliseconds, and a call ten, which is what they take of each other on a real processor. The thread sleeps
 * for what is left of them. On a busy machine it is late, and the next ones take as much less, so that the capacity is the one that was planted.
 */
const slowReadCalls: typeof real.readCalls = (request, detector) => {
  const busyMs = performance.now() - performance.eventLoopUtilization().idle
  // A process that was stopped makes up for this much of it.
  endsAt = Math.max(endsAt, busyMs - lateMs) + (request.refusal === null ? callMs : refusalMs)
  if (endsAt > busyMs) Atomics.wait(never, 0, 0, endsAt - busyMs)
  return real.readCalls(request, detector)
}

/** In time in which the event loop was not idle. */
let endsAt = 0
const callMs = 10
const refusalMs = 2
const lateMs = 50
const never = new Int32Array(new SharedArrayBuffer(4))
