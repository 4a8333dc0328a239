import type { Params } from '@tessera/contract/operations'

import { dayRange } from '../../format/time.ts'

/** What the list is filtered by, as the address has it. `from` and `to` are days in Tashkent, both included. Empty members are left out. */
export interface AuditFilter {
  readonly subject?: string
  readonly userId?: string
  readonly action?: string
  readonly from?: string
  readonly to?: string
}

/** Reads the filter of an address; what is not valid is left out. */
export function parseAuditFilter(query: URLSearchParams): AuditFilter {
  return Object.fromEntries(
    Object.entries(shapes).flatMap(([name, shape]) => {
      const value = query.get(name) ?? ''
      return shape.test(value) ? [[name, value]] : []
    }),
  )
}

export function toAuditParams({ from = '', to = '', ...rest }: AuditFilter): Params<'dashboard.audit.list'> {
  return { ...rest, ...dayRange(from, to) }
}

/** The path of the page with a filter. */
export function auditPath(filter: AuditFilter): string {
  const given = Object.entries(filter as Record<string, string>).filter(([, value]) => value !== '')
  return given.length === 0 ? 'audit' : `audit?${new URLSearchParams(given).toString()}`
}

const id = /^[0-9a-f]{24}$/
const day = /^\d{4}-\d\d-\d\d$/
const shapes = { subject: id, userId: id, action: /^[a-z_.]{1,64}$/, from: day, to: day }
