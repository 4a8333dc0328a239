import assert from 'node:assert/strict'
import { test } from 'node:test'
import { treeOf } from '../tree.ts'
import { checkImportDirections } from './import-directions.ts'

/** The findings for a file with this text. */
function judge(path: string, line: string): string[] {
  return checkImportDirections(treeOf({ [path]: line })).map((finding) => finding.text)
}

// prettier-ignore
const forbidden: [path: string, line: string][] = [
  ['contract/src/card.ts',                       "import { seal } from '@tessera/vault/seal'"],
  ['contract/src/card.ts',                       "import { hash } from 'node:crypto'"],
  ['contract/src/card.ts',                       "import { z } from 'zod'"],
  ['vault/src/seal.ts',                          "import { readFileSync } from 'node:fs'"],
  ['vault/src/seal.ts',                          "import pg from 'pg'"],
  ['vault/src/seal.ts',                          "import type { Store } from '../../service/src/store/store.ts'"],
  ['vault/src/seal.test.ts',                     "import { openSqlite } from '../../service/src/store/sqlite/open.ts'"],
  ['service/src/server/pipeline.ts',             "import { Keyring } from '@tessera/vault/keyring'"],
  ['service/src/server/pipeline.ts',             "import { insertCard } from '../store/cards.ts'"],
  ['service/src/server/pipeline.ts',             "import { createServices } from '../app/services.ts'"],
  ['service/src/server/pipeline.ts',             "import type { ComposedServices } from '../app/services.ts'"],
  ['service/src/operations/operation.ts',        "import type { ComposedServices } from '../app/services.ts'"],
  ['service/src/adapters/sandbox/legal.ts',      "import { escapeText } from '../../server/pages/plain-pages.ts'"],
  ['service/src/adapters/sandbox/controls.ts',   "import { removeCard } from '../../domain/cards/remove.ts'"],
  ['service/src/store/sqlite/batch.ts',          "import { linkEntry } from '../../ops/audit/chain.ts'"],
  ['service/src/operations/cards.create.ts',     "import { seal } from '@tessera/vault/seal'"],
  ['service/src/operations/cards.create.ts',     "import { insertCard } from '../store/cards.ts'"],
  ['service/src/operations/cards.create.ts',     "import { handleCall } from '../server/pipeline.ts'"],
  ['service/src/domain/cards/remove.ts',         "import type { RawCall } from '../../server/pipeline.ts'"],
  ['service/src/domain/cards/remove.ts',         "import { cardsRemove } from '../../operations/cards.remove.ts'"],
  ['service/src/domain/cards/remove.ts',         "import { makeCard } from './card.fixture.ts'"],
  ['service/src/domain/cards/remove.ts',         "import { sendSms } from '../../adapters/sms/smpp.ts'"],
  ['service/src/domain/cards/remove.ts',         "import { readConfig } from '../../ops/config/config.ts'"],
  ['service/src/store/sqlite/open.ts',           "import { removeCard } from '../../domain/cards/remove.ts'"],
  ['service/src/store/sqlite/open.ts',           "new Worker(new URL('../../domain/cards/worker.ts', import.meta.url))"],
  ['service/src/store/sqlite/open.ts',           "const late = await import('../../main.ts')"],
  ['service/src/adapters/network/humo.ts',       "import { openPan } from '@tessera/vault/seal'"],
  ['service/src/adapters/network/humo.ts',       "import { smpp } from '../sms/smpp.ts'"],
  ['service/src/adapters/network/humo.ts',       "import { removeCard } from '../../domain/cards/remove.ts'"],
  ['service/src/ops/logging/log.ts',             "import { removeCard } from '../../domain/cards/remove.ts'"],
  ['service/src/clock.ts',                       "import { serve } from './server/http/http-server.ts'"],
  ['client/src/client.ts',                       "import { Pan } from '../../vault/src/seal.ts'"],
  ['conformance/run.ts',                         "import { errors } from '@tessera/contract/errors'"],
  ['conformance/run.test.ts',                    "import { errors } from '@tessera/contract/errors'"],
  ['conformance/run.ts',                         "import { Type } from 'typebox'"],
  ['bench/create.ts',                            "import { start } from '../service/src/main.ts'"],
  ['examples/shop/shop.ts',                      "import { errors } from '@tessera/contract/errors'"],
  ['elsewhere/new.ts',                           ''],
]

// prettier-ignore
const allowed: [path: string, line: string][] = [
  ['contract/src/operations.ts',                 "import Type from 'typebox'"],
  ['vault/src/seal.ts',                          "import { Pan } from '@tessera/contract/card'\nimport { createHmac } from 'node:crypto'"],
  ['service/src/main.ts',                        "import { run } from './ops/cli/run.ts'"],
  ['service/src/app.ts',                         "import { openSqlite } from './store/sqlite/open.ts'"],
  ['service/src/server/pipeline.ts',             "import { findOperation } from '../operations/operation.ts'\nimport { plainPage } from '../plain-page.ts'"],
  ['service/src/operations/cards.create.ts',     "import { issueToken } from '@tessera/vault/token'\nimport { createCard } from '../domain/cards/create.ts'"],
  ['service/src/domain/cards/remove.ts',         "import { updateCard } from '../../store/cards.ts'\nimport { open } from '@tessera/vault/seal'"],
  ['service/src/domain/cards/create.ts',         "import type { Network } from '../../adapters/network/network.ts'"],
  ['service/src/store/sqlite/open.ts',           "import type { Dek } from '@tessera/vault/dek'\nimport { StoreFull } from '../store.ts'"],
  ['service/src/operations/cards.create.test.ts', "import { createApp } from '../app.ts'\nimport fc from 'fast-check'"],
  ['service/src/store/postgres/store.test.ts',   "import { startCluster } from '../../../../tools/postgres.ts'"],
  ['fault/kill.ts',                              "import { startCluster } from '../tools/postgres.ts'"],
  ['bench/create.ts',                            "import { startService } from '../fault/spawn.ts'"],
  ['fault/fill-cards.ts',                        "import { createApp } from '../service/src/app.ts'"],
  ['fault/doubles/store.ts',                     "import * as real from '../../service/src/domain/cards/cards.ts'"],
  ['conformance/run.ts',                         "import { readFileSync } from 'node:fs'\nimport { read } from './vector.ts'"],
]

test('an import in a forbidden direction is found, in every spelling', () => {
  for (const [path, line] of forbidden) assert.equal(judge(path, line).length, 1, `${path}: ${line}`)
})

test('an import in an allowed direction is accepted', () => {
  for (const [path, line] of allowed) assert.deepEqual(judge(path, line), [], `${path}: ${line}`)
})

test('the finding says when only types may be imported', () => {
  assert.deepEqual(judge('service/src/server/pipeline.ts', "import { readConfig } from '../ops/config/config.ts'"), [
    'imports ../ops/config/config.ts: service/src/server/ may import only types of it',
  ])
})
