import { setTimeout as pause } from 'node:timers/promises'

import { tokenOf } from './api-client.ts'
import { panWithOurOtp } from './load.ts'
import { callsBetween, countFailures, p99Ms, startOpenLoad, type SentCall } from './open-load.ts'
import type { RunningService } from './spawn.ts'

/** What calls noticed of work that was done meanwhile. */
export interface CallsBeside {
  readonly seconds: number
  readonly p99Ms: number
  /** Calls without a result. */
  readonly failed: number
  readonly calls: readonly SentCall[]
}

/** Cards are created and checked at a fixed rate while `work` is done. `onCreated` gets the token of each. */
export async function callBeside(
  running: RunningService,
  work: () => Promise<unknown>,
  onCreated: (token: string) => unknown = () => undefined,
): Promise<CallsBeside> {
  const end = new AbortController()
  const load = startOpenLoad({
    ...running,
    perSecond: callsPerSecond / 2,
    until: end.signal,
    async call(client) {
      const created = await client.create(panWithOurOtp)
      if (created.kind !== 'result') return created
      onCreated(tokenOf(created.result))
      return client.check(tokenOf(created.result))
    },
  })
  await pause(warmUpMs)
  const from = performance.now()
  await work()
  const to = performance.now()
  end.abort()
  await load.ended
  const calls = callsBetween(load, { from, to })
  return { seconds: (to - from) / 1000, p99Ms: p99Ms(calls), failed: countFailures(calls), calls }
}

const callsPerSecond = 40
/** The code of a service that was just started is being compiled. */
const warmUpMs = 5000
