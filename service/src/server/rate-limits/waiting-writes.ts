import { hashText } from '../text-hash.ts'

/**
 * The writes that wait for the store, of all workers of the process, and the places of calls that were admitted and have not handed over their write yet. Each
 * worker counts its own, in memory that all of them have.
 */
export interface WaitingWrites {
  readonly workers: number
  /** A call of the owner was admitted. */
  placeTaken(owner: string): void
  /** It has handed over its write, or will not for now. */
  placeReleased(owner: string): void
  /** This worker has handed a write to the store. `owner`: whose share of the queue it takes; null: nobody's. */
  started(owner: string | null): void
  /** It ended, successfully or not. */
  ended(owner: string | null): void
  /** A call of the owner came, at this time: milliseconds of a monotonic clock that all workers share. */
  callerSeen(owner: string, nowMs: number): void
  /** Whether a call of somebody else came to any worker within this time. */
  isAnotherSeen(owner: string, within: { readonly nowMs: number; readonly ms: number }): boolean
  readonly all: WriteCounts
  readonly own: WriteCounts
  /** Writes and places of one owner, in all workers. */
  queuedOf(owner: string): number
}

export interface WriteCounts {
  /** Writes at the store. */
  waiting(): number
  /** Places of calls that have not handed over their write. */
  places(): number
  /** How many have ended since the start, modulo 2³². */
  ended(): number
}

/** Counts for so many workers, to be given to each of them. */
export function allocateWaitingWrites(workers: number): SharedArrayBuffer {
  return new SharedArrayBuffer(workers * cellsPerWorker * Int32Array.BYTES_PER_ELEMENT)
}

/**
 * The counts of one worker, numbered from 0, beside those of the others. Owners are counted by a hash: of two that have the same one, each has the share
 * of both, for as long as the store is overloaded.
 */
export function makeWaitingWrites(memory: SharedArrayBuffer, worker: number): WaitingWrites {
  const cells = new Int32Array(memory)
  const workers = cells.length / cellsPerWorker
  const first = worker * cellsPerWorker

  function sum(cell: number): number {
    let total = 0
    for (let at = 0; at < workers; at++) total += Atomics.load(cells, at * cellsPerWorker + cell)
    return total
  }

  function own(cell: number): number {
    return Atomics.load(cells, first + cell)
  }

  function add(cell: number, owner: string | null, change: 1 | -1): void {
    Atomics.add(cells, first + cell, change)
    if (owner !== null) Atomics.add(cells, first + ownerCell(owner), change)
  }

  /** When somebody else was last at this worker; 0: nobody. */
  function anotherSeenAt(worker: number, owner: string): number {
    const at = worker * cellsPerWorker
    const isLast = Atomics.load(cells, at + lastCallerCell) === ownerCell(owner)
    return Atomics.load(cells, at + (isLast ? anotherAtCell : lastAtCell))
  }

  return Object.freeze<WaitingWrites>({
    workers,
    callerSeen(owner, nowMs) {
      const caller = ownerCell(owner)
      if (own(lastCallerCell) !== caller) {
        Atomics.store(cells, first + anotherAtCell, own(lastAtCell))
        Atomics.store(cells, first + lastCallerCell, caller)
      }
      Atomics.store(cells, first + lastAtCell, nowMs | 0 || 1)
    },
    isAnotherSeen(owner, { nowMs, ms }) {
      for (let worker = 0; worker < workers; worker++) {
        const seenAt = anotherSeenAt(worker, owner)
        // Modulo 2³², what is more than 24 days old looks like a time to come.
        if (seenAt !== 0 && Math.abs((nowMs - seenAt) | 0) < ms) return true
      }
      return false
    },
    placeTaken: (owner) => add(placesCell, owner, 1),
    placeReleased: (owner) => add(placesCell, owner, -1),
    started: (owner) => add(waitingCell, owner, 1),
    ended(owner) {
      add(waitingCell, owner, -1)
      Atomics.add(cells, first + endedCell, 1)
    },
    all: { waiting: () => sum(waitingCell), places: () => sum(placesCell), ended: () => sum(endedCell) | 0 },
    own: { waiting: () => own(waitingCell), places: () => own(placesCell), ended: () => own(endedCell) },
    queuedOf: (owner) => sum(ownerCell(owner)),
  })
}

/** Forgets what a worker that has ended was waiting for, and its places. Its ended writes stay: a speed is never negative. */
export function forgetWaitingWrites(memory: SharedArrayBuffer, worker: number): void {
  const cells = new Int32Array(memory)
  const first = worker * cellsPerWorker
  for (let cell = 0; cell < cellsPerWorker; cell++) if (cell !== endedCell) Atomics.store(cells, first + cell, 0)
}

function ownerCell(owner: string): number {
  return firstOwnerCell + (hashText(owner) % ownerCells)
}

const waitingCell = 0
const endedCell = 1
const placesCell = 2
/** Of the last caller of this worker, whose it was, and when; and when one came that was another's. Milliseconds modulo 2³². */
const lastCallerCell = 3
const lastAtCell = 4
const anotherAtCell = 5
const firstOwnerCell = 6
const ownerCells = 4090
/** 16 KiB. */
const cellsPerWorker = firstOwnerCell + ownerCells
