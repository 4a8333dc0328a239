import type { RunningService } from '../fault/spawn.ts'

import { loadTargetOf } from './compare.ts'
import { startLoadGenerator } from './load.ts'

/** Creates so many cards as fast as the service does it, through the API. */
export async function createBenchCards(running: RunningService, count: number): Promise<void> {
  const load = startLoadGenerator()
  try {
    const target = loadTargetOf(running, 'create')
    const { requests } = await load.run({ order: 'run', target, method: 'create', connections: 32, requests: count, repeatsRefused: true })
    if (requests < count) throw new Error(`${String(requests)} of ${String(count)} cards were created`)
  } finally {
    await load.stop()
  }
}
