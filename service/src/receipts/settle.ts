import { makeCardMac } from '../cards/mac.ts'

import type { BrokenReceipt, DuePlace, ReceiptRow } from '../store/store.ts'

import { makeReceiptMac } from './row.ts'
import { nextStep } from './steps.ts'
import type { ReceiptParts, ReceiptTools } from './tools.ts'

/** Brings receipts to their end that nobody is waiting for: lost calls, unknown outcomes, money going back, lives that are over. */
export interface Settle {
  /**
   * Begins on what is due, and does not wait for the network: what it keeps waiting keeps nobody else. Tells how many receipts were begun.
   * To be called every second or so.
   */
  begin(): Promise<number>
  /** The same, waiting for all that was begun; tells how many receipts took a step. */
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
  /** By the receipt's id: nobody looks after one receipt twice at once. */
  const underWay = new Map<string, Promise<boolean>>()
  const broken = new Set<string>()

  return Object.freeze({
    async begin() {
      return (await beginDue()).length
    },
    async runOnce() {
      const begun = await beginDue()
      await Promise.all(underWay.values())
      return (await Promise.all(begun)).filter((isDone) => isDone).length
    },
    kick(receipt: ReceiptRow) {
      void beginOne(receipt)
    },
    async stop() {
      stopping.abort(new Error('the service stops'))
      await Promise.all(underWay.values())
    },
  })

  /** Goes on behind receipts that cannot be read or are under way, so that many of them at the head of the list starve nobody. */
  async function beginDue(): Promise<Promise<boolean>[]> {
    const begun: Promise<boolean>[] = []
    let after: DuePlace | undefined
    for (let page = 0; page < pagesMax && underWay.size < underWayMax && begun.length < pageLength; page++) {
      const due = await store.listDueReceipts(clock.now(), pageLength, after)
      for (const receipt of due) {
        const one = 'brokenAt' in receipt ? tellBroken(receipt) : beginOne(receipt)
        if (one !== null) begun.push(one)
      }
      after = due.at(-1)
      if (due.length < pageLength) break
    }
    return begun
  }

  /** Null when it is under way already, or too many are. */
  function beginOne(receipt: ReceiptRow): Promise<boolean> | null {
    const { receiptId } = receipt
    if (stopping.signal.aborted || underWay.size >= underWayMax || underWay.has(receiptId)) return null
    const settling = settleOne(tools, receipt, stopping.signal)
      .catch((err: unknown) => {
        failed(err)
        return false
      })
      .finally(() => underWay.delete(receiptId))
    underWay.set(receiptId, settling)
    return settling
  }

  /** Once in this process's life: every round meets it again. It stays due, and is settled when a person has mended it. */
  function tellBroken({ receiptId, merchantId }: BrokenReceipt): null {
    if (broken.has(receiptId)) return null
    // Beyond that many they are told of again, rather than kept in memory.
    if (broken.size >= brokenMax) broken.clear()
    broken.add(receiptId)
    tools.alarm('row_broken', { merchantId, cardId: '', requestId: '', receiptId })
    return null
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
/** Beyond that many broken receipts before it, a receipt waits for a person to mend them: 2,000. */
const pagesMax = 20
const brokenMax = 10_000
/** A receipt takes four steps from a lost call to its end; what takes more meets something unforeseen. */
const stepsMax = 8
/** Beyond it the next round comes by. */
const underWayMax = 200
