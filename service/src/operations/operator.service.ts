import {
  operatorConsentsGetContract,
  operatorConsentsListContract,
  operatorKeysDestroyContract,
  operatorKeysListContract,
  operatorKeysRotateContract,
  operatorKeysSignRowsContract,
  operatorStatusGetContract,
} from '@tessera/contract/operations/operator-service'

import { operation } from './operation.ts'
import { isoTime, refusal, requireMerchant } from './operator.ts'

/** Returns the readiness of the service, with its version and dependencies. */
export const operatorStatusGet = operation(operatorStatusGetContract, {
  run: (_params, _ctx, { readReadiness }) => readReadiness(),
})

/** Lists the data keys, oldest first, with the number of cards sealed under each. */
export const operatorKeysList = operation(operatorKeysListContract, {
  async run(_params, _ctx, { keys: administration }) {
    const keys = (await administration.list()).map((key) => ({ ...key, createdAt: isoTime(key.createdAt) }))
    return { kek: administration.kekId, oldestInUse: keys.find(({ cards }) => (cards ?? 0) > 0) ?? null, keys }
  },
})

/** Creates a new data key. The request is audited before, and its outcome after. */
export const operatorKeysRotate = operation(operatorKeysRotateContract, {
  async run({ purpose, owner }, ctx, { keys }) {
    if (purpose === 'card' && !/^[0-9a-f]{24}$/.test(owner)) throw refusal('key_owner_required')
    if (purpose !== 'card' && owner !== '') throw refusal('key_owner_unexpected')
    return keys.rotate(purpose, owner, ctx)
  },
})

/** Destroys a data key. The request is audited before, so that no key is destroyed without an entry. */
export const operatorKeysDestroy = operation(operatorKeysDestroyContract, {
  async run({ keyId }, ctx, { keys }) {
    const problem = await keys.destroy(keyId, ctx)
    if (problem !== null) throw refusal('key_not_destroyed', problem)
    return { keyId, state: 'destroyed' }
  },
})

/** Counts the rows without a MAC, and signs them when the operator vouches for them. */
export const operatorKeysSignRows = operation(operatorKeysSignRowsContract, {
  async run({ confirmed }, ctx, { keys }) {
    const unsigned = await keys.countUnsigned()
    const signed = confirmed ? await keys.signRestored(ctx) : null
    if (confirmed && signed === null) throw refusal('rows_being_signed')
    return { unsigned, signed }
  },
})

/** Returns the consent of the cardholder of one card. */
export const operatorConsentsGet = operation(operatorConsentsGetContract, {
  async run({ cardId }, _ctx, { consents }) {
    const found = await consents.show(cardId)
    if (found === null) throw refusal('card_unknown', cardId)
    if (found === 'none') throw refusal('consent_none', cardId)
    return found
  },
})

/** Returns a page of the consents of a merchant. */
export const operatorConsentsList = operation(operatorConsentsListContract, {
  async run({ merchantId, from, to, after }, _ctx, app) {
    await requireMerchant(merchantId, app)
    const page = await app.consents.page({ merchantId, from, to, after })
    return { consents: [...page.consents], next: page.next }
  },
})
