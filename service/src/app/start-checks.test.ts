import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

import { KekMissingError } from '@tessera/vault/kek'
import { openKeyring } from '@tessera/vault/keyring'

import { KeyStoreMismatch } from '../domain/keys/key-store-mismatch.ts'
import { makeKnownAnswers } from '../domain/keys/known-answers.ts'
import { makeKeyStore } from '../domain/keys/sign-rows-pages.suite.ts'
import { silentLog } from '../ops/logging/log.ts'
import { withSqlite } from '../store/sqlite/with-store.fixture.ts'
import { makeSystemClock } from '../system-clock.ts'
import { defaultConfig } from '../testing/default-config.fixture.ts'
import { makeTestKek } from '../testing/kek.fixture.ts'

import { startChecks } from './start-checks.ts'
import { makeStartSubject, type StartSubject } from './start-subject.ts'

test(
  'a key that another process created after the keys were listed is no mismatch, and a key that is nowhere is one',
  withSqlite(async ({ store }) => {
    const [environment, now] = ['test', () => Date.UTC(2026, 10, 21)]
    const [kek, keys] = [makeTestKek(), makeKeyStore()]
    /** With the keys that are listed now, as a start opens them. */
    const open = async () => {
      const listed = [...(await keys.list())]
      return openKeyring({ kek, keys: { ...keys, list: async () => listed }, environment, now })
    }
    const listedBefore = await open()
    const writer = await openKeyring({ kek, keys, environment, now })
    await writer.active('row_mac')
    await makeKnownAnswers({ store, keyring: writer, environment }).update()
    let listings = 0
    const database: Awaited<ReturnType<StartSubject['database']>> = {
      kind: 'sqlite',
      file: null,
      hasSchema: true,
      appliedMigrations: 1,
      laterMigrations: 0,
      pending: () => [],
      durability: 'local',
      primaryRefusal: null,
      missingRights: [],
      read: (query) => store.read(query),
      close: async () => undefined,
    }
    const subjectWith = (newestKeyring: StartSubject['newestKeyring']): StartSubject => ({
      config: defaultConfig,
      claim: async () => '',
      isServing: () => false,
      acceptsOlder: false,
      log: { info: () => undefined },
      now,
      marker: () => null,
      database: async () => database,
      keyStore: async () => database,
      storedKeys: async () => [],
      kek: async () => kek,
      nextKek: async () => null,
      keyring: async () => listedBefore,
      newestKeyring: () => {
        listings += 1
        return newestKeyring()
      },
      release: async () => undefined,
      close: async () => undefined,
    })
    const check = startChecks.find(({ name }) => name === 'stored rows') ?? assert.fail()
    assert.equal(await check.run(subjectWith(open)), 'of these keys: 1 known answers, 0 sampled rows')
    await assert.rejects(async () => check.run(subjectWith(async () => listedBefore)), KeyStoreMismatch)
    assert.equal(listings, 2, 'listed anew once each')
  }),
)

test('a KEK that is missing before the first start is created in the test environment, and asked for in production', async (t) => {
  const dataFolder = mkdtempSync(join(tmpdir(), 'tessera-'))
  t.after(() => rmSync(dataFolder, { recursive: true, force: true }))
  const missing = () => Promise.reject(new KekMissingError('the token cards has no AES key: "tessera keys init" generates it'))
  const check = startChecks.find(({ name }) => name === 'KEK') ?? assert.fail()
  const runIn = async (environment: 'test' | 'production') => {
    const subject = makeStartSubject(
      { ...defaultConfig, environment, dataFolder },
      {
        adapters: { openKek: missing, openNextKek: async () => null },
        clock: makeSystemClock(),
        log: silentLog,
        claim: async () => '',
        isServing: () => false,
        retry: (step) => step(),
      },
    )
    try {
      return await check.run(subject)
    } finally {
      await subject.close()
    }
  }
  assert.equal(await runIn('test'), 'none, created by the first start')
  await assert.rejects(runIn('production'), /tessera keys init/)
})

test('a database of a test environment is refused in production when it responds at last', async () => {
  const check = startChecks.find(({ name }) => name === 'test data') ?? assert.fail()
  const runIn = async (environment: 'test' | 'production', hasSchema: boolean) => {
    const database = { hasSchema, read: async () => [{}] }
    return check.run({ config: { ...defaultConfig, environment }, database: async () => database } as unknown as StartSubject)
  }
  assert.equal(await runIn('test', true), 'not looked for, in the test environment')
  assert.equal(await runIn('production', false), 'none')
  await assert.rejects(
    runIn('production', true),
    /a production start is refused:\nforbidden: the demo merchant[^]*scenario steps[^]*SMS inbox/,
  )
})
