import type { AuditRow } from '../../store/audit.ts'
import { type DashboardUserRow, findDashboardUser } from '../../store/dashboard-users.ts'
import type { Store } from '../../store/store.ts'

/** The user who did what an audit entry says. Null for any other actor. */
export function userIdOf({ actor }: Pick<AuditRow, 'actor'>): string | null {
  return /^user:([0-9a-f]{24})$/.exec(actor)?.[1] ?? null
}

/** The users of a merchant by their ids, each read once; without those that no longer exist. */
export async function findAuditUsers(
  store: Pick<Store, 'read'>,
  merchantId: string,
  userIds: readonly (string | null)[],
): Promise<ReadonlyMap<string, DashboardUserRow>> {
  const ids = new Set(userIds.filter((id) => id !== null))
  const users = await Promise.all([...ids].map((id) => store.read(findDashboardUser(id))))
  return new Map(users.flatMap((user) => (user?.merchantId === merchantId ? [[user.userId, user]] : [])))
}
