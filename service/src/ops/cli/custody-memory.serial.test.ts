// time limit: 120 s
import assert from 'node:assert/strict'
import { closeSync, openSync, readFileSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

import { parseShare } from '@tessera/vault/share-text'

import { makeScratch } from '../../testing/child.fixture.ts'
import { startCustodied } from '../../testing/custodians.fixture.ts'

test('after shares were taken and entered, the bytes of none are in the memory of the service', async () => {
  const service = await startCustodied(join(makeScratch(), 'data'), ['--kek=shares'])
  await service.untilState('sealed')
  const { shares } = await service.makeShares({ shares: 5, threshold: 3 })
  const values = shares.map((share) => Buffer.from(parseShare(share).y))
  await service.enter(...shares.slice(0, 2))
  assert.equal(countInMemory(service.pid, values), 2, 'the search finds those that wait for a third')
  await service.enter(shares[2] ?? '')
  await service.untilState('ready')
  assert.equal(countInMemory(service.pid, values), 0)
  service.kill('SIGTERM')
  assert.equal((await service.ended).code, 0, service.err())
})

/** How many of these bytes are in the writable memory of a process, from Linux's /proc. */
function countInMemory(pid: number, needles: readonly Buffer[]): number {
  const memory = openSync(`/proc/${String(pid)}/mem`, 'r')
  const found = new Set<number>()
  for (const line of readFileSync(`/proc/${String(pid)}/maps`, 'utf8').split('\n')) {
    const [, from = '', to = ''] = /^([0-9a-f]+)-([0-9a-f]+) rw/.exec(line) ?? []
    const bytes = Buffer.alloc(Math.min(Number.parseInt(`0${to}`, 16) - Number.parseInt(`0${from}`, 16), 256 * 1024 * 1024))
    try {
      readSync(memory, bytes, 0, bytes.length, Number.parseInt(`0${from}`, 16))
    } catch {
      // A mapping of a device, or one that is gone.
      continue
    }
    needles.forEach((needle, i) => bytes.includes(needle) && found.add(i))
  }
  closeSync(memory)
  return found.size
}
