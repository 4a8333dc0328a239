import assert from 'node:assert/strict'
import { test } from 'node:test'
import { treeOf } from '../tree.ts'
import { checkImportLaw } from './import-law.ts'

/** Whether a file with this one line of code keeps the law. */
function judge(path: string, line: string): string[] {
  return checkImportLaw(treeOf({ [path]: line })).map((finding) => finding.text)
}

const forbidden: [path: string, line: string][] = [
  ['contract/src/card.ts', "import { seal } from '@tessera/vault/seal'"],
  ['contract/src/card.ts', "import { hash } from 'node:crypto'"],
  ['contract/src/card.ts', "import { z } from 'zod'"],
  ['vault/src/seal.ts', "import { readFileSync } from 'node:fs'"],
  ['vault/src/seal.ts', "import pg from 'pg'"],
  ['vault/src/seal.ts', "import type { Store } from '../../service/src/store/store.ts'"],
  ['service/src/rpc/answer.ts', "import { cardsCreate } from '../methods/cards.create.ts'"],
  ['service/src/rpc/answer.ts', "import { rowOf } from '../methods/method.ts'"],
  ['service/src/rpc/auth.ts', "import { Keyring } from '@tessera/vault/keyring'"],
  ['service/src/methods/cards.create.ts', "import { seal } from '@tessera/vault/seal'"],
  ['service/src/methods/cards.create.ts', "import type { Store } from '../store/store.ts'"],
  ['service/src/cards/card.ts', "import { openSqlite } from '../store/sqlite/open.ts'"],
  ['service/src/cards/card.ts', "import { readConfig } from '../config.ts'"],
  ['service/src/store/sqlite/open.ts', "import { Card } from '../../cards/card.ts'"],
  ['service/src/network/humo.ts', "import { openPan } from '@tessera/vault/seal'"],
  ['service/src/network/humo.ts', "import { smpp } from '../sms/smpp.ts'"],
  ['service/src/observe/log.ts', "import { Card } from '../cards/card.ts'"],
  ['service/src/clock.ts', "import { serve } from './rpc/http.ts'"],
  ['service/src/cards/card.ts', "import { makeCard } from './card.fixture.ts'"],
  ['service/src/store/sqlite/open.ts', "new Worker(new URL('../../cards/worker.ts', import.meta.url))"],
  ['service/src/store/sqlite/open.ts', "const late = await import('../../main.ts')"],
  ['client/src/client.ts', "import { Pan } from '../../vault/src/seal.ts'"],
  ['conformance/run.ts', "import { errors } from '@tessera/contract/errors'"],
  ['conformance/run.test.ts', "import { errors } from '@tessera/contract/errors'"],
  ['conformance/run.ts', "import { Type } from 'typebox'"],
  ['bench/create.ts', "import { start } from '../service/src/main.ts'"],
  ['examples/shop/shop.ts', "import { errors } from '@tessera/contract/errors'"],
  ['vault/src/seal.test.ts', "import { openSqlite } from '../../service/src/store/sqlite/open.ts'"],
  ['elsewhere/new.ts', ''],
]

const allowed: [path: string, line: string][] = [
  ['contract/src/methods.ts', "import Type from 'typebox'"],
  ['vault/src/seal.ts', "import { Pan } from '@tessera/contract/card'\nimport { createHmac } from 'node:crypto'"],
  ['service/src/rpc/answer.ts', "import type { Grid } from '../methods/method.ts'"],
  ['service/src/methods/cards.create.ts', "import { issueToken } from '@tessera/vault/token'\nimport { create } from '../cards/create.ts'"],
  ['service/src/cards/card.ts', "import type { Store } from '../store/store.ts'\nimport { open } from '@tessera/vault/seal'"],
  ['service/src/store/sqlite/open.ts', "import type { Dek } from '@tessera/vault/dek'\nimport { StoreFull } from '../store.ts'"],
  ['service/src/main.ts', "import { openSqlite } from './store/sqlite/open.ts'"],
  ['service/src/methods/cards.create.test.ts', "import { compose } from '../main.ts'\nimport fc from 'fast-check'"],
  ['service/src/store/postgres/store.test.ts', "import { startCluster } from '../../../../tools/postgres.ts'"],
  ['fault/kill.ts', "import { startCluster } from '../tools/postgres.ts'"],
  ['bench/create.ts', "import { startTessera } from '../fault/spawn.ts'"],
  ['fault/doubles/store.ts', "import * as real from '../../service/src/cards/cards.ts'"],
  ['conformance/run.ts', "import { readFileSync } from 'node:fs'\nimport { read } from './vector.ts'"],
]

test('an import against the law is found, whatever its spelling', () => {
  for (const [path, line] of forbidden) assert.equal(judge(path, line).length, 1, `${path}: ${line}`)
})

test('an import that the law allows is left in peace', () => {
  for (const [path, line] of allowed) assert.deepEqual(judge(path, line), [], `${path}: ${line}`)
})

test('a value imported where only types may be is told so', () => {
  assert.deepEqual(judge('service/src/rpc/answer.ts', "import { rowOf } from '../methods/method.ts'"), [
    'imports ../methods/method.ts: service/src/rpc/ may import only types of it',
  ])
})
