import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { makeHomes } from './home.ts'
import { findAllLost, findAuditFaults } from './inspect.ts'
import { makeLedger, type Fate, type Ledger } from './ledger.ts'
import { runLoad } from './load.ts'
import { makeRandom } from './random.ts'
import { killAll, startTessera } from './spawn.ts'

const homes = makeHomes()
const home = await homes.make('sqlite')
const running = await startTessera({ flags: home.flags })
after(async () => {
  await killAll()
  await home.remove()
})

/** Enough cards that each kind of fate is among them. */
async function makeCards(): Promise<Ledger> {
  const ledger = makeLedger()
  const enough = new AbortController()
  const answered = (): void => {
    if (ledger.fates.length >= 60) enough.abort()
  }
  const refusals = await runLoad({ ...running, connections: 4, ledger, random: makeRandom(5), until: enough.signal, answered })
  assert.deepEqual([...refusals], [])
  return ledger
}

const doctored: readonly [what: string, isMeant: (fate: Fate) => boolean, doctor: (fate: Fate) => Fate][] = [
  ['a card that never was', () => true, (fate) => ({ ...fate, token: `${fate.token.slice(0, 12)}000000000000${fate.token.slice(24)}` })],
  ['a verification', ({ code, remove }) => code === 'no' && remove === 'no', (fate) => ({ ...fate, verify: 'acknowledged' })],
  ['a removal', ({ remove }) => remove === 'no', (fate) => ({ ...fate, remove: 'acknowledged' })],
  ['a code', ({ code, remove }) => code === 'no' && remove === 'no', (fate) => ({ ...fate, code: 'acknowledged' })],
]

test('an honest ledger is found whole', async () => {
  assert.deepEqual(await findAllLost(running, await makeCards()), [])
  assert.deepEqual(await findAuditFaults(home), [])
})

for (const [what, isMeant, doctor] of doctored) {
  test(`an acknowledgement of ${what} that was never given is found`, async () => {
    const { fates, ...ledger } = await makeCards()
    const at = fates.findIndex(isMeant)
    const lost = await findAllLost(running, { ...ledger, fates: fates.map((fate, i) => (i === at ? doctor(fate) : fate)) })
    assert.equal(lost.length, 1, lost.join('\n'))
  })
}
