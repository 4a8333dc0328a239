import {
  operatorConsentsGetContract,
  operatorConsentsListContract,
  operatorKeysDestroyContract,
  operatorKeysListContract,
  operatorKeysResealContract,
  operatorKeysRewrapContract,
  operatorKeysRotateContract,
  operatorKeysSignRowsContract,
  operatorKeysVerifyContract,
  operatorStatusGetContract,
} from '@tessera/contract/operations/operator-service'

import { describeKekAway } from '../domain/keys/key-administration.ts'

import { operation } from './operation.ts'
import { isoTime, refusal, requireMerchant, runWalk } from './operator.ts'

/** Returns the readiness of the service, with its version and dependencies. */
export const operatorStatusGet = operation(operatorStatusGetContract, {
  run: (_params, _ctx, { readReadiness }) => readReadiness(),
})

/** Lists the KEKs, and the data keys, oldest first, with the number of cards sealed under each. */
export const operatorKeysList = operation(operatorKeysListContract, {
  async run(_params, _ctx, { keys: administration, custody, machineClock, kekAgeMaxMs }) {
    const now = machineClock.now()
    const sets = new Map((await custody.list()).map(({ kekId, threshold, shares }) => [kekId, `${String(threshold)} of ${String(shares)}`]))
    const keks = (await administration.listKeks()).map(({ since, ...kek }) => ({
      ...kek,
      shares: sets.get(kek.kekId) ?? null,
      since: isoTimeOrNull(since),
      ageDays: since === null ? null : ageDays(since, now),
      dueAt: isoTimeOrNull(since === null || !kek.isWrapping ? null : since + kekAgeMaxMs),
    }))
    const keys = (await administration.list()).map((key) => ({
      ...key,
      createdAt: isoTime(key.createdAt),
      ageDays: ageDays(key.createdAt, now),
      dueAt: isoTimeOrNull(key.dueAt),
    }))
    return { kek: keks[0]?.kekId ?? '', keks, oldestInUse: keys.find(({ cards }) => (cards ?? 0) > 0) ?? null, keys }
  },
})

function ageDays(since: number, now: number): number {
  return Math.max(0, Math.floor((now - since) / 86_400_000))
}

function isoTimeOrNull(at: number | null): string | null {
  return at === null ? null : isoTime(at)
}

/** Wraps the data keys by another KEK, and shows how far it is. The request is audited before, and its outcome after. */
export const operatorKeysRewrap = operation(operatorKeysRewrapContract, {
  async run(_params, ctx, { keys }) {
    const result = await runWalk(ctx, (options) => explainKek(keys.rewrap(ctx, options)))
    if (result === 'no_next') throw refusal('rewrap_no_next')
    if (result === 'running') throw refusal('rewrap_running')
    if ('notAgreed' in result) throw refusal('rewrap_not_agreed', result.notAgreed)
    if ('processes' in result) throw refusal('rewrap_not_everywhere', String(result.processes.length))
    return result
  },
})

/** Verifies the key store as it is stored. Audited. */
export const operatorKeysVerify = operation(operatorKeysVerifyContract, {
  async run(_params, ctx, { keys }) {
    const { findings, ...counts } = await explainKek(keys.verify(ctx))
    return { ...counts, findings: [...findings] }
  },
})

/** Creates a new data key. The request is audited before, and its outcome after. */
export const operatorKeysRotate = operation(operatorKeysRotateContract, {
  async run({ purpose, owner }, ctx, { keys }) {
    if (purpose === 'card' && !/^[0-9a-f]{24}$/.test(owner)) throw refusal('key_owner_required')
    if (purpose !== 'card' && owner !== '') throw refusal('key_owner_unexpected')
    return explainKek(keys.rotate(purpose, owner, ctx))
  },
})

/** To callers of the API the KEK is a part of the store; an operator has to know which of them is away. */
async function explainKek<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (err) {
    const message = describeKekAway(err)
    if (message !== null) throw refusal('kek_unavailable', message)
    throw err
  }
}

/** Destroys a data key. The request is audited before, so that no key is destroyed without an entry. */
export const operatorKeysDestroy = operation(operatorKeysDestroyContract, {
  async run({ keyId }, ctx, { keys }) {
    const problem = await keys.destroy(keyId, ctx)
    if (problem !== null) throw refusal('key_not_destroyed', problem)
    return { keyId, state: 'destroyed' }
  },
})

/** Reseals every card of a retired key, and shows how far it is. The request is audited before, and its outcome after. */
export const operatorKeysReseal = operation(operatorKeysResealContract, {
  async run({ keyId, sharePercent }, ctx, { keys }) {
    const result = await runWalk(ctx, (options) => keys.reseal(keyId, sharePercent / 100, ctx, options))
    if (typeof result === 'string') throw refusal(resealRefusals[result], keyId)
    return { keyId, ...result }
  },
})

const resealRefusals = { unknown: 'card_key_unknown', active: 'card_key_active', running: 'reseal_running' } as const

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
