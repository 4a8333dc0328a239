import assert from 'node:assert/strict'
import { test } from 'node:test'
import { treeOf } from '../tree.ts'
import { checkPlaces } from './places.ts'

function judge(path: string, text: string): string[] {
  return checkPlaces(treeOf({ [path]: text })).map((finding) => finding.text)
}

/** Asserts that a piece of code is accepted in its home and found, once, anywhere else. */
function belongs(text: string, home: string, elsewhere: string): void {
  assert.deepEqual(judge(home, text), [], `${home}: ${text}`)
  assert.equal(judge(elsewhere, text).length, 1, `${elsewhere}: ${text}`)
}

test('the digits of a PAN are read in the vault, the frame and the networks only, in tests as well', () => {
  for (const home of [
    'vault/src/seal.ts',
    'vault/src/seal.test.ts',
    'browser/frame/form.ts',
    'service/src/adapters/network/humo.ts',
    'service/src/adapters/sandbox/network.ts',
  ]) {
    belongs('const digits = pan.reveal()', home, 'service/src/domain/cards/create.ts')
    belongs('const { reveal } = { reveal: pan.reveal }', home, 'service/src/adapters/sandbox/cards.ts')
  }
  assert.equal(judge('service/src/server/pipeline.test.ts', 'pan?.reveal()').length, 1)
})

test('a statement of SQL outside the store is found', () => {
  const statements = [
    "db.prepare('select id from card where id = $1')",
    'db.exec(`insert into card (id) values (${id})`)',
    "sql('update card set verify = true')",
    "const text = 'delete from card'",
    "db.exec('begin')",
    "db.exec('PRAGMA journal_mode = WAL')",
    'db.query(`with gone as (delete from card returning id) select 1`)',
  ]
  for (const text of statements) belongs(text, 'service/src/store/sqlite/cards.ts', 'service/src/domain/cards/card.ts')
  assert.equal(judge('service/src/domain/cards/card.sql', '').length, 1)
})

test('English that begins like SQL is English', () => {
  for (const text of ['Select a card from the list.', 'update the settings', 'Begin here.', 'Create table mats', 'commit to it']) {
    assert.deepEqual(judge('service/src/domain/cards/card.ts', `say('${text}')`), [], text)
  }
})

test('sockets and HTTP outside their folders are found', () => {
  belongs("import { createServer } from 'node:http'", 'service/src/server/http/http-server.ts', 'service/src/server/pipeline.ts')
  belongs(
    "import { createServer, type Server } from 'node:http'",
    'service/src/server/http/admin-server.ts',
    'service/src/ops/metrics/metrics.ts',
  )
  belongs("import { connect } from 'node:net'", 'service/src/ops/cli/control-socket.ts', 'service/src/ops/cli/start.ts')
  belongs("await import('node:tls')", 'service/src/adapters/sms/smpp.ts', 'service/src/domain/cards/create.ts')
  belongs('await fetch(url)', 'service/src/adapters/network/humo.ts', 'service/src/operations/cards.create.ts')
})

test('types of sockets and tests of an address are accepted', () => {
  for (const text of ["import type { IncomingMessage } from 'node:http'", "import { isIPv4, type Socket } from 'node:net'"]) {
    assert.deepEqual(judge('service/src/server/address.ts', text), [], text)
  }
  assert.equal(judge('service/src/server/address.ts', "import { isIPv4, connect } from 'node:net'").length, 1)
})

test('the environment is read in config.ts only', () => {
  belongs('const port = process.env.PORT', 'service/src/ops/config/config.ts', 'service/src/main.ts')
  belongs("import { env } from 'node:process'", 'service/src/ops/config/config.ts', 'service/src/main.ts')
  assert.deepEqual(judge('service/src/main.test.ts', 'process.env.PORT'), [])
})

test('time and randomness used directly are found', () => {
  for (const text of ['Date.now()', 'new Date()']) {
    belongs(text, 'service/src/system-clock.ts', 'service/src/domain/cards/card.ts')
    assert.equal(judge('vault/src/seal.ts', text).length, 1, text)
  }
  for (const text of ['performance.now()', 'setTimeout(go, 5)', "import { setTimeout as pause } from 'node:timers/promises'"]) {
    belongs(text, 'service/src/store/postgres/session.ts', 'service/src/domain/verification/send-code.ts')
  }
  for (const text of ['Math.random()', "import { randomBytes } from 'node:crypto'", 'globalThis.crypto.getRandomValues(bytes)']) {
    belongs(text, 'vault/src/random.ts', 'service/src/domain/cards/card.ts')
  }
  assert.deepEqual(judge('service/src/domain/cards/card.ts', 'new Date(createdAt)'), [])
})

test('each driver is used in one folder', () => {
  belongs("import pg from 'pg'", 'service/src/store/postgres/pool.ts', 'service/src/ops/cli/doctor.ts')
  belongs("import { DatabaseSync } from 'node:sqlite'", 'service/src/store/sqlite/open.ts', 'service/src/ops/cli/doctor.ts')
})
