import assert from 'node:assert/strict'

import { receiptStates } from '@tessera/contract/receipt'

import type { Caller } from '../methods/caller.fixture.ts'
import { compose, type House } from '../methods/compose.fixture.ts'
import { randomHex } from '../methods/drawn.fixture.ts'
import { ledgerOf, newReceipt, pass, rowOf, settleAll, successPan, takenBy, takenIn, type Until } from '../methods/receipts.fixture.ts'

import { makeFallingStore } from './falling.fixture.ts'
import { authorisationOf, isUnderWay } from './operations.ts'

/** What somebody was doing when the program fell. */
export interface Deed {
  readonly name: string
  /** Made before the fall. */
  readonly isPaid?: boolean
  readonly hold: boolean
  readonly save: boolean
  readonly run: (merchant: Caller, asked: Asked) => Promise<unknown>
  /** What is to go wrong beside the fall; called before each, and tells how it is mended. */
  readonly strike?: () => () => void
  /** What else has to agree when all is settled. */
  readonly agree?: (merchant: Caller, receiptId: string) => Promise<void>
}

interface Asked {
  readonly id: string
  readonly token: string
}

const pay: Deed['run'] = (merchant, { id, token }) => merchant.call('receipts.pay', { id, token })
const cancel: Deed['run'] = (merchant, { id }) => merchant.call('receipts.cancel', { id })
const confirm: Deed['run'] = (merchant, { id }) => merchant.call('receipts.confirm_hold', { id, amount: 300 })

export const deeds: readonly Deed[] = [
  { name: 'pay', hold: false, save: true, run: pay },
  { name: 'pay with a one-time token', hold: false, save: false, run: pay },
  { name: 'hold with a one-time token', hold: true, save: false, run: pay },
  { name: 'cancel what is paid', hold: false, save: true, isPaid: true, run: cancel },
  { name: 'cancel what is held', hold: true, save: true, isPaid: true, run: cancel },
  { name: 'confirm a part of a hold', hold: true, save: true, isPaid: true, run: confirm },
]

/** Lets the program fall at every write of a deed and of its settling, before and after it is durable; tells how often it fell. */
export async function fallEverywhere(house: House, deed: Deed, rehearsal: string): Promise<number> {
  let falls = 0
  for (let write = 1; write < writesMax; write++) {
    const fell = [
      await fallAt(house, deed, { rehearsal, write, isKept: false }),
      await fallAt(house, deed, { rehearsal, write, isKept: true }),
    ]
    if (!fell.includes(true)) return falls
    falls += fell.filter((isFallen) => isFallen).length
  }
  throw new Error(`${deed.name} takes more than ${writesMax} writes`)
}

interface Fall {
  readonly rehearsal: string
  readonly write: number
  readonly isKept: boolean
}

/** Whether it fell at all: with fewer writes than that the deed came to its end. */
async function fallAt(house: House, deed: Deed, { rehearsal, write, isKept }: Fall): Promise<boolean> {
  const place = `${deed.name}, ${rehearsal}, write ${write} ${isKept ? 'kept' : 'lost'}`
  const merchant = house.caller()
  const token = await merchant.verified(successPan, { save: deed.save })
  const { receipt } = await merchant.expect('receipts.create', { amount: 500, hold: deed.hold, account: { order_id: randomHex(8) } })
  const id = receipt._id
  if (deed.isPaid === true) await merchant.expect('receipts.pay', { id, token })
  await house.store.setScenarioStep(merchant.merchantId, 'network', rehearsal)

  const mendOutside = deed.strike?.()
  const { store, fallen } = makeFallingStore(house.store, { write, isKept })
  const falling = await compose({ store, after: house })
  const until: Until = {}
  // What never reaches the network cannot be taken back there either: that line is mended, and the other faults stay.
  const mend = () => (rehearsal === 'lose_request' ? house.store.setScenarioStep(merchant.merchantId, 'network', 'none') : undefined)
  const doing = pass(falling, deed.run(falling.caller('spec', merchant.merchantId), { id, token }), until)
  const settled = doing.then(mend).then(() => settleAll(falling, until))
  const isFallen = await Promise.race([settled.then(() => false), fallen])
  until.isOver = true
  await mend()

  const next = await compose({ store: house.store, after: house })
  await settleAll(next)
  mendOutside?.()
  await expectAgreement(next, merchant, { id, token, place })
  await deed.agree?.(merchant, id)
  await next.close()
  return isFallen
}

/** Ledger and receipt agree, nothing is open any more, and a one-time token is either used up or free. */
async function expectAgreement(house: House, merchant: Caller, { id, token, place }: Asked & { place: string }): Promise<void> {
  const row = await rowOf(house, merchant, id)
  const { created, paid, held, cancelled } = receiptStates
  assert.ok(([created, paid, held, cancelled] as number[]).includes(row.state), `${place}: left in state ${row.state}`)
  assert.deepEqual(takenBy(await ledgerOf(house, row)), takenIn(row), place)
  const operations = await house.store.listOperations(row)
  assert.ok(!operations.some((operation) => isUnderWay(operation)), `${place}: an operation is left open`)
  assert.equal(authorisationOf(operations) === null, row.state === created, place)
  assert.deepEqual(house.alarms, [], place)

  await house.store.setScenarioStep(merchant.merchantId, 'network', 'none')
  const again = house.caller('spec', merchant.merchantId)
  const reply = await again.call('receipts.pay', { id: await newReceipt(again), token })
  const card = await house.store.findCard({ ...merchant, cardId: token.slice(0, 24) })
  const isUsedUp = 'error' in reply && reply.error.reason === 'card_deleted' && card?.state === 'removed'
  assert.ok('receipt' in reply || isUsedUp, `${place}: the token is left locked`)
}

const writesMax = 60
