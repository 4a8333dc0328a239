import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'

import { MemoryBudget, requestObjectBytes, type BudgetedSocket, type CutReason } from './memory-budget.ts'

/** A socket as far as the budget uses it. */
function makeSocket(): BudgetedSocket & { destroyed: boolean } {
  const socket = Object.assign(new EventEmitter(), { destroyed: false, destroy: () => (socket.destroyed = true) })
  return socket as unknown as BudgetedSocket & { destroyed: boolean }
}

const bounds = { bufferedBytesMax: 400_000, bufferedBytesPerAddressMax: 200_000, bufferedBytesPerConnectionMax: 100_000 }

test('bytes count in process, address and connection, an IPv6 /64 is one address, and everything is released once', () => {
  const budget = new MemoryBudget(bounds, () => undefined)
  const [first, second, other] = [makeSocket(), makeSocket(), makeSocket()]
  const charge = budget.open(first, '2001:db8::1')
  charge.set(90_000)
  assert.deepEqual([charge.findFull(10_000), charge.findFull(10_001)], [null, 'connection'])
  const neighbour = budget.open(second, '2001:db8::2')
  neighbour.set(95_000)
  assert.equal(budget.open(makeSocket(), '2001:db8::3').findFull(10_000), 'address')
  const stranger = budget.open(other, '192.0.2.1')
  assert.equal(stranger.findFull(10_000), null)
  stranger.setReply(50_000)
  charge.release()
  charge.release()
  neighbour.release()
  other.emit('close')
  stranger.set(1)
  assert.equal(budget.bytes, requestObjectBytes)
})

test('beyond the bound of the process the connection with the most unread replies is cut off, and a request in progress is not', () => {
  const { cut, charges, isDestroyed, budget } = openCharges()
  charges[0]?.set(80_000)
  charges[1]?.setReply(70_000)
  charges[2]?.setReply(130_000)
  assert.deepEqual(cut, [])
  charges[3]?.setReply(90_000)
  assert.deepEqual(isDestroyed(), [false, false, true, false, false])
  assert.deepEqual(cut, ['memory_full'])
  assert.ok(budget.bytes <= bounds.bufferedBytesMax)
})

test('no reply is given up for the bodies of others, and no small one for anything', () => {
  const { cut, charges, budget } = openCharges(15)
  for (const charge of charges.slice(1, 5)) charge.set(120_000)
  charges[0]?.setReply(70_000)
  assert.ok(budget.bytes > bounds.bufferedBytesMax)
  for (const charge of charges) charge.setReply(30_000)
  assert.ok(budget.bytes > bounds.bufferedBytesMax && budget.unreadBytes > bounds.bufferedBytesMax / 2)
  assert.deepEqual(cut, [])
})

function openCharges(count = 5) {
  const cut: CutReason[] = []
  const budget = new MemoryBudget(bounds, (reason) => cut.push(reason))
  const sockets = Array.from({ length: count }, makeSocket)
  const charges = sockets.map((socket, n) => budget.open(socket, `192.0.2.${String(n)}`))
  return { cut, budget, charges, isDestroyed: () => sockets.map(({ destroyed }) => destroyed) }
}
