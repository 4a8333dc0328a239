import { makeDeeds, type Deeds } from './deeds.ts'
import type { DashboardParts, DashboardTools } from './parts.ts'
import { makeReceiptLists, type ReceiptLists } from './receipts.ts'
import { makeSessions, type Sessions } from './sessions.ts'
import { signIn, type SignInTry } from './sign-in.ts'
import { makeUserMac } from './user-mac.ts'
import { makeUsers, type Users } from './users.ts'

/** The dashboard's users, their sessions, and what they did. */
export interface Dashboard {
  readonly users: Users
  readonly sessions: Sessions
  readonly deeds: Deeds
  readonly receiptLists: ReceiptLists
  readonly environment: string
  /** Throws `signInRefused`. With `needs` the password was right and a code is wanted; otherwise the text of a new session. */
  signIn(asked: SignInTry): Promise<{ readonly needs: 'totp' } | { readonly session: string }>
  /** Keeps a login whose password is given, unless its phone has one: the sandbox's. */
  ensureLogin(login: { readonly merchantId: string; readonly phone: string; readonly password: string }): Promise<void>
}

export function makeDashboard(parts: DashboardParts): Dashboard {
  const tools: DashboardTools = { ...parts, mac: makeUserMac(parts.keyring, parts.environment) }
  const users = makeUsers(tools)
  const sessions = makeSessions(tools)
  return Object.freeze<Dashboard>({
    users,
    sessions,
    deeds: makeDeeds(parts.store),
    receiptLists: makeReceiptLists(parts),
    environment: parts.environment,
    async signIn(asked) {
      const found = await signIn(tools, asked)
      return 'needs' in found ? found : { session: await sessions.begin(found, asked) }
    },
    async ensureLogin(login) {
      if ((await parts.store.findDashboardUserByPhone(login.phone)) !== null) return
      await users.create({ ...login, role: 'owner' }, { actor: 'system', requestId: '' })
    },
  })
}
