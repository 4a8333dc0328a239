import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeCard, makeNote, makeSms, merchantId, shreddedOf } from './samples.fixture.ts'
import type { WithStore } from './opened.fixture.ts'

export function sandboxSuite(withStore: WithStore): void {
  test(
    'a scenario stands at the step that was set last, for its merchant alone',
    withStore(async ({ store }) => {
      await store.setScenarioStep(merchantId, 'blocked', 'verify')
      await store.setScenarioStep(merchantId, 'blocked', 'create')
      await store.setScenarioStep(merchantId, 'absent', 'get_verify_code')
      assert.equal(await store.findScenarioStep(merchantId, 'blocked'), 'create')
      assert.equal(await store.findScenarioStep('b'.repeat(24), 'blocked'), null)
      assert.deepEqual(await store.listScenarioSteps(merchantId), [
        { scenario: 'absent', step: 'get_verify_code' },
        { scenario: 'blocked', step: 'create' },
      ])
    }),
  )

  test(
    'steps of one merchant are taken back together, with their entry in the audit, and a scenario tells who has it set',
    withStore(async ({ store }) => {
      const other = 'b'.repeat(24)
      const audit = makeNote(makeCard(1))
      await store.setScenarioStep(merchantId, 'limits', '5', audit)
      await store.setScenarioStep(other, 'limits', 'off')
      await store.setScenarioStep(other, 'blocked', 'create')
      const both = [
        { merchantId, step: '5' },
        { merchantId: other, step: 'off' },
      ]
      assert.deepEqual(
        await store.listStepsOf('limits', 9),
        both.toSorted((a, b) => (a.merchantId < b.merchantId ? -1 : 1)),
      )
      await store.dropScenarioSteps(merchantId, audit)
      assert.deepEqual(await store.listScenarioSteps(merchantId), [])
      assert.equal((await store.listScenarioSteps(other)).length, 2)
      assert.equal((await store.listAuditOf(audit.merchantId, audit.subject, 9)).length, 2)
    }),
  )

  test(
    'what was rehearsed goes page by page, but no card that still holds its number, and nothing of another merchant',
    withStore(async ({ store, raw }) => {
      const [held, shredded] = [makeCard(1), makeCard(2)]
      for (const card of [held, shredded]) await store.insertCard(card, makeNote(card))
      const left = shreddedOf(shredded)
      await store.changeCard(left, makeNote(left))
      const { bucket } = held
      await Promise.all(Array.from({ length: 250 }, (_, n) => store.appendInbox(makeSms(n))))
      await store.appendInbox(makeSms(1, { id: 'f'.repeat(24), merchantId: 'b'.repeat(24) }))
      assert.equal(await store.dropRehearsed({ bucket, merchantId: 'c'.repeat(24) }), 0)
      assert.equal(await store.dropRehearsed({ bucket, merchantId }), 201)
      assert.equal(await store.dropRehearsed({ bucket, merchantId }), 50)
      assert.equal(await store.dropRehearsed({ bucket, merchantId }), 0)
      assert.equal((await raw('select id from sms_inbox')).length, 1)
      assert.notEqual(await store.findCard(held), null)
      assert.equal(await store.findCard(shredded), null)
    }),
  )

  test(
    'the inbox shows the newest first and keeps a thousand of each merchant',
    withStore(async ({ store, raw }) => {
      const other = makeSms(1, { id: 'f'.repeat(24), merchantId: 'b'.repeat(24), at: 0 })
      await store.appendInbox(other)
      await Promise.all(Array.from({ length: 1010 }, (_, n) => store.appendInbox(makeSms(n))))
      await store.appendInbox(makeSms(2000))
      assert.deepEqual(await store.listInbox(2), [makeSms(2000), makeSms(1009)])
      assert.equal((await raw('select id from sms_inbox')).length, 1001)
      assert.deepEqual((await store.listInbox(2000)).at(-1), other)
    }),
  )
}
