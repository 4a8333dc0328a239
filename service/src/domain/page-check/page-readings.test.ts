import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, test } from 'node:test'

import { makeAddressGuard } from '../../adapters/http/address-guard.ts'
import { makeHttpGet } from '../../adapters/http/http-get.ts'
import { withPostgres } from '../../store/postgres/with-store.fixture.ts'
import { withSqlite } from '../../store/sqlite/with-store.fixture.ts'
import { makeSystemClock } from '../../system-clock.ts'

import { makeFetchScript } from './fetch-script.ts'
import { pageReadingsSuite } from './page-readings.suite.ts'
import { compareSnapshots, keepStable, makeSnapshot } from './page-snapshot.ts'

describe('pages that are read again, in the embedded store', () => pageReadingsSuite(withSqlite))
describe('pages that are read again, in PostgreSQL', () => pageReadingsSuite(withPostgres))

const script = (name: string, fingerprint = '') => ({ name, address: name, fingerprint, integrity: '', party: 'third' as const })
const snapshot = (scripts: ReturnType<typeof script>[], contents: [string, string][] = []) =>
  makeSnapshot({ scripts, contents: new Map(contents), headers: {}, rules: [] })

test('what differs from reading to reading is compared by its presence, and a script among those is seen by their number', () => {
  const token = (value: string) => script(`inline ${value}`, value)
  const first = keepStable(
    snapshot([token('a'), script('/s.js')], [['/s.js', '1']]),
    snapshot([token('b'), script('/s.js')], [['/s.js', '2']]),
  )
  const later = keepStable(
    snapshot([token('c'), script('/s.js')], [['/s.js', '3']]),
    snapshot([token('d'), script('/s.js')], [['/s.js', '4']]),
  )
  assert.deepEqual(compareSnapshots(first, later), [])
  const more = keepStable(snapshot([token('e'), token('f'), script('/s.js')]), snapshot([token('g'), token('h'), script('/s.js')]))
  assert.deepEqual(
    compareSnapshots(first, more).map(({ what, change }) => [what, change]),
    [['script', 'added']],
  )
})

test('a script at a private address is not fetched, and a redirect to one is not followed', async () => {
  let requests = 0
  const server = createServer((_req, res) => {
    requests++
    res.writeHead(302, { location: 'http://127.0.0.1:9/' }).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const port = (server.address() as AddressInfo).port
  const clock = makeSystemClock()
  const resolve = () => Promise.resolve([{ address: '127.0.0.1', family: 4 }])
  const make = (allowLoopback: boolean) => {
    const guard = makeAddressGuard({ resolve, allowLoopback })
    return makeFetchScript({ guard, get: makeHttpGet({ guard, clock, timeoutMs: 2000, replyBytesMax: 1000 }) })
  }
  try {
    const signal = new AbortController().signal
    assert.equal(await make(false)(`https://127.0.0.1:${String(port)}/s.js`, signal), 'no_address')
    assert.equal(await make(false)(`https://rebound.example:${String(port)}/s.js`, signal), 'forbidden_address')
    assert.equal(requests, 0)
    assert.equal(await make(true)(`http://127.0.0.1:${String(port)}/s.js`, signal), 'status_302')
    assert.equal(requests, 1)
  } finally {
    server.close()
  }
})
