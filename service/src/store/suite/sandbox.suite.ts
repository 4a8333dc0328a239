import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeSms, merchantId } from './samples.fixture.ts'
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
