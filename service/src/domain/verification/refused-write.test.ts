import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { makeCallWrites } from '../../app/call-writes.ts'
import { withSqlite } from '../../store/sqlite/with-store.fixture.ts'
import { StoreOutcomeUnknown, StoreUnavailable } from '../../store/store.ts'
import { checkCode, completeVerification, recordNetworkReply, type CheckCode } from '../../store/verifications.ts'
import { replaceInStore, replaceWrite } from '../../testing/store.fixture.ts'
import { createTestApp } from '../../testing/test-app.fixture.ts'

const sentByNetwork = '8600069195406311'

test(
  'when the store refuses a write after a code was counted and the network has decided, the call is not told that nothing was done',
  withSqlite(async ({ store }) => {
    const counted: CheckCode[] = []
    const refusedOf: string[] = []
    const refuse = (requestId: string): Promise<never> => {
      refusedOf.push(requestId)
      return Promise.reject(new StoreUnavailable('away'))
    }
    const refusing = replaceInStore(
      store,
      replaceWrite(checkCode, async (input, original) => {
        const result = await original()
        counted.push(input)
        return result
      }),
      replaceWrite(completeVerification, ({ audit }) => refuse(audit.requestId)),
      replaceWrite(recordNetworkReply, ({ audit }) => refuse(audit.requestId)),
    )
    const app = await createTestApp({ after }, { store: refusing })
    const merchant = app.merchant()
    for (const code of ['666666', '000000']) {
      counted.length = 0
      const token = await merchant.createToken(sentByNetwork, { save: true })
      await merchant.callRaw('cards.get_verify_code', { token })
      await assert.rejects(merchant.call('cards.verify', { token, code }), StoreUnavailable, code)
      const calls = makeCallWrites()
      const replayed = calls.run(
        refusedOf.at(-1) ?? '',
        async () => {
          calls.writeCommitted(counted.at(-1))
          throw new StoreUnavailable('away')
        },
        { owner: 'a merchant', place: null },
      )
      await assert.rejects(replayed, StoreOutcomeUnknown, code)
    }
    await app.close()
  }),
)
