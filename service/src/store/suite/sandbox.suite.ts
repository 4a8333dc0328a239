import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeCard, makeAuditEntry, makeSms, sampleMerchantId, shreddedVersion } from './samples.fixture.ts'
import type { WithStore } from './opened.fixture.ts'
import { listAuditOfSubject } from '../audit.ts'
import { findCard, insertCard, updateCard } from '../cards.ts'
import {
  deleteScenarioSteps,
  findScenarioStep,
  insertInboxSms,
  listInbox,
  listScenarioSteps,
  listStepsOfScenario,
  setScenarioStep,
} from '../sandbox.ts'
import { deleteTestData } from '../test-data.ts'

export function sandboxSuite(withStore: WithStore): void {
  test(
    'a scenario is at the step that was set last, for its merchant alone',
    withStore(async ({ store }) => {
      await store.write(setScenarioStep, { merchantId: sampleMerchantId, scenario: 'blocked', step: 'verify' })
      await store.write(setScenarioStep, { merchantId: sampleMerchantId, scenario: 'blocked', step: 'create' })
      await store.write(setScenarioStep, { merchantId: sampleMerchantId, scenario: 'absent', step: 'get_verify_code' })
      assert.equal(await store.read(findScenarioStep(sampleMerchantId, 'blocked')), 'create')
      assert.equal(await store.read(findScenarioStep('b'.repeat(24), 'blocked')), null)
      assert.deepEqual(await store.read(listScenarioSteps(sampleMerchantId)), [
        { scenario: 'absent', step: 'get_verify_code' },
        { scenario: 'blocked', step: 'create' },
      ])
    }),
  )

  test(
    'the steps of one merchant are reset together, with an audit entry, and the merchants of a scenario are listed',
    withStore(async ({ store }) => {
      const other = 'b'.repeat(24)
      const audit = makeAuditEntry(makeCard(1))
      await store.write(setScenarioStep, { merchantId: sampleMerchantId, scenario: 'limits', step: '5', audit })
      await store.write(setScenarioStep, { merchantId: other, scenario: 'limits', step: 'off' })
      await store.write(setScenarioStep, { merchantId: other, scenario: 'blocked', step: 'create' })
      const both = [
        { merchantId: sampleMerchantId, step: '5' },
        { merchantId: other, step: 'off' },
      ]
      assert.deepEqual(
        await store.read(listStepsOfScenario('limits', 9)),
        both.toSorted((a, b) => (a.merchantId < b.merchantId ? -1 : 1)),
      )
      await store.write(deleteScenarioSteps, { merchantId: sampleMerchantId, audit })
      assert.deepEqual(await store.read(listScenarioSteps(sampleMerchantId)), [])
      assert.equal((await store.read(listScenarioSteps(other))).length, 2)
      assert.equal((await store.read(listAuditOfSubject(audit.merchantId, audit.subject, 9))).length, 2)
    }),
  )

  test(
    'test data is deleted page by page, but no card that still holds a sealed PAN, and nothing of another merchant',
    withStore(async ({ store, raw }) => {
      const [held, shredded] = [makeCard(1), makeCard(2)]
      for (const card of [held, shredded]) await store.write(insertCard, { card, audit: makeAuditEntry(card) })
      const left = shreddedVersion(shredded)
      await store.write(updateCard, { card: left, audit: makeAuditEntry(left) })
      const { bucket } = held
      await Promise.all(Array.from({ length: 250 }, (_, n) => store.write(insertInboxSms, makeSms(n))))
      await store.write(insertInboxSms, makeSms(1, { id: 'f'.repeat(24), merchantId: 'b'.repeat(24) }))
      assert.equal(await store.write(deleteTestData, { bucket, merchantId: 'c'.repeat(24) }), 0)
      assert.equal(await store.write(deleteTestData, { bucket, merchantId: sampleMerchantId }), 201)
      assert.equal(await store.write(deleteTestData, { bucket, merchantId: sampleMerchantId }), 50)
      assert.equal(await store.write(deleteTestData, { bucket, merchantId: sampleMerchantId }), 0)
      assert.equal((await raw('select id from sms_inbox')).length, 1)
      assert.notEqual(await store.read(findCard(held)), null)
      assert.equal(await store.read(findCard(shredded)), null)
    }),
  )

  test(
    'the inbox lists the newest first and keeps a thousand SMS of each merchant',
    withStore(async ({ store, raw }) => {
      const other = makeSms(1, { id: 'f'.repeat(24), merchantId: 'b'.repeat(24), at: 0 })
      await store.write(insertInboxSms, other)
      await Promise.all(Array.from({ length: 1010 }, (_, n) => store.write(insertInboxSms, makeSms(n))))
      await store.write(insertInboxSms, makeSms(0x7e0))
      assert.deepEqual(await store.read(listInbox(2)), [makeSms(0x7e0), makeSms(1009)])
      assert.equal((await raw('select id from sms_inbox')).length, 1001)
      assert.deepEqual((await store.read(listInbox(2000))).at(-1), other)
    }),
  )
}
