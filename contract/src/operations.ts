import Type, { type Static } from 'typebox'

import { cardOperations } from './operations/cards.ts'
import { dashboardAuditOperations } from './operations/dashboard-audit.ts'
import { dashboardCardOperations } from './operations/dashboard-cards.ts'
import { dashboardCustomerOperations } from './operations/dashboard-customers.ts'
import { dashboardComplianceOperations } from './operations/dashboard-compliance.ts'
import { dashboardOverviewOperations } from './operations/dashboard-overview.ts'
import { dashboardPageCheckOperations } from './operations/dashboard-page-check.ts'
import { dashboardReceiptOperations } from './operations/dashboard-receipts.ts'
import { dashboardRequestOperations } from './operations/dashboard-requests.ts'
import { dashboardSandboxOperations } from './operations/dashboard-sandbox.ts'
import { dashboardSearchOperations } from './operations/dashboard-search.ts'
import { dashboardSessionOperations } from './operations/dashboard-session.ts'
import { dashboardSettingsOperations } from './operations/dashboard-settings.ts'
import { dashboardStartOperations } from './operations/dashboard-start.ts'
import { dashboardUserOperations } from './operations/dashboard-users.ts'
import { dashboardVerificationOperations } from './operations/dashboard-verification.ts'
import { dashboardWebhookOperations } from './operations/dashboard-webhooks.ts'
import { formOperations } from './operations/form-sessions.ts'
import { defineOperation, type DashboardOperation, type OperatorContract, type PublicOperation } from './operations/operation.ts'
import { operatorMerchantOperations } from './operations/operator-merchants.ts'
import { operatorReceiptOperations } from './operations/operator-receipts.ts'
import { operatorSandboxOperations } from './operations/operator-sandbox.ts'
import { operatorAuditOperations } from './operations/operator-audit.ts'
import { operatorServiceOperations } from './operations/operator-service.ts'
import { operatorClockOperations } from './operations/operator-clock.ts'
import { operatorSmsOperations } from './operations/operator-sms.ts'
import { operatorCustodyOperations } from './operations/operator-custody.ts'
import { operatorStoreOperations } from './operations/operator-store.ts'
import { operatorUserOperations } from './operations/operator-users.ts'
import { operatorWebhookOperations } from './operations/operator-webhooks.ts'
import { receiptOperations } from './operations/receipts.ts'

export type { CardOnWire } from './operations/cards.ts'
export type {
  DashboardOperation,
  LimitClass,
  MemberLogRule,
  MemberLogRules,
  OperationCaller,
  OperationContract,
  OperatorContract,
  PublicCaller,
  PublicOperation,
  Role,
} from './operations/operation.ts'

/** Describes the API itself. */
export const rpcDiscoverContract = defineOperation('rpc.discover', {
  summary: 'Returns this API as an OpenRPC document.',
  description: 'Printed from the contract that the service runs on. Needs no X-Auth.',
  caller: 'nobody',
  mutates: false,
  limit: 'discover',
  params: Type.Object({}),
  result: Type.Object({
    openrpc: Type.String(),
    info: Type.Object({ title: Type.String(), version: Type.String() }),
    methods: Type.Array(Type.Unknown()),
  }),
  errors: [],
  requestLog: { params: {}, result: {} },
  example: { params: {}, result: { openrpc: '1.3.2', info: { title: 'Tessera', version: '0.1.0' }, methods: [] } },
})

/** The API of merchants: requests and responses. The OpenRPC document and the reference pages are printed from here. */
export const publicOperations = {
  ...cardOperations,
  ...receiptOperations,
  ...formOperations,
  [rpcDiscoverContract.name]: rpcDiscoverContract,
} as const satisfies Record<string, PublicOperation>

/** What the dashboard's pages call; available at `/dashboard/api` only. */
export const dashboardOperations = {
  ...dashboardSessionOperations,
  ...dashboardUserOperations,
  ...dashboardCardOperations,
  ...dashboardCustomerOperations,
  ...dashboardSettingsOperations,
  ...dashboardAuditOperations,
  ...dashboardStartOperations,
  ...dashboardOverviewOperations,
  ...dashboardVerificationOperations,
  ...dashboardReceiptOperations,
  ...dashboardSearchOperations,
  ...dashboardWebhookOperations,
  ...dashboardComplianceOperations,
  ...dashboardPageCheckOperations,
  ...dashboardRequestOperations,
  ...dashboardSandboxOperations,
} as const satisfies Record<string, DashboardOperation>

/** Operations that only the command line calls, over the control socket; not available over HTTP. */
export const operatorOperations = {
  ...operatorServiceOperations,
  ...operatorAuditOperations,
  ...operatorStoreOperations,
  ...operatorClockOperations,
  ...operatorSmsOperations,
  ...operatorCustodyOperations,
  ...operatorMerchantOperations,
  ...operatorUserOperations,
  ...operatorWebhookOperations,
  ...operatorReceiptOperations,
  ...operatorSandboxOperations,
} as const satisfies Record<string, OperatorContract>

/** Every operation, by its wire name. */
export const operations = { ...publicOperations, ...dashboardOperations, ...operatorOperations } as const

export type PublicOperationName = keyof typeof publicOperations
export type DashboardOperationName = keyof typeof dashboardOperations
export type OperatorOperationName = keyof typeof operatorOperations
export type OperationName = keyof typeof operations

/** By operation, so that the compiler evaluates each once; `Static` of a generic operation would evaluate the union of all. */
type ParamsByOperation = { [Name in OperationName]: Static<(typeof operations)[Name]['params']> }
type ResultByOperation = { [Name in OperationName]: Static<(typeof operations)[Name]['result']> }
export type Params<Name extends OperationName> = ParamsByOperation[Name]
export type Result<Name extends OperationName> = ResultByOperation[Name]

/** The names, as a set, so that `toString` and other inherited names are not among them. */
export const operationNames: ReadonlySet<string> = new Set(Object.keys(operations))

export function isOperationName(name: string): name is OperationName {
  return operationNames.has(name)
}

export function isPublicOperation(name: OperationName): name is PublicOperationName {
  return !isDashboardOperation(name) && !isOperatorOperation(name)
}

export function isDashboardOperation(name: OperationName): name is DashboardOperationName {
  return operations[name].caller === 'dashboard'
}

export function isOperatorOperation(name: OperationName): name is OperatorOperationName {
  return operations[name].caller === 'operator'
}
