import { RowTampered } from '../cards/find.ts'
import type { Merchant } from '../merchants/book.ts'
import type { FoundMerchant, ListedMerchant, MerchantDeeds } from '../merchants/deeds.ts'
import { readWish } from '../merchants/wish.ts'
import type { CredentialUse } from '../store/store.ts'

import type { Question, Reply } from './control-wire.ts'
import { badMerchant, isId, no, yes, type Answer, type Answers } from './replies.ts'

/** Answers about merchants. Passwords are in two answers: of `create` and `rotate-password`. */
export function answerMerchants(deeds: MerchantDeeds): Answers {
  return {
    'merchants.create': async ({ wish }) => {
      const wanted = readWish(objectOf(wish))
      return typeof wanted === 'string' ? no('bad_wish', wanted) : told(await deeds.create(wanted), tellIssued)
    },
    'merchants.list': async ({ after, count }) => yes({ merchants: (await deeds.list(afterOf(after), countOf(count))).map(tellListed) }),
    'merchants.show': of(async (id) => told(await deeds.find(id), tellFound)),
    'merchants.set': of(async (id, { wish }) => {
      const wanted = readWish(objectOf(wish))
      return typeof wanted === 'string' ? no('bad_wish', wanted) : told(await deeds.change(id, wanted), tellMerchant)
    }),
    'merchants.block': of(async (id) => told(await deeds.block(id), tellMerchant)),
    'merchants.unblock': of(async (id) => told(await deeds.unblock(id), tellMerchant)),
    'merchants.rotate-password': of(async (id) => told(await deeds.rotatePassword(id), tellIssued)),
    'merchants.retire-password': of(async (id, { number }) => {
      return told(await deeds.retirePassword(id, typeof number === 'number' ? number : null), tellMerchant)
    }),
  }
}

function of(then: (merchantId: string, question: Question) => Promise<Reply>): Answer {
  return async (question) => {
    if (!isId(question.merchantId)) return badMerchant()
    try {
      return await then(question.merchantId, question)
    } catch (err) {
      if (!(err instanceof RowTampered)) throw err
      return no(
        'row_tampered',
        `The row of merchant ${question.merchantId} is not as the service wrote it: nothing was done. ${tamperedAdvice}`,
      )
    }
  }
}

function told<T extends object>(found: T | string, tell: (found: T) => object): Reply {
  return typeof found === 'string' ? no('refused', found) : yes(tell(found))
}

function tellIssued({ merchant, password }: { merchant: Merchant; password: string }): object {
  return { ...tellMerchant(merchant), password }
}

function tellFound(found: FoundMerchant): object {
  return tellMerchant(found, found.uses)
}

function tellMerchant({ row, settings }: Merchant, uses: readonly CredentialUse[] = []): object {
  const { id, state, name, organization, address, version, createdAt } = row
  const passwords = row.credentials.map(({ number, createdAt: madeAt, retiredAt }) => {
    const lastUsedAt = uses.find((use) => use.number === number)?.lastUsedAt ?? null
    return { number, createdAt: moment(madeAt), lastUsedAt: momentOrNull(lastUsedAt), retiredAt: momentOrNull(retiredAt) }
  })
  const { endpoint, ...others } = settings
  const shown = { ...others, endpoint: endpoint === null ? null : { url: endpoint.url, login: endpoint.login } }
  return { merchantId: id, state, name, organization, address, ...shown, version, createdAt: moment(createdAt), passwords }
}

function tellListed({ row, isTrue }: ListedMerchant): object {
  if ('brokenAt' in row) return { merchantId: row.id, name: '', state: `broken at column ${row.brokenAt}`, createdAt: null }
  return { merchantId: row.id, name: row.name, state: isTrue ? row.state : 'tampered', createdAt: moment(row.createdAt) }
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
}

function afterOf(value: unknown): string {
  return isId(value) ? value : ''
}

function countOf(value: unknown): number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= countMax ? value : countMax
}

function moment(at: number): string {
  return new Date(at).toISOString()
}

function momentOrNull(at: number | null): string | null {
  return at === null ? null : moment(at)
}

const tamperedAdvice = 'Somebody changed the database; see docs/operating/merchants.md.'
const countMax = 500
