import { makeCardMac } from '../cards/mac.ts'

import type { ReceiptRow } from '../store/store.ts'

import { makeReceiptMac } from './row.ts'
import { nextStep } from './steps.ts'
import type { ReceiptParts, ReceiptTools } from './tools.ts'

/** Brings receipts to their end that nobody is waiting for: lost calls, unknown outcomes, money going back, lives that are over. */
export interface Settle {
  /** Settles what is due, one bounded page, and tells how many receipts took a step. To be called every second or so. */
  runOnce(): Promise<number>
  /** Looks after one receipt at once, in the background. */
  kick(receipt: ReceiptRow): void
  /** Ends what is under way, and resolves when nothing is. */
  stop(): Promise<void>
}

export interface SettleParts extends ReceiptParts {
  /** Told of a receipt that could not be looked after; the next round comes all the same. */
  readonly failed: (err: unknown) => void
}

export function makeSettle({ failed, ...parts }: SettleParts): Settle {
  const { keyring, environment, store, clock } = parts
  const tools: ReceiptTools = { ...parts, mac: makeReceiptMac(keyring, environment), cardMac: makeCardMac(keyring, environment) }
  const stopping = new AbortController()
  const underWay = new Set<Promise<unknown>>()

  return Object.freeze({
    async runOnce() {
      const due = await store.listDueReceipts(clock.now(), pageLength)
      const done = await Promise.all(due.map((receipt) => track(settleOne(tools, receipt, stopping.signal))))
      return done.filter((isDone) => isDone).length
    },
    kick(receipt: ReceiptRow) {
      if (underWay.size < underWayMax && !stopping.signal.aborted) void track(settleOne(tools, receipt, stopping.signal))
    },
    async stop() {
      stopping.abort(new Error('the service stops'))
      await Promise.all(underWay)
    },
  })

  function track(settling: Promise<boolean>): Promise<boolean> {
    const told = settling.catch((err: unknown) => {
      failed(err)
      return false
    })
    underWay.add(told)
    return told.finally(() => underWay.delete(told))
  }
}

/** Takes step after step while the receipt is due; the waits between are the store's to remember. */
async function settleOne(tools: ReceiptTools, first: ReceiptRow, signal: AbortSignal): Promise<boolean> {
  let receipt: ReceiptRow | null = first
  let steps = 0
  while (receipt !== null && steps < stepsMax && isDue(tools, receipt) && !signal.aborted) {
    if (!(await tools.mac.isTrue(receipt))) return setAside(tools, receipt)
    receipt = await nextStep(tools, receipt, signal)
    if (receipt !== null) steps += 1
  }
  return steps > 0
}

function isDue({ clock }: ReceiptTools, { dueAt }: ReceiptRow): boolean {
  return dueAt !== null && dueAt <= clock.now()
}

/** A row that was not written by us moves no money. It keeps its wrong MAC, and is looked at by a person, not again by us. */
async function setAside({ store, clock, alarm }: ReceiptTools, receipt: ReceiptRow): Promise<boolean> {
  const { merchantId, receiptId } = receipt
  alarm('row_tampered', { merchantId, cardId: '', requestId: '', receiptId })
  const next = { ...receipt, dueAt: null, version: receipt.version + 1 }
  const note = { at: clock.now(), actor: 'system', action: 'receipt.set_aside', merchantId, subject: receiptId, requestId: '' }
  const audit = { ...note, version: next.version, mac: next.mac, outcome: 'tampered' }
  await store.changeReceipt({ next, operations: [], cardLock: null, card: null }, { audit, claim: null, answer: null, events: [] })
  return false
}

const pageLength = 100
/** A receipt takes four steps from a lost call to its end; what takes more meets something unforeseen. */
const stepsMax = 8
/** Beyond it the next round comes by. */
const underWayMax = 200
