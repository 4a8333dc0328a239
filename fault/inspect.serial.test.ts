import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createServiceDataFactory } from './service-data.ts'
import { findAllLost, findAuditFaults } from './inspect.ts'
import { makeLedger, type CardRecord, type Ledger } from './ledger.ts'
import { runLoad } from './load.ts'
import { makeRandom } from './random.ts'
import { killAll, startService } from './spawn.ts'
import { countCards } from './statement.ts'
import { resolveUnknownOutcomes } from './unknown-outcomes.ts'

const dataFactory = createServiceDataFactory()
const serviceData = await dataFactory.create('sqlite')
const running = await startService({ flags: serviceData.flags })
after(async () => {
  await killAll()
  await serviceData.remove()
})

/** Enough cards that each kind of card is among them. */
async function makeCards(): Promise<Ledger> {
  const ledger = makeLedger()
  const enough = new AbortController()
  const answered = (): void => {
    if (ledger.cards.length >= 60) enough.abort()
  }
  const refusals = await runLoad({ ...running, connections: 4, ledger, random: makeRandom(5), until: enough.signal, onReply: answered })
  assert.deepEqual([...refusals], [])
  return ledger
}

const falsified: readonly [what: string, isCandidate: (card: CardRecord) => boolean, falsify: (card: CardRecord) => CardRecord][] = [
  [
    'a card that never existed',
    () => true,
    (card) => ({ ...card, token: `${card.token.slice(0, 12)}000000000000${card.token.slice(24)}` }),
  ],
  ['a verification', ({ code, remove }) => code === 'none' && remove === 'none', (card) => ({ ...card, verify: 'acknowledged' })],
  ['a removal', ({ remove }) => remove === 'none', (card) => ({ ...card, remove: 'acknowledged' })],
  ['a code', ({ code, remove }) => code === 'none' && remove === 'none', (card) => ({ ...card, code: 'acknowledged' })],
]

test('a correct ledger has no loss', async () => {
  assert.deepEqual(await findAllLost(running, await makeCards()), [])
  assert.deepEqual(await findAuditFaults(serviceData), [])
})

for (const [what, isCandidate, falsify] of falsified) {
  test(`a false acknowledgement of ${what} is found`, async () => {
    const { cards: cards, ...ledger } = await makeCards()
    const at = cards.findIndex(isCandidate)
    const lost = await findAllLost(running, { ...ledger, cards: cards.map((card, i) => (i === at ? falsify(card) : card)) })
    assert.equal(lost.length, 1, lost.join('\n'))
  })
}

test('of calls of unknown outcome, those that had happened are counted, and so are cards that no caller knows', async () => {
  const ledger = await makeCards()
  const pick = (isWanted: (card: CardRecord) => boolean): CardRecord => {
    const card = ledger.cards.find(isWanted)
    assert.ok(card !== undefined)
    return card
  }
  // Two that had happened, and two that had not.
  pick(({ verify, remove }) => verify === 'acknowledged' && remove === 'none').verify = 'unknown'
  pick(({ remove }) => remove === 'acknowledged').remove = 'unknown'
  pick(({ code, remove }) => code === 'none' && remove === 'none').code = 'unknown'
  pick(({ code, verify, remove }) => code === 'none' && verify === 'none' && remove === 'none').remove = 'unknown'
  const stored = await countCards(serviceData)

  await resolveUnknownOutcomes(running, serviceData, ledger)

  const { calls, happened, createdUnseen } = ledger.outcomes
  assert.deepEqual({ calls, happened, createdUnseen }, { calls: 4, happened: 2, createdUnseen: stored - ledger.cards.length })
  assert.deepEqual(await findAllLost(running, ledger), [])
})
