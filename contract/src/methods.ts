import Type, { type Static } from 'typebox'

import type { DashboardEntry, MethodEntry } from './method-entry.ts'
import { cardMethods } from './methods.cards.ts'
import { dashboardCardMethods } from './methods.dashboard.cards.ts'
import { dashboardAuditMethods } from './methods.dashboard.audit.ts'
import { dashboardComplianceMethods } from './methods.dashboard.compliance.ts'
import { dashboardPageCheckMethods } from './methods.dashboard.page-check.ts'
import { dashboardReceiptMethods } from './methods.dashboard.receipts.ts'
import { dashboardSandboxMethods } from './methods.dashboard.sandbox.ts'
import { dashboardSettingsMethods } from './methods.dashboard.settings.ts'
import { dashboardRequestMethods } from './methods.dashboard.requests.ts'
import { dashboardOverviewMethods } from './methods.dashboard.overview.ts'
import { dashboardSessionMethods } from './methods.dashboard.session.ts'
import { dashboardStartMethods } from './methods.dashboard.start.ts'
import { dashboardUserMethods } from './methods.dashboard.users.ts'
import { dashboardVerificationMethods } from './methods.dashboard.verification.ts'
import { dashboardWebhookMethods } from './methods.dashboard.webhooks.ts'
import { formMethods } from './methods.form.ts'
import { receiptMethods } from './methods.receipts.ts'

export type { Caller, DashboardEntry, MethodEntry, Role } from './method-entry.ts'
export type { CardOnWire } from './methods.cards.ts'

/** The API of merchants: what is asked, what is answered. The OpenRPC document and the reference pages are printed from here. */
export const publicMethods = {
  ...cardMethods,
  ...receiptMethods,
  ...formMethods,
  'rpc.discover': {
    summary: 'Gives this API as an OpenRPC document.',
    description: 'Printed from the contract that the service runs by. Needs no X-Auth.',
    caller: 'nobody',
    mutates: false,
    params: Type.Object({}),
    result: Type.Object({
      openrpc: Type.String(),
      info: Type.Object({ title: Type.String(), version: Type.String() }),
      methods: Type.Array(Type.Unknown()),
    }),
    errors: [],
    example: { params: {}, result: { openrpc: '1.3.2', info: { title: 'Tessera', version: '0.1.0' }, methods: [] } },
  },
} as const satisfies Record<string, MethodEntry>

/** What the dashboard's pages ask at `/dashboard/api`, and nobody elsewhere. */
export const dashboardMethods = {
  ...dashboardSessionMethods,
  ...dashboardUserMethods,
  ...dashboardCardMethods,
  ...dashboardSettingsMethods,
  ...dashboardAuditMethods,
  ...dashboardStartMethods,
  ...dashboardOverviewMethods,
  ...dashboardVerificationMethods,
  ...dashboardReceiptMethods,
  ...dashboardWebhookMethods,
  ...dashboardComplianceMethods,
  ...dashboardPageCheckMethods,
  ...dashboardRequestMethods,
  ...dashboardSandboxMethods,
} as const satisfies Record<string, DashboardEntry>

/** Everything that is asked of the service, by either door. */
export const methods = { ...publicMethods, ...dashboardMethods } as const

export type MethodName = keyof typeof methods
/** By method, so that the compiler works each out once, where `Static` of a method not yet known would be worked out of them all. */
type ParamsByMethod = { [M in MethodName]: Static<(typeof methods)[M]['params']> }
type ResultByMethod = { [M in MethodName]: Static<(typeof methods)[M]['result']> }
export type Params<M extends MethodName> = ParamsByMethod[M]
export type Result<M extends MethodName> = ResultByMethod[M]

/** The names, as a set that knows nothing of `toString` and its kin. */
export const methodNames: ReadonlySet<string> = new Set(Object.keys(methods))

export function isMethodName(name: string): name is MethodName {
  return methodNames.has(name)
}

export type DashboardMethodName = keyof typeof dashboardMethods

export function isDashboardMethod(name: MethodName): name is DashboardMethodName {
  return name.startsWith('dashboard.')
}
