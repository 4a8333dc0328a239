// on disk: it measures commits
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'

import { createServiceDataFactory } from '../../fault/service-data.ts'
import { killAll, startProgram } from '../../fault/spawn.ts'
import { compareVaults } from './compare-vaults.ts'
import type { Contender } from './contenders.ts'
import { vaultApis } from './vault-api.ts'

const dataFactory = createServiceDataFactory()
/** Stores cards as that vault does, as far as the load sees it. */
const stored = new Map<string, string>()
const foreign = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const body = JSON.parse(Buffer.concat(chunks).toString()) as {
      readonly card?: { readonly card_number: string }
      readonly card_reference?: string
    }
    const reference = body.card_reference ?? `reference-${String(stored.size)}`
    if (body.card !== undefined) stored.set(reference, body.card.card_number)
    const number = stored.get(reference)
    const payload = request.url === '/data/add' ? { card_reference: reference } : { card: { card_number: number } }
    response.statusCode = number === undefined ? 404 : 200
    response.end(JSON.stringify(number === undefined ? {} : { status: 'Ok', payload }))
  })
})
after(async () => {
  foreign.close()
  await killAll()
  await dataFactory.close()
})

test('the baseline and a vault that somebody else has started get the same load, and every read finds what was stored', async () => {
  await new Promise<void>((resolve) => foreign.listen(0, '127.0.0.1', resolve))
  const data = await dataFactory.create('postgres')
  const { url, xAuth, pid } = await startProgram('bench/side-by-side/baseline.ts', { flags: data.flags })
  const contenders: readonly Contender[] = [
    { kind: 'baseline', name: 'baseline', url, xAuth, api: vaultApis.baseline, pids: [pid], databaseUrl: data.databaseUrl },
    {
      kind: 'hyperswitch-card-vault',
      name: 'hyperswitch-card-vault',
      url: `http://127.0.0.1:${String((foreign.address() as AddressInfo).port)}`,
      xAuth: ':',
      api: vaultApis['hyperswitch-card-vault'],
      pids: [],
      databaseUrl: null,
    },
  ]
  const measures = await compareVaults({ contenders, connections: 4, rounds: 1, requests: 100, perSecond: 200, say: () => undefined })
  for (const what of ['create', 'create at 200/s', 'read', 'read at 200/s']) {
    const namesOf = (vault: string): string[] => measures.filter(({ of }) => of === `${what}, ${vault}`).map(({ name }) => name)
    assert.deepEqual(
      namesOf('baseline'),
      ['calls', 'CPU of the vault', 'CPU of PostgreSQL', 'syncs of the log', 'p50', 'p99', 'p99.9'],
      what,
    )
    assert.deepEqual(namesOf('hyperswitch-card-vault'), ['calls', 'p50', 'p99', 'p99.9'], what)
  }
  // A warm-up, a round as fast as they can, and one at a rate.
  assert.equal(stored.size, 300)
  const syncs = measures.find(({ of, name }) => of === 'create, baseline' && name === 'syncs of the log')
  assert.ok(syncs !== undefined && syncs.value > 0, 'the baseline waits for the disk')
  await data.remove()
})

test('a vault that refuses a call ends the comparison with its reply', async () => {
  const url = `http://127.0.0.1:${String((foreign.address() as AddressInfo).port)}`
  const api = { ...vaultApis['hyperswitch-card-vault'], referenceOf: () => 'unknown' }
  const contender: Contender = { kind: 'hyperswitch-card-vault', name: 'it', url, xAuth: ':', api, pids: [], databaseUrl: null }
  await assert.rejects(
    compareVaults({ contenders: [contender], connections: 1, rounds: 1, requests: 3, perSecond: 200, say: () => undefined }),
    /it: 3 of 3 calls failed, the first: 404 \{\}/,
  )
})
