import type { Result } from '@tessera/contract/operations'

type LoggedCall = Result<'dashboard.requests.get'>

/** The receipt that a call named or made; null for a call without one. */
export function receiptOf({
  entry,
  params,
  result,
}: Pick<LoggedCall, 'params' | 'result'> & { entry: { method: string | null } }): string | null {
  if (entry.method?.startsWith('receipts.') !== true) return null
  const id = textMember(params, 'id') ?? textMember(result, 'receipt._id')
  return id !== null && /^[0-9a-f]{24}$/.test(id) ? id : null
}

/** A member that is stored as a text; null for any other. */
export function textMember({ list }: LoggedCall['params'], path: string): string | null {
  const value = list.find((member) => member.path === path && member.hidden === null)?.value
  return typeof value === 'string' && value !== '' ? value : null
}
