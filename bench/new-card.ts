import { openApiClient, tokenOf } from '../fault/api-client.ts'
import { panWithOurOtp } from '../fault/load.ts'
import type { RunningService } from '../fault/spawn.ts'

/** Creates a card of the demo merchant and returns its token. */
export async function tokenOfNewCard(running: RunningService): Promise<string> {
  const client = await openApiClient(running)
  const created = await client.create(panWithOurOtp)
  client.close()
  if (created.kind !== 'result') throw new Error(`a card was refused: ${JSON.stringify(created)}`)
  return tokenOf(created.result)
}
