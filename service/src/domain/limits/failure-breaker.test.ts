import assert from 'node:assert/strict'
import { test } from 'node:test'

import { RpcError, type ErrorName } from '@tessera/contract/errors'

import { makeFailureBreaker, type FailureBreakerSettings } from './failure-breaker.ts'
import type { LimitMode, ReachedLimit } from './limit-mode.ts'

const ratio = { windowMs: 600_000, minAgeMs: 0, maxFailurePercent: 30, openForMs: 900_000 }
const settingsFor = (mode: LimitMode): FailureBreakerSettings => ({
  mode,
  merchant: { ...ratio, minCount: 10 },
  global: { ...ratio, minCount: 25 },
})

function open(mode: LimitMode) {
  const reported: ReachedLimit[] = []
  const breaker = makeFailureBreaker({
    now: () => 0,
    settings: settingsFor(mode),
    onLimitReached: (reached) => void reported.push(reached),
  })
  const watch = async (merchantId: string, entry: ErrorName | null): Promise<ErrorName | null> => {
    try {
      await breaker.watch(merchantId, async () => {
        if (entry !== null) throw new RpcError(entry)
      })
      return null
    } catch (err) {
      assert.ok(err instanceof RpcError)
      return err.entry
    }
  }
  return { reported, watch }
}

test('a merchant where too many cards fail is refused for a while, and other merchants are not', async () => {
  const { reported, watch } = open('on')
  for (let n = 0; n < 10; n++) assert.equal(await watch('a', 'smsNotConnected'), 'smsNotConnected')
  assert.equal(await watch('a', null), 'failureLimit')
  assert.equal(await watch('b', null), null)
  assert.deepEqual(reported, [{ reason: 'failure_limit', mode: 'on', merchantId: 'a' }])
})

test('too many failures spread over many merchants stop them all', async () => {
  const { watch } = open('on')
  for (let n = 0; n < 25; n++) await watch(`merchant ${n}`, 'wrongCode')
  assert.equal(await watch('quiet', null), 'failureLimit')
})

test('limits, internal errors and network timeouts are not counted as failures', async () => {
  const { watch } = open('on')
  const entries = ['tokenLimit', 'internalError', 'networkTimeout', 'memberMissing', 'cardNotFound', 'smsNotSent'] as const
  for (let n = 0; n < 30; n++) for (const entry of entries) assert.equal(await watch('a', entry), entry)
  assert.equal(await watch('a', null), null)
})

test('in shadow mode the failure breaker reports each request that it would refuse, and refuses none', async () => {
  const { reported, watch } = open('shadow')
  for (let n = 0; n < 12; n++) assert.equal(await watch('a', 'smsNotConnected'), 'smsNotConnected')
  assert.equal(await watch('a', null), null)
  assert.deepEqual(new Set(reported.map(({ mode }) => mode)), new Set(['shadow']))
  assert.equal(reported.length, 3)
})
