// time limit: 300 s
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startOutageReceiver } from './outage-receiver.ts'
import { plantedFaults } from './planted-faults.ts'
import { createServiceDataFactory } from './service-data.ts'
import { killAll, startService } from './spawn.ts'
import { addEndpoint, addHangingMerchants, cardIdOfToken, countNotArrived, createCards, removeAtOnce } from './webhook-load.ts'

const dataFactory = createServiceDataFactory()
after(async () => {
  await killAll()
  await dataFactory.close()
})

test('the events of an endpoint that answers arrive before those of eight that hang have timed out', async () => {
  assert.equal(await countLateEvents([], 8), 0)
})

test('with one pool of 64 places for all endpoints they do not', async () => {
  assert.ok((await countLateEvents([plantedFaults.onePool], 64)) > 0)
})

/**
 * Lets eight endpoints hang, and sends events to another one once they have taken `inProgressMin` places. Returns how many of these had not arrived when
 * the first attempt at an endpoint that hangs was given up.
 */
async function countLateEvents(imports: readonly URL[], inProgressMin: number): Promise<number> {
  const serviceData = await dataFactory.create('sqlite')
  const running = await startService({ flags: [...serviceData.flags, '--log-level=warn'], imports })
  const healthy = await startOutageReceiver({ answerMs: () => 0 })
  const hanging = await Promise.all(Array.from({ length: 8 }, () => startOutageReceiver({ answerMs: null })))
  const sum = (count: 'inProgress' | 'givenUp'): number => hanging.reduce((total, { unanswered }) => total + unanswered[count], 0)
  try {
    await addEndpoint(serviceData, healthy)
    const tokens = await createCards(running, 20)
    for (const merchant of await addHangingMerchants(running, serviceData, hanging))
      await removeAtOnce(merchant, await createCards(merchant, 30), [])
    while (sum('inProgress') < inProgressMin && sum('givenUp') === 0) await turn()
    await removeAtOnce(running, tokens, [])
    const ids = new Set(tokens.map(cardIdOfToken))
    while (countNotArrived(healthy, ids) > 0 && sum('givenUp') === 0) await turn()
    return countNotArrived(healthy, ids)
  } finally {
    for (const receiver of [healthy, ...hanging]) receiver.close()
    await running.kill()
    await serviceData.remove()
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 20))
}
