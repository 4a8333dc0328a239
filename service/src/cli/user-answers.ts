import { errorEntry, RpcError } from '@tessera/contract/errors'

import type { Users } from '../dashboard/users.ts'

import type { Question, Reply } from './control-wire.ts'
import { ofKnown, type KnownMerchants } from './known-merchants.ts'
import { isId, no, yes, type Answer, type Answers } from './replies.ts'

/** Answers about users of the dashboard. Passwords are in two answers: of `create` and `reset-password`. */
export function answerUsers(users: Users, merchants: KnownMerchants): Answers {
  const doer = { actor: 'operator', requestId: '' }
  return {
    'users.create': of(merchants, async (merchantId, { phone, role }) => {
      if (typeof phone !== 'string' || !/^[0-9]{9,15}$/.test(phone)) return no('bad_phone', 'A phone is 9 to 15 digits, no plus.')
      if (!isRole(role)) return no('bad_role', `A role is one of: ${roles.join(', ')}.`)
      return yes({ merchantId, phone, role, ...(await users.create({ merchantId, phone, role }, doer)) })
    }),
    'users.list': of(merchants, async (merchantId) => {
      const rows = await users.list(merchantId)
      return yes({
        merchantId,
        users: rows.map(({ userId, phone, role, state, totp, mustChange }) => {
          return { userId, phone, role, state, totp: totp !== null, mustChangePassword: mustChange }
        }),
      })
    }),
    'users.block': of(merchants, async (merchantId, { userId, blocked }) => {
      if (!isId(userId)) return badUser()
      await users.setBlocked({ merchantId, userId }, blocked !== false, doer)
      return yes({ merchantId, userId, state: blocked === false ? 'active' : 'blocked' })
    }),
    'users.reset-password': of(merchants, async (merchantId, { userId }) => {
      return isId(userId) ? yes({ merchantId, ...(await users.resetPassword({ merchantId, userId }, doer)) }) : badUser()
    }),
  }
}

function of(merchants: KnownMerchants, then: (merchantId: string, question: Question) => Promise<Reply>): Answer {
  return async (question) => {
    try {
      return await ofKnown(merchants, question.merchantId, (merchantId) => then(merchantId, question))
    } catch (err) {
      if (!(err instanceof RpcError)) throw err
      const { reason, text, hint } = errorEntry(err.entry)
      return no(reason, `${text.en} ${hint}`)
    }
  }
}

function badUser(): Reply {
  return no('bad_user', 'A user id is 24 hex digits: see tessera dashboard users list <merchant>')
}

const roles = ['read', 'support', 'developer', 'owner'] as const

function isRole(value: unknown): value is (typeof roles)[number] {
  return roles.some((role) => role === value)
}
