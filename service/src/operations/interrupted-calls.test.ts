// Every operation that changes something, called without an Idempotency-Key while the store refuses one of its writes.
import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { after, describe, test } from 'node:test'

import type { ErrorBody } from '@tessera/contract/errors'
import { isOperationName, type DashboardOperationName, type OperationName } from '@tessera/contract/operations'
import type { Kek } from '@tessera/vault/kek'

import type { WithStore } from '../store/suite/opened.fixture.ts'
import { withSqlite } from '../store/sqlite/with-store.fixture.ts'
import { listMerchants } from '../store/merchants.ts'
import { type Store, StoreUnavailable } from '../store/store.ts'
import { makeTestKek } from '../testing/kek.fixture.ts'
import { request } from '../testing/pipeline.fixture.ts'
import { replaceInStore, replaceRead } from '../testing/store.fixture.ts'
import { createTestApp } from '../testing/test-app.fixture.ts'

import { openScene, preparedCalls, shopPassword, type CallScene } from './interrupted-calls.fixture.ts'
import { operationRegistry } from './registry.ts'

/** The writes of one call, and the first of them that is refused. */
interface InterruptedWrites {
  readonly merchantId: string
  readonly at: number
  /** Names of the transactions. */
  readonly writes: string[]
}

const calls = new AsyncLocalStorage<InterruptedWrites>()

/** Refuses the writes of a call from one of them on, as a store that goes away at that moment. */
function refusing(store: Store): Store {
  const write = (transaction: { readonly name: string }, input: unknown): Promise<unknown> => {
    const call = calls.getStore()
    if (call !== undefined && call.writes.push(transaction.name) > call.at) return Promise.reject(new StoreUnavailable('the store is away'))
    return store.write(transaction as never, input as never)
  }
  // The clock of a sandbox is moved by its only merchant.
  const onlyCaller = replaceRead(listMerchants('', 2), async (_values, original) => {
    const of = calls.getStore()?.merchantId
    const merchants = await original()
    return of === undefined ? merchants : merchants.slice(0, 1).map((first) => ({ ...first, id: of }))
  })
  return { ...replaceInStore(store, onlyCaller), write: write as Store['write'] }
}

const mutating = Object.keys(operationRegistry)
  .filter((name): name is OperationName => isOperationName(name))
  .filter((name) => operationRegistry[name].contract.mutates)
  // Writes to another store; store-move.serial.test.ts kills it at each of its steps.
  .filter((name) => name !== 'operator.store.move')

interface Reply {
  readonly result?: unknown
  readonly error?: ErrorBody
}

async function callAs({ app, shop, owner, caller }: CallScene, name: OperationName, params: object): Promise<Reply> {
  const body = { jsonrpc: '2.0', id: 1, method: name, params }
  switch (operationRegistry[name].contract.caller) {
    case 'dashboard':
      return (caller ?? (await owner())).callRaw(name as DashboardOperationName, params)
    case 'operator':
      return JSON.parse((await app.app.handleOperator(request(body, { xAuth: null }))).text) as Reply
    default:
      return JSON.parse((await app.app.handle(request(body, { xAuth: `${shop.merchantId}:${shopPassword}` }))).text) as Reply
  }
}

/** What is wrong with the reply to a call whose write `at` was refused, or would have been. */
function complainAbout({ result, error: ownError }: Reply, { at, writes }: InterruptedWrites): string | null {
  const error = ownError ?? refusedStep(result)
  const [refused, before] = [writes[at], writes.slice(0, at)]
  if (refused === undefined) return error === undefined ? null : `refused without a reason: ${JSON.stringify(error)}`
  if (error === undefined) return uncalled.has(refused) ? null : `${refused} was refused, and it has a result`
  const hasChanged = before.some((name) => !attempts.has(name))
  const expected = hasChanged ? ['outcome_unknown', 'payment_unknown'] : ['store_unavailable']
  return expected.includes(error.reason) ? null : `${refused} was refused after ${before.join() || 'nothing'}: ${JSON.stringify(error)}`
}

/** Of a test payment, whose result has the error of the step that was refused. */
function refusedStep(result: unknown): { readonly reason: string } | undefined {
  const { steps = [] } = (result ?? {}) as { steps?: { refused?: { reason: string } | null }[] }
  return steps.at(-1)?.refused ?? undefined
}

function suite(withStore: WithStore): void {
  test(
    'a call whose write is refused is told that nothing was done only while no earlier write of it was committed',
    withStore(async ({ store }) => {
      assert.ok(mutating.length > 50)
      const nextKek: Kek = { ...makeTestKek(), id: 'next' }
      const adapters = { openNextKek: () => Promise.resolve(nextKek) }
      const app = await createTestApp({ after }, { store: refusing(store), adapters })
      const complaints: string[] = []
      for (const name of mutating) {
        const prepare = preparedCalls[name] ?? assert.fail(`${name} has no prepared call`)
        let call: InterruptedWrites
        let at = 0
        do {
          const scene = await openScene(app)
          const params = await prepare(scene)
          if (operationRegistry[name].contract.caller === 'dashboard') await scene.owner()
          call = { merchantId: scene.shop.merchantId, at, writes: [] }
          const complaint = complainAbout(await calls.run(call, () => callAs(scene, name, params)), call)
          if (complaint !== null) complaints.push(`${name}: ${complaint}`)
        } while (call.writes.length > at++)
        if (at === 1) complaints.push(`${name} writes nothing: its prepared call does not reach what it changes`)
      }
      assert.deepEqual(complaints, [])
      await app.close()
    }),
  )
}

/** Counts of attempts, and of the use of a password or a passkey: no change that the caller asked for. */
const attempts: ReadonlySet<string> = new Set([
  'recordCredentialUse',
  'countSubjectAttempt',
  'claimSignInAttempt',
  'claimCodeAttempt',
  'resetSignInAttempts',
  'deleteSignInAttempts',
  'updatePasskey',
])

/**
 * Written beside the call: the use of a password, the message of the sandbox's gateway, which may be lost as at any other, and what a gateway said of a
 * message, which was sent all the same.
 */
const uncalled: ReadonlySet<string> = new Set(['recordCredentialUse', 'insertInboxSms', 'recordSmsResult'])

describe('with the embedded store', () => suite(withSqlite))
