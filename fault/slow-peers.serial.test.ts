// time limit: 300 s
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Trial } from './experiment.ts'
import { plantedFaults } from './planted-faults.ts'
import { createServiceDataFactory } from './service-data.ts'
import { findHangFaults, hangEndpoint } from './hanging-endpoint.ts'
import { findFaults, makeSlow, slowNetworkPeer, type SlowPeerScale } from './slow-peers.ts'
import { killAll } from './spawn.ts'

const dataFactory = createServiceDataFactory()
after(async () => {
  await killAll()
  await dataFactory.close()
})

const trial: Trial = { store: 'sqlite', seed: 1, cycles: 1, dataFactory, say: () => undefined }
/** A sixth of what `npm run fault -- slow-network` sends, for a shorter time, to a service with a tenth of its bounds. */
const scale: SlowPeerScale = {
  perSecond: 100,
  inFlightMax: 200,
  beforeMs: 300,
  slowMs: 3000,
  answerMs: 4000,
  flags: ['--peer-slow-ms=1000', '--peer-pause-ms=1000'],
}

test('while the network answers after seconds, other calls go on, its breaker opens, and closes by itself', async () => {
  assert.deepEqual(findFaults(await makeSlow(trial, slowNetworkPeer, scale)), [])
})

test('without places and breakers other calls are refused', async () => {
  const { checks } = await makeSlow(trial, slowNetworkPeer, scale, [plantedFaults.unboundedPeers])
  assert.ok(checks.during.refused > 0)
})

test('while the endpoint of one merchant hangs, the payments of others go on, and its own debited ones are confirmed afterwards', async () => {
  assert.deepEqual(findHangFaults(await hangEndpoint(trial, { beforeMs: 300, hangMs: 4500 })), [])
})
