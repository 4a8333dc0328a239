import type { DashboardMethodName } from '@tessera/contract/methods'

import type { Cards } from '../cards/cards.ts'
import type { CardLists } from '../dashboard/cards.ts'
import type { TellEvidence } from '../compliance/evidence.ts'
import type { NewestConsents } from '../consents/consents.ts'
import type { CodeLists } from '../dashboard/codes.ts'
import type { Controls } from '../dashboard/controls.ts'
import type { Dashboard } from '../dashboard/dashboard.ts'
import type { TellOverview } from '../dashboard/overview.ts'
import type { Reset } from '../dashboard/reset.ts'
import type { Start } from '../dashboard/start.ts'
import type { WebhookDesk } from '../dashboard/webhooks.ts'
import type { MerchantBook } from '../merchants/book.ts'
import type { MerchantDeeds } from '../merchants/deeds.ts'
import type { PageCheck } from '../page-check/page-check.ts'
import type { RequestLists } from '../request-log/lists.ts'
import type { Receipts } from '../receipts/receipts.ts'
import type { Verification } from '../verification/verification.ts'

import { dashboardAuditList } from './dashboard.audit.list.ts'
import { dashboardCardsGet } from './dashboard.cards.get.ts'
import { dashboardCardsList } from './dashboard.cards.list.ts'
import { dashboardCardsRemove } from './dashboard.cards.remove.ts'
import { dashboardComplianceGet } from './dashboard.compliance.get.ts'
import { dashboardComplianceResponsibilities } from './dashboard.compliance.responsibilities.ts'
import { dashboardConsentsList } from './dashboard.consents.list.ts'
import { dashboardOverviewGet } from './dashboard.overview.get.ts'
import { dashboardPageCheckGet } from './dashboard.pageCheck.get.ts'
import { dashboardPageCheckList } from './dashboard.pageCheck.list.ts'
import { dashboardPageCheckRun } from './dashboard.pageCheck.run.ts'
import { dashboardPasswordChange } from './dashboard.password.change.ts'
import { dashboardPasswordsRetire } from './dashboard.passwords.retire.ts'
import { dashboardPasswordsRotate } from './dashboard.passwords.rotate.ts'
import { dashboardReceiptsCancel } from './dashboard.receipts.cancel.ts'
import { dashboardReceiptsConfirm } from './dashboard.receipts.confirm.ts'
import { dashboardReceiptsGet } from './dashboard.receipts.get.ts'
import { dashboardReceiptsList } from './dashboard.receipts.list.ts'
import { dashboardScriptsJudge } from './dashboard.scripts.judge.ts'
import { dashboardScriptsList } from './dashboard.scripts.list.ts'
import { dashboardRequestsGet } from './dashboard.requests.get.ts'
import { dashboardRequestsList } from './dashboard.requests.list.ts'
import { dashboardRequestsReplay } from './dashboard.requests.replay.ts'
import { dashboardSandboxGet } from './dashboard.sandbox.get.ts'
import { dashboardSandboxMoveClock } from './dashboard.sandbox.moveClock.ts'
import { dashboardSandboxReset } from './dashboard.sandbox.reset.ts'
import { dashboardSandboxRestore } from './dashboard.sandbox.restore.ts'
import { dashboardSandboxSetLimits } from './dashboard.sandbox.setLimits.ts'
import { dashboardSandboxSetStep } from './dashboard.sandbox.setStep.ts'
import { dashboardSessionGet } from './dashboard.session.get.ts'
import { dashboardSessionList } from './dashboard.session.list.ts'
import { dashboardSessionSignIn } from './dashboard.session.signIn.ts'
import { dashboardSessionSignOut } from './dashboard.session.signOut.ts'
import { dashboardSessionSignOutEverywhere } from './dashboard.session.signOutEverywhere.ts'
import { dashboardSettingsChange } from './dashboard.settings.change.ts'
import { dashboardSettingsGet } from './dashboard.settings.get.ts'
import { dashboardStartGet } from './dashboard.start.get.ts'
import { dashboardStartMakeToken } from './dashboard.start.makeToken.ts'
import { dashboardTotpBegin } from './dashboard.totp.begin.ts'
import { dashboardTotpConfirm } from './dashboard.totp.confirm.ts'
import { dashboardTotpRemove } from './dashboard.totp.remove.ts'
import { dashboardUsersBlock } from './dashboard.users.block.ts'
import { dashboardUsersCreate } from './dashboard.users.create.ts'
import { dashboardUsersList } from './dashboard.users.list.ts'
import { dashboardUsersResetPassword } from './dashboard.users.resetPassword.ts'
import { dashboardUsersSetRole } from './dashboard.users.setRole.ts'
import { dashboardVerificationFunnel } from './dashboard.verification.funnel.ts'
import { dashboardVerificationInbox } from './dashboard.verification.inbox.ts'
import { dashboardVerificationList } from './dashboard.verification.list.ts'
import { dashboardWebhooksAdd } from './dashboard.webhooks.add.ts'
import { dashboardWebhooksDeliveries } from './dashboard.webhooks.deliveries.ts'
import { dashboardWebhooksDelivery } from './dashboard.webhooks.delivery.ts'
import { dashboardWebhooksList } from './dashboard.webhooks.list.ts'
import { dashboardWebhooksRemove } from './dashboard.webhooks.remove.ts'
import { dashboardWebhooksReplay } from './dashboard.webhooks.replay.ts'
import { dashboardWebhooksRotate } from './dashboard.webhooks.rotate.ts'
import { dashboardWebhooksSendTest } from './dashboard.webhooks.sendTest.ts'
import type { Grid } from './method.ts'
import type { ReplayGrid } from './replay.ts'

export interface DashboardGridParts {
  readonly cards: Cards
  readonly dashboard: Dashboard
  readonly receipts: Receipts
  readonly cardLists: CardLists
  readonly merchants: MerchantBook & { readonly deeds: MerchantDeeds }
  readonly verification: Verification
  readonly overview: TellOverview
  readonly codeLists: CodeLists
  readonly start: Start
  readonly webhookDesk: WebhookDesk
  readonly evidence: TellEvidence
  readonly consents: NewestConsents
  readonly pageCheck: PageCheck
  readonly requestLists: RequestLists
  /** Null in production, like the next. */
  readonly controls: Controls | null
  readonly reset: Reset | null
}

/** The dashboard's rows of the grid, with the role that each asks for. `api` is what a replay calls. */
export function makeDashboardGrid(parts: DashboardGridParts, api: ReplayGrid): Pick<Grid, DashboardMethodName> {
  const { cards, dashboard, cardLists, merchants, receipts, verification, overview, codeLists, start, requestLists, webhookDesk } = parts
  const { evidence, consents, pageCheck, controls, reset } = parts
  const caller = 'dashboard'
  const mayRead = { caller, role: 'read', mutates: false, limits: 'read' } as const
  const mayChange = { caller, role: 'developer', mutates: true, limits: 'write' } as const
  return {
    'dashboard.session.signIn': { caller, role: 'visitor', mutates: true, limits: 'verify', run: dashboardSessionSignIn(dashboard) },
    'dashboard.session.get': {
      caller,
      role: 'visitor',
      mutates: false,
      limits: 'read',
      run: dashboardSessionGet(dashboard, merchants, controls),
    },
    'dashboard.session.signOut': { caller, role: 'read', mutates: true, limits: 'write', run: dashboardSessionSignOut(dashboard) },
    'dashboard.session.signOutEverywhere': {
      ...{ caller, role: 'read', mutates: true, limits: 'write', run: dashboardSessionSignOutEverywhere(dashboard) },
    },
    'dashboard.session.list': { caller, role: 'read', mutates: false, limits: 'read', run: dashboardSessionList(dashboard) },
    'dashboard.password.change': { caller, role: 'read', mutates: true, limits: 'write', run: dashboardPasswordChange(dashboard) },
    'dashboard.totp.begin': { caller, role: 'read', mutates: true, limits: 'write', run: dashboardTotpBegin(dashboard) },
    'dashboard.totp.confirm': { caller, role: 'read', mutates: true, limits: 'verify', run: dashboardTotpConfirm(dashboard) },
    'dashboard.totp.remove': { caller, role: 'read', mutates: true, limits: 'verify', run: dashboardTotpRemove(dashboard) },
    'dashboard.users.list': { caller, role: 'owner', mutates: false, limits: 'read', run: dashboardUsersList(dashboard) },
    'dashboard.users.create': { caller, role: 'owner', mutates: true, limits: 'write', run: dashboardUsersCreate(dashboard) },
    'dashboard.users.setRole': { caller, role: 'owner', mutates: true, limits: 'write', run: dashboardUsersSetRole(dashboard) },
    'dashboard.users.block': { caller, role: 'owner', mutates: true, limits: 'write', run: dashboardUsersBlock(dashboard) },
    'dashboard.users.resetPassword': { caller, role: 'owner', mutates: true, limits: 'write', run: dashboardUsersResetPassword(dashboard) },
    'dashboard.cards.list': { caller, role: 'read', mutates: false, limits: 'read', run: dashboardCardsList(cardLists) },
    'dashboard.cards.get': { caller, role: 'read', mutates: false, limits: 'read', run: dashboardCardsGet(cardLists) },
    'dashboard.cards.remove': { caller, role: 'support', mutates: true, limits: 'write', run: dashboardCardsRemove(cards) },
    'dashboard.audit.list': { caller, role: 'read', mutates: false, limits: 'read', run: dashboardAuditList(dashboard.deeds) },
    'dashboard.receipts.list': { caller, role: 'read', mutates: false, limits: 'read', run: dashboardReceiptsList(dashboard.receiptLists) },
    'dashboard.receipts.get': { caller, role: 'read', mutates: false, limits: 'read', run: dashboardReceiptsGet(dashboard.receiptLists) },
    'dashboard.receipts.cancel': { caller, role: 'support', mutates: true, limits: 'write', run: dashboardReceiptsCancel(receipts) },
    'dashboard.receipts.confirm': { caller, role: 'support', mutates: true, limits: 'write', run: dashboardReceiptsConfirm(receipts) },
    'dashboard.settings.get': { caller, role: 'read', mutates: false, limits: 'read', run: dashboardSettingsGet(merchants.deeds) },
    'dashboard.settings.change': {
      caller,
      role: 'developer',
      mutates: true,
      limits: 'write',
      run: dashboardSettingsChange(merchants.deeds),
    },
    'dashboard.passwords.rotate': {
      caller,
      role: 'developer',
      mutates: true,
      limits: 'write',
      run: dashboardPasswordsRotate(merchants.deeds),
    },
    'dashboard.passwords.retire': {
      caller,
      role: 'developer',
      mutates: true,
      limits: 'write',
      run: dashboardPasswordsRetire(merchants.deeds),
    },
    'dashboard.sandbox.get': { caller, role: 'read', mutates: false, limits: 'read', run: dashboardSandboxGet(controls) },
    'dashboard.sandbox.setStep': { caller, role: 'developer', mutates: true, limits: 'write', run: dashboardSandboxSetStep(controls) },
    'dashboard.sandbox.setLimits': { caller, role: 'developer', mutates: true, limits: 'write', run: dashboardSandboxSetLimits(controls) },
    'dashboard.sandbox.moveClock': { caller, role: 'developer', mutates: true, limits: 'write', run: dashboardSandboxMoveClock(controls) },
    'dashboard.sandbox.restore': { caller, role: 'developer', mutates: true, limits: 'write', run: dashboardSandboxRestore(controls) },
    'dashboard.sandbox.reset': { caller, role: 'developer', mutates: true, limits: 'write', run: dashboardSandboxReset(reset) },
    'dashboard.start.get': { caller, role: 'read', mutates: false, limits: 'read', run: dashboardStartGet(start) },
    'dashboard.start.makeToken': {
      ...{ caller, role: 'developer', mutates: true, limits: 'create', run: dashboardStartMakeToken(start, { cards, verification }) },
    },
    'dashboard.requests.list': { caller, role: 'read', mutates: false, limits: 'read', run: dashboardRequestsList(requestLists) },
    'dashboard.requests.get': {
      ...{ caller, role: 'read', mutates: false, limits: 'read', run: dashboardRequestsGet(requestLists, start.facts.testing !== null) },
    },
    'dashboard.requests.replay': {
      ...{ caller, role: 'developer', mutates: true, limits: 'create', run: dashboardRequestsReplay(requestLists, start, api) },
    },
    'dashboard.overview.get': { caller, role: 'read', mutates: false, limits: 'read', run: dashboardOverviewGet(overview) },
    'dashboard.verification.funnel': { caller, role: 'read', mutates: false, limits: 'read', run: dashboardVerificationFunnel(codeLists) },
    'dashboard.verification.list': { caller, role: 'read', mutates: false, limits: 'read', run: dashboardVerificationList(codeLists) },
    'dashboard.verification.inbox': { caller, role: 'read', mutates: false, limits: 'read', run: dashboardVerificationInbox(codeLists) },
    'dashboard.compliance.get': { caller, role: 'read', mutates: false, limits: 'read', run: dashboardComplianceGet(evidence) },
    'dashboard.compliance.responsibilities': {
      ...{ caller, role: 'read', mutates: false, limits: 'read', run: dashboardComplianceResponsibilities() },
    },
    'dashboard.consents.list': { caller, role: 'read', mutates: false, limits: 'read', run: dashboardConsentsList(consents) },
    'dashboard.pageCheck.run': { caller, role: 'developer', mutates: true, limits: 'write', run: dashboardPageCheckRun(pageCheck) },
    'dashboard.pageCheck.list': { caller, role: 'read', mutates: false, limits: 'read', run: dashboardPageCheckList(pageCheck) },
    'dashboard.pageCheck.get': { caller, role: 'read', mutates: false, limits: 'read', run: dashboardPageCheckGet(pageCheck) },
    'dashboard.scripts.list': { caller, role: 'read', mutates: false, limits: 'read', run: dashboardScriptsList(pageCheck) },
    'dashboard.scripts.judge': { caller, role: 'developer', mutates: true, limits: 'write', run: dashboardScriptsJudge(pageCheck) },
    'dashboard.webhooks.add': { ...mayChange, run: dashboardWebhooksAdd(webhookDesk) },
    'dashboard.webhooks.rotate': { ...mayChange, run: dashboardWebhooksRotate(webhookDesk) },
    'dashboard.webhooks.remove': { ...mayChange, run: dashboardWebhooksRemove(webhookDesk) },
    'dashboard.webhooks.sendTest': { ...mayChange, run: dashboardWebhooksSendTest(webhookDesk) },
    'dashboard.webhooks.replay': { ...mayChange, run: dashboardWebhooksReplay(webhookDesk) },
    'dashboard.webhooks.list': { ...mayRead, run: dashboardWebhooksList(webhookDesk) },
    'dashboard.webhooks.deliveries': { ...mayRead, run: dashboardWebhooksDeliveries(webhookDesk) },
    'dashboard.webhooks.delivery': { ...mayRead, run: dashboardWebhooksDelivery(webhookDesk) },
  }
}
