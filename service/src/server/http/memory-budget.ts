import type { Socket } from 'node:net'

import { LinkedList, type LinkedListNode } from '../linked-list.ts'

import { AddressTable, type AddressEntry } from './address-table.ts'

/** Bounds of the bytes that the server holds for its clients: bodies that arrive, requests in progress, and replies that the client has not read. */
export interface MemoryBounds {
  readonly bufferedBytesMax: number
  /** Of one client address, or IPv6 /64. */
  readonly bufferedBytesPerAddressMax: number
  readonly bufferedBytesPerConnectionMax: number
}

/** Which bound has been reached. */
export type FullScope = 'process' | 'address' | 'connection'

/**
 * Counts the bytes that are held for clients: in the process, per client address and per connection. Calls are weighed by their bytes, because
 * a few that return much take more memory than thousands that return little.
 */
export class MemoryBudget {
  readonly bounds: MemoryBounds
  bytes = 0
  /** Of replies that were not read, in the process. */
  unreadBytes = 0
  readonly #addresses = new AddressTable<AddressAccount>(() => ({ open: 0, bytes: 0 }))
  /** From its first request until it closes. */
  readonly #connections = new Set<ConnectionAccount>()
  readonly #onCut: (reason: CutReason) => void

  constructor(bounds: MemoryBounds, onCut: (reason: CutReason) => void) {
    this.bounds = bounds
    this.#onCut = onCut
  }

  /** Starts counting for one request. What is left of it is released when the connection closes. */
  open(socket: BudgetedSocket, address: string): MemoryCharge {
    const charge = new MemoryCharge(this, this.#connectionOf(socket), this.#addresses.enter(address))
    charge.set(requestObjectBytes)
    return charge
  }

  /** Adds to every scope; negative to release. */
  add(connection: ConnectionAccount, address: AddressAccount, bytes: number): void {
    this.bytes += bytes
    connection.bytes += bytes
    address.bytes += bytes
  }

  close(address: AddressAccount): void {
    this.#addresses.leave(address)
  }

  /**
   * Closes the connections with the most unread bytes until the unread replies take no more than half of what the process may hold. A reply is never
   * given up for bodies of others, and neither is a small one.
   */
  cutLargest(): void {
    while (this.bytes > this.bounds.bufferedBytesMax && this.unreadBytes > this.bounds.bufferedBytesMax / 2) {
      let largest: ConnectionAccount | null = null
      for (const each of this.#connections) if (each.unreadBytes > (largest?.unreadBytes ?? smallReplyBytes)) largest = each
      if (largest === null) return
      this.cut(largest, 'memory_full')
    }
  }

  /** Closes a connection without waiting for its client, and releases all that is held for it. */
  cut(connection: ConnectionAccount, reason: CutReason): void {
    this.#onCut(reason)
    connection.socket.destroy()
    releaseAll(connection)
  }

  #connectionOf(socket: BudgetedSocket): ConnectionAccount {
    const known = socket[account]
    if (known !== undefined) return known
    const opened: ConnectionAccount = { socket, bytes: 0, unreadBytes: 0, open: 0, charges: new LinkedList() }
    socket[account] = opened
    socket.once('close', () => {
      this.#connections.delete(opened)
      releaseAll(opened)
    })
    this.#connections.add(opened)
    return opened
  }
}

/** Why the server closes a connection: its client does not read, or, before anything is read from it, there are too many or no memory for more. */
export type CutReason = 'reply_not_read' | 'memory_full' | 'connections_full' | 'memory_near_limit'

/** The bytes of one request, through its stages: head, body, reply. */
export class MemoryCharge implements LinkedListNode<MemoryCharge> {
  readonly #budget: MemoryBudget
  readonly #connection: ConnectionAccount
  readonly #address: AddressAccount
  #bytes = 0
  #unreadBytes = 0
  #isOpen = true
  /** Of the same connection. */
  older: MemoryCharge | null = null
  newer: MemoryCharge | null = null

  constructor(budget: MemoryBudget, connection: ConnectionAccount, address: AddressAccount) {
    this.#budget = budget
    this.#connection = connection
    this.#address = address
    connection.charges.add(this)
    connection.open++
  }

  /** Which bound is exceeded with this many bytes more; null: none. */
  findFull(more: number): FullScope | null {
    const { bounds, bytes } = this.#budget
    if (this.#connection.bytes + more > bounds.bufferedBytesPerConnectionMax) return 'connection'
    if (this.#address.bytes + more > bounds.bufferedBytesPerAddressMax) return 'address'
    return bytes + more > bounds.bufferedBytesMax ? 'process' : null
  }

  /** Whether what is held for the connection is more than half of its bound. */
  get isConnectionHalfFull(): boolean {
    return this.#connection.bytes > this.#budget.bounds.bufferedBytesPerConnectionMax / 2
  }

  /** Whether the client goes on sending although its requests are refused: so many wait that their objects alone are twice a bound. */
  get isFlood(): boolean {
    const { bufferedBytesPerConnectionMax, bufferedBytesPerAddressMax } = this.#budget.bounds
    const ofConnection = this.#connection.open * requestObjectBytes
    return ofConnection > 2 * bufferedBytesPerConnectionMax || this.#address.open * requestObjectBytes > 2 * bufferedBytesPerAddressMax
  }

  /** What the request holds now, besides its own objects. */
  set(bytes: number): void {
    if (!this.#isOpen) return
    this.#budget.add(this.#connection, this.#address, bytes - this.#bytes)
    this.#bytes = bytes
  }

  /** The reply is written, and not read until `release`. When the process holds too much, the clients that have the most to read are cut off. */
  setReply(bytes: number): void {
    if (!this.#isOpen) return
    this.set(bytes + requestObjectBytes)
    this.#countUnread(bytes)
    if (this.#budget.bytes > this.#budget.bounds.bufferedBytesMax) this.#budget.cutLargest()
  }

  release(): void {
    if (!this.#isOpen) return
    this.set(0)
    this.#countUnread(0)
    this.#isOpen = false
    this.#connection.open--
    this.#connection.charges.remove(this)
    this.#budget.close(this.#address)
  }

  #countUnread(bytes: number): void {
    this.#connection.unreadBytes += bytes - this.#unreadBytes
    this.#budget.unreadBytes += bytes - this.#unreadBytes
    this.#unreadBytes = bytes
  }
}

/** What is held for a connection; undefined before its first request. */
export function accountOf(socket: BudgetedSocket): ConnectionAccount | undefined {
  return socket[account]
}

/** A connection with what is held for it. */
export interface ConnectionAccount {
  readonly socket: Socket
  bytes: number
  /** Of replies. */
  unreadBytes: number
  /** Requests whose bytes are counted. */
  open: number
  readonly charges: LinkedList<MemoryCharge>
}

interface AddressAccount extends AddressEntry {
  bytes: number
}

export interface BudgetedSocket extends Socket {
  [account]?: ConnectionAccount
}

function releaseAll(connection: ConnectionAccount): void {
  for (let charge = connection.charges.newest; charge !== null; charge = connection.charges.newest) charge.release()
}

const account = Symbol('bytes held for the connection')
/** Of the objects of one request: what node and the server allocate for it until its reply is gone, measured with 1,000 requests on one connection. */
export const requestObjectBytes = 8 * 1024
/** A client with no more than this to read is not cut off for want of memory: the kernel usually takes as much at once. */
const smallReplyBytes = 32 * 1024
