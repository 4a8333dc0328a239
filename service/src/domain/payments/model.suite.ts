import type { TestMerchant } from '../../testing/test-merchant.fixture.ts'
import type { TestApp } from '../../testing/test-app.fixture.ts'
import { ledgerOf, rowOf, advanceAllReceipts, successPan, takenBy } from '../../testing/receipts.fixture.ts'
import type { NetworkOutcome, Network } from '../../adapters/network/network.ts'
import { makeSeeded } from '../../testing/seeded.fixture.ts'

import { makeMoneyModel, type ModelReceipt, type MoneyModel, type MoneyRules, type NetworkMood, type PayingCard } from './model.fixture.ts'

export interface MoneyGame {
  readonly seed: number
  readonly rule: MoneyRules
  /** How many sequences of calls, each of a merchant of its own; five hundred act at once, so that one fsync serves them all. */
  readonly sequences: number
  /** Calls of each. */
  readonly length: number
}

export interface MoneyPlayed {
  /** The first call whose outcome the model does not know, with what came before it at that merchant. */
  readonly mismatch: string | null
  readonly calls: number
  readonly words: ReadonlySet<string>
}

interface Player {
  readonly caller: TestMerchant
  readonly cards: { readonly token: string; readonly model: PayingCard }[]
  readonly bills: { readonly id: string; readonly model: ModelReceipt }[]
  readonly trail: string[]
}

/** What each merchant's network does. Silence takes no time here, so that the clock of the others stands still. */
export type Moods = Map<string, NetworkMood>

/** The sandbox network, which by its mood does not reply: before it has moved the money, or after. */
export function moody(sandbox: Network, moods: Moods): Network {
  const silent = async (mood: NetworkMood, move: () => Promise<NetworkOutcome>): Promise<NetworkOutcome> => {
    if (mood === 'lose_request') return { kind: 'unknown' }
    const moved = await move()
    return mood === 'lose_answer' ? { kind: 'unknown' } : moved
  }
  const moodOf = (merchantId: string): NetworkMood => moods.get(merchantId) ?? 'none'
  return {
    ...sandbox,
    authorize: (ask, signal) =>
      moodOf(ask.merchantId) === 'insufficient_funds'
        ? Promise.resolve({ kind: 'declined', reason: 'insufficientFunds', rawCode: '51' })
        : silent(moodOf(ask.merchantId), () => sandbox.authorize(ask, signal)),
    capture: (ask, signal) => silent(moodOf(ask.merchantId), () => sandbox.capture(ask, signal)),
  }
}

/** Runs sequence after sequence. At the end of each, the worker finishes everything, and ledger, receipt and model must agree. */
export async function playMoney(app: TestApp, moods: Moods, game: MoneyGame): Promise<MoneyPlayed> {
  const { below: draw } = makeSeeded(game.seed)
  const model = makeMoneyModel(() => app.clock.now(), game.rule)
  const words = new Set<string>()
  let calls = 0
  for (let begun = 0; begun < game.sequences; begun += atOnce) {
    const players = Array.from({ length: Math.min(atOnce, game.sequences - begun) }, (): Player => {
      return { caller: app.merchant(), cards: [], bills: [], trail: [] }
    })
    for (let turn = 0; turn < game.length; turn++) {
      const wrong = await Promise.all(players.map((player) => act({ app, moods, model, draw, words }, player, turn)))
      calls += players.length
      const mismatch = wrong.find((text) => text !== null)
      if (mismatch !== undefined) return { mismatch, calls, words }
      if (draw(6) === 0) await letTimePass(app, { players, model, moods, draw })
    }
    await calm(app, { players, model, moods })
    const wrong = (await Promise.all(players.map((player) => compare(app, player)))).find((text) => text !== null)
    if (wrong !== undefined) return { mismatch: wrong, calls, words }
  }
  return { mismatch: null, calls, words }
}

interface Table {
  readonly app: TestApp
  readonly moods: Moods
  readonly model: MoneyModel
  readonly draw: Draw
  readonly words: Set<string>
}

/** Calls the model and the app while the clock stands still. Null, or the difference. */
async function act({ app, moods, model, draw, words }: Table, player: Player, turn: number): Promise<string | null> {
  const { caller, cards, bills, trail } = player
  const mood = moods.get(caller.merchantId) ?? 'none'
  const kind = turn < 2 ? turn : draw(20)
  const bill = bills[draw(3) === 0 ? draw(bills.length) : bills.length - 1]
  const card = cards[draw(cards.length)]
  if (kind === 0 || card === undefined) return makeCard()
  if (kind === 1 || kind === 2 || bill === undefined) return makeBill()
  if (kind < 9) {
    const hold = draw(3) === 0
    const said = model.pay(bill.model, card.model, hold, mood)
    return met(
      `pay ${of(bill)} by ${cards.indexOf(card)}`,
      said,
      await caller.callRaw('receipts.pay', { id: bill.id, token: card.token, hold }),
    )
  }
  if (kind < 13) {
    const part = 1 + (draw(8) === 0 ? bill.model.amountTiyin : draw(bill.model.amountTiyin))
    const said = model.confirm(bill.model, part, mood)
    return met(`confirm ${of(bill)} ${part}`, said, await caller.callRaw('receipts.confirm_hold', { id: bill.id, amount: part }))
  }
  if (kind < 15) return met(`cancel ${of(bill)}`, model.cancel(bill.model), await caller.callRaw('receipts.cancel', { id: bill.id }))
  if (kind < 17) return met(`check ${of(bill)}`, model.check(bill.model), await caller.callRaw('receipts.check', { id: bill.id }))
  if (kind === 17) {
    const said = model.remove(card.model)
    return met(`remove ${cards.indexOf(card)}`, said, await caller.callRaw('cards.remove', { token: card.token }))
  }
  if (kind === 18) return stranger()
  const next = moodList[draw(moodList.length)] ?? 'none'
  moods.set(caller.merchantId, next)
  trail.push(`the network: ${next}`)
  return null

  async function makeCard(): Promise<null> {
    const [save, isVerified] = [draw(2) === 0, draw(8) > 0]
    const token = isVerified ? await caller.createVerifiedToken(successPan, { save }) : await caller.createToken(successPan, { save })
    cards.push({ token, model: model.card(save, isVerified) })
    trail.push(`card ${cards.length - 1} save ${String(save)} verified ${String(isVerified)}`)
    return null
  }
  async function makeBill(): Promise<null> {
    const amountTiyin = 1 + draw(100_000)
    const { receipt } = await caller.call('receipts.create', { amount: amountTiyin })
    bills.push({ id: receipt._id, model: model.bill(amountTiyin) })
    trail.push(`receipt ${bills.length - 1} of ${amountTiyin}`)
    return null
  }
  /** Another merchant's receipt and token are unknown. */
  async function stranger(): Promise<string | null> {
    const other = app.merchant()
    const [paid, checked] = await Promise.all([
      other.callRaw('receipts.cancel', { id: bill?.id ?? '' }),
      other.callRaw('cards.check', { token: card?.token ?? '' }),
    ])
    return met('a stranger', 'receipt_not_found', paid) ?? met('a stranger', 'card_not_found', checked)
  }
  function of(it: Player['bills'][number]): string {
    return String(bills.indexOf(it))
  }
  function met(what: string, expected: string, reply: object): string | null {
    const word = wordOf(reply)
    words.add(word)
    trail.push(`${what} → ${word}`)
    return word === expected ? null : `expected ${expected} of the last of:\n${trail.join('\n')}`
  }
}

interface Passing {
  readonly players: readonly Player[]
  readonly model: MoneyModel
  readonly moods: Moods
}

async function letTimePass(app: TestApp, passing: Passing & { readonly draw: Draw }): Promise<void> {
  const ms = spans[passing.draw(spans.length)] ?? 0
  app.clock.advance(ms)
  for (const { trail } of passing.players) trail.push(`… ${ms} ms later, settled`)
  await calm(app, passing)
}

/** The network replies again and the worker finishes everything; then the model does the same. */
async function calm(app: TestApp, { players, model, moods }: Passing): Promise<void> {
  const before = players.map(({ caller }) => moods.get(caller.merchantId) ?? 'none')
  moods.clear()
  await advanceAllReceipts(app)
  players.forEach(({ caller, bills }, at) => {
    for (const bill of bills) model.calm(bill.model)
    moods.set(caller.merchantId, before[at] ?? 'none')
  })
}

/** Null, or the receipt that differs from the model or the ledger. */
async function compare(app: TestApp, { caller, bills, trail }: Player): Promise<string | null> {
  for (const [index, { id, model }] of bills.entries()) {
    const row = await rowOf(app, caller, id)
    const moved = takenBy(await ledgerOf(app, row))
    const state = states[row.state] ?? String(row.state)
    const isLedgerEqual = state === model.state && moved.takenTiyin === model.taken && moved.heldTiyin === model.heldTiyin
    const isRowEqual = row.state !== 4 || row.takenTiyin === model.taken
    if (isLedgerEqual && isRowEqual) continue
    const found = `${state}, took ${moved.takenTiyin}, holds ${moved.heldTiyin}, row says ${row.takenTiyin}`
    const expected = `${model.state}, ${model.taken} taken, ${model.heldTiyin} held`
    return `receipt ${index} is ${found}; expected ${expected}, after:\n${trail.join('\n')}`
  }
  return null
}

function wordOf(reply: object): string {
  if ('error' in reply) return (reply.error as { reason: string }).reason
  if ('success' in reply) return 'removed'
  const state = 'receipt' in reply ? (reply.receipt as { state: number }).state : (reply as { state: number }).state
  return states[state] ?? String(state)
}

const states: Readonly<Record<number, string>> = { 0: 'open', 4: 'paid', 5: 'held', 20: 'unknown', 21: 'back', 50: 'cancelled' }
const moodList: readonly NetworkMood[] = ['none', 'none', 'insufficient_funds', 'lose_answer', 'lose_request']
const spans = [0, 60_000, 3_600_000, 13 * 3_600_000, 25 * 3_600_000, 8 * 86_400_000]
const atOnce = 500

type Draw = (below: number) => number
