import { cardsCheck } from './cards.check.ts'
import { cardsCreate } from './cards.create.ts'
import { cardsGetVerifyCode } from './cards.get_verify_code.ts'
import { cardsRemove } from './cards.remove.ts'
import { cardsVerify } from './cards.verify.ts'
import { dashboardAuditList } from './dashboard.audit.ts'
import { dashboardExportsFinish, dashboardExportsStart } from './dashboard.exports.ts'
import { dashboardCardsGet, dashboardCardsList, dashboardCardsRemove } from './dashboard.cards.ts'
import { dashboardComplianceGet, dashboardComplianceResponsibilities, dashboardConsentsList } from './dashboard.compliance.ts'
import { dashboardCustomersGet, dashboardCustomersList } from './dashboard.customers.ts'
import { dashboardOverviewGet } from './dashboard.overview.ts'
import {
  dashboardPageCheckGet,
  dashboardPageCheckList,
  dashboardPageCheckRun,
  dashboardScriptsReview,
  dashboardScriptsList,
} from './dashboard.page-check.ts'
import {
  dashboardReceiptsCancel,
  dashboardReceiptsConfirm,
  dashboardReceiptsExport,
  dashboardReceiptsGet,
  dashboardReceiptsList,
  dashboardReceiptsTotals,
} from './dashboard.receipts.ts'
import { dashboardRequestsGet, dashboardRequestsList, dashboardRequestsReplay } from './dashboard.requests.ts'
import {
  dashboardSandboxGet,
  dashboardSandboxMoveClock,
  dashboardSandboxReset,
  dashboardSandboxRestore,
  dashboardSandboxSetLimits,
  dashboardSandboxSetStep,
} from './dashboard.sandbox.ts'
import { dashboardSearchFind } from './dashboard.search.ts'
import {
  dashboardPasswordChange,
  dashboardSessionGet,
  dashboardSessionList,
  dashboardSessionSignIn,
  dashboardSessionSignOut,
  dashboardSessionSignOutEverywhere,
  dashboardTotpBegin,
  dashboardTotpConfirm,
  dashboardTotpRemove,
  dashboardSessionPasskeyChallenge,
  dashboardSessionSignInByPasskey,
  dashboardSessionConfirmBegin,
  dashboardSessionConfirm,
  dashboardRecoveryCodesGet,
  dashboardRecoveryCodesRenew,
  dashboardPasskeysList,
  dashboardPasskeysBegin,
  dashboardPasskeysAdd,
  dashboardPasskeysRename,
  dashboardPasskeysRemove,
} from './dashboard.session.ts'
import { dashboardPasswordsRetire, dashboardPasswordsRotate, dashboardSettingsChange, dashboardSettingsGet } from './dashboard.settings.ts'
import { dashboardStartGet, dashboardStartMakePayment } from './dashboard.start.ts'
import {
  dashboardUsersBlock,
  dashboardUsersCreate,
  dashboardUsersDelete,
  dashboardUsersList,
  dashboardUsersRename,
  dashboardUsersResetPassword,
  dashboardUsersSetRole,
} from './dashboard.users.ts'
import { dashboardVerificationFunnel, dashboardVerificationInbox, dashboardVerificationList } from './dashboard.verification.ts'
import {
  dashboardWebhooksAdd,
  dashboardWebhooksChange,
  dashboardWebhooksDeliveries,
  dashboardWebhooksDelivery,
  dashboardWebhooksList,
  dashboardWebhooksRemove,
  dashboardWebhooksReplay,
  dashboardWebhooksReplayFailed,
  dashboardWebhooksRotate,
  dashboardWebhooksSendTest,
} from './dashboard.webhooks.ts'
import { formSessionsCancel } from './form.sessions.cancel.ts'
import { formSessionsChoose } from './form.sessions.choose.ts'
import { formSessionsCreate } from './form.sessions.create.ts'
import { formSessionsGet } from './form.sessions.get.ts'
import { formSessionsShow } from './form.sessions.show.ts'
import { receiptsCancel } from './receipts.cancel.ts'
import { receiptsCheck } from './receipts.check.ts'
import { receiptsConfirmHold } from './receipts.confirm_hold.ts'
import { receiptsCreate } from './receipts.create.ts'
import { receiptsGet } from './receipts.get.ts'
import { receiptsGetAll } from './receipts.get_all.ts'
import { receiptsPay } from './receipts.pay.ts'
import { receiptsSend } from './receipts.send.ts'
import { receiptsSetFiscalData } from './receipts.set_fiscal_data.ts'
import { rpcDiscover } from './rpc.discover.ts'
import type { OperationRegistry } from './operation.ts'
import {
  operatorConsentsGet,
  operatorConsentsList,
  operatorKeysDestroy,
  operatorKeysList,
  operatorKeysReseal,
  operatorKeysRewrap,
  operatorKeysRotate,
  operatorKeysSignRows,
  operatorKeysVerify,
  operatorStatusGet,
} from './operator.service.ts'
import { operatorClockConfirm, operatorClockGet } from './operator.clock.ts'
import { operatorSmsFind, operatorSmsStatus, operatorSmsTest } from './operator.sms.ts'
import {
  operatorNodesEnroll,
  operatorNodesList,
  operatorNodesRevoke,
  operatorSharesCreate,
  operatorSharesEnter,
  operatorSharesFetch,
  operatorSharesList,
  operatorSharesTake,
} from './operator.custody.ts'
import { operatorStoreCheck, operatorStoreRecordBackup, operatorStoreRecordPrimary, operatorStoreSignBackup } from './operator.store.ts'
import {
  operatorEndpointsRemove,
  operatorEndpointsSet,
  operatorEndpointsTest,
  operatorMerchantsBlock,
  operatorMerchantsChange,
  operatorMerchantsCreate,
  operatorMerchantsGet,
  operatorMerchantsList,
  operatorMerchantsUnblock,
  operatorPasswordsRetire,
  operatorPasswordsRotate,
} from './operator.merchants.ts'
import {
  operatorAuditExport,
  operatorAuditHashes,
  operatorAuditHead,
  operatorAuditList,
  operatorAuditPublicKeys,
  operatorAuditVerify,
} from './operator.audit.ts'
import { operatorUsersBlock, operatorUsersCreate, operatorUsersList, operatorUsersResetPassword } from './operator.users.ts'
import { operatorReceiptsGet, operatorReceiptsList, operatorReceiptsResolve } from './operator.receipts.ts'
import { operatorReceiptsNetworkOperations, operatorReceiptsRecordReconciliation } from './operator.reconciliation.ts'
import {
  operatorEventsDead,
  operatorEventsList,
  operatorEventsReplay,
  operatorEventsReplayFailed,
  operatorWebhooksAdd,
  operatorWebhooksList,
  operatorWebhooksRemove,
  operatorWebhooksRotate,
} from './operator.webhooks.ts'
import {
  operatorSandboxGet,
  operatorSandboxInbox,
  operatorSandboxMoveClock,
  operatorSandboxReset,
  operatorSandboxRestore,
  operatorSandboxSetLimits,
  operatorSandboxSetStep,
} from './operator.sandbox.ts'

/** Every operation by its wire name. Its contract says who may call it; docs/reference/operations.md is generated from it. */
// prettier-ignore
export const operationRegistry: OperationRegistry = Object.freeze({
  'cards.create':                          cardsCreate,
  'cards.get_verify_code':                 cardsGetVerifyCode,
  'cards.verify':                          cardsVerify,
  'cards.check':                           cardsCheck,
  'cards.remove':                          cardsRemove,
  'receipts.create':                       receiptsCreate,
  'receipts.pay':                          receiptsPay,
  'receipts.send':                         receiptsSend,
  'receipts.cancel':                       receiptsCancel,
  'receipts.check':                        receiptsCheck,
  'receipts.get':                          receiptsGet,
  'receipts.get_all':                      receiptsGetAll,
  'receipts.confirm_hold':                 receiptsConfirmHold,
  'receipts.set_fiscal_data':              receiptsSetFiscalData,
  'form.sessions.create':                  formSessionsCreate,
  'form.sessions.get':                     formSessionsGet,
  'form.sessions.show':                    formSessionsShow,
  'form.sessions.choose':                  formSessionsChoose,
  'form.sessions.cancel':                  formSessionsCancel,
  'rpc.discover':                          rpcDiscover,
  'dashboard.audit.list':                  dashboardAuditList,
  'dashboard.exports.start':               dashboardExportsStart,
  'dashboard.exports.finish':              dashboardExportsFinish,
  'dashboard.cards.list':                  dashboardCardsList,
  'dashboard.cards.get':                   dashboardCardsGet,
  'dashboard.cards.remove':                dashboardCardsRemove,
  'dashboard.customers.list':              dashboardCustomersList,
  'dashboard.customers.get':               dashboardCustomersGet,
  'dashboard.compliance.get':              dashboardComplianceGet,
  'dashboard.compliance.responsibilities': dashboardComplianceResponsibilities,
  'dashboard.consents.list':               dashboardConsentsList,
  'dashboard.overview.get':                dashboardOverviewGet,
  'dashboard.pageCheck.run':               dashboardPageCheckRun,
  'dashboard.pageCheck.list':              dashboardPageCheckList,
  'dashboard.pageCheck.get':               dashboardPageCheckGet,
  'dashboard.scripts.list':                dashboardScriptsList,
  'dashboard.scripts.review':              dashboardScriptsReview,
  'dashboard.receipts.list':               dashboardReceiptsList,
  'dashboard.receipts.export':             dashboardReceiptsExport,
  'dashboard.receipts.totals':             dashboardReceiptsTotals,
  'dashboard.receipts.get':                dashboardReceiptsGet,
  'dashboard.receipts.cancel':             dashboardReceiptsCancel,
  'dashboard.receipts.confirm':            dashboardReceiptsConfirm,
  'dashboard.requests.list':               dashboardRequestsList,
  'dashboard.requests.get':                dashboardRequestsGet,
  'dashboard.requests.replay':             dashboardRequestsReplay,
  'dashboard.search.find':                 dashboardSearchFind,
  'dashboard.sandbox.get':                 dashboardSandboxGet,
  'dashboard.sandbox.setStep':             dashboardSandboxSetStep,
  'dashboard.sandbox.setLimits':           dashboardSandboxSetLimits,
  'dashboard.sandbox.moveClock':           dashboardSandboxMoveClock,
  'dashboard.sandbox.restore':             dashboardSandboxRestore,
  'dashboard.sandbox.reset':               dashboardSandboxReset,
  'dashboard.session.signIn':              dashboardSessionSignIn,
  'dashboard.session.passkeyChallenge':   dashboardSessionPasskeyChallenge,
  'dashboard.session.signInByPasskey':    dashboardSessionSignInByPasskey,
  'dashboard.session.confirmBegin':       dashboardSessionConfirmBegin,
  'dashboard.session.confirm':            dashboardSessionConfirm,
  'dashboard.session.get':                 dashboardSessionGet,
  'dashboard.session.signOut':             dashboardSessionSignOut,
  'dashboard.session.signOutEverywhere':   dashboardSessionSignOutEverywhere,
  'dashboard.session.list':                dashboardSessionList,
  'dashboard.password.change':             dashboardPasswordChange,
  'dashboard.totp.begin':                  dashboardTotpBegin,
  'dashboard.totp.confirm':                dashboardTotpConfirm,
  'dashboard.totp.remove':                 dashboardTotpRemove,
  'dashboard.recoveryCodes.get':          dashboardRecoveryCodesGet,
  'dashboard.recoveryCodes.renew':        dashboardRecoveryCodesRenew,
  'dashboard.passkeys.list':              dashboardPasskeysList,
  'dashboard.passkeys.begin':             dashboardPasskeysBegin,
  'dashboard.passkeys.add':               dashboardPasskeysAdd,
  'dashboard.passkeys.rename':            dashboardPasskeysRename,
  'dashboard.passkeys.remove':            dashboardPasskeysRemove,
  'dashboard.settings.get':                dashboardSettingsGet,
  'dashboard.settings.change':             dashboardSettingsChange,
  'dashboard.passwords.rotate':            dashboardPasswordsRotate,
  'dashboard.passwords.retire':            dashboardPasswordsRetire,
  'dashboard.start.get':                   dashboardStartGet,
  'dashboard.start.makePayment':           dashboardStartMakePayment,
  'dashboard.users.list':                  dashboardUsersList,
  'dashboard.users.create':                dashboardUsersCreate,
  'dashboard.users.setRole':               dashboardUsersSetRole,
  'dashboard.users.block':                 dashboardUsersBlock,
  'dashboard.users.rename':                dashboardUsersRename,
  'dashboard.users.delete':                dashboardUsersDelete,
  'dashboard.users.resetPassword':         dashboardUsersResetPassword,
  'dashboard.verification.funnel':         dashboardVerificationFunnel,
  'dashboard.verification.list':           dashboardVerificationList,
  'dashboard.verification.inbox':          dashboardVerificationInbox,
  'dashboard.webhooks.add':                dashboardWebhooksAdd,
  'dashboard.webhooks.list':               dashboardWebhooksList,
  'dashboard.webhooks.remove':             dashboardWebhooksRemove,
  'dashboard.webhooks.change':             dashboardWebhooksChange,
  'dashboard.webhooks.rotate':             dashboardWebhooksRotate,
  'dashboard.webhooks.sendTest':           dashboardWebhooksSendTest,
  'dashboard.webhooks.deliveries':         dashboardWebhooksDeliveries,
  'dashboard.webhooks.delivery':           dashboardWebhooksDelivery,
  'dashboard.webhooks.replay':             dashboardWebhooksReplay,
  'dashboard.webhooks.replayFailed':       dashboardWebhooksReplayFailed,
  'operator.status.get':            operatorStatusGet,
  'operator.keys.list':             operatorKeysList,
  'operator.keys.rotate':           operatorKeysRotate,
  'operator.keys.destroy':          operatorKeysDestroy,
  'operator.keys.reseal':           operatorKeysReseal,
  'operator.keys.rewrap':           operatorKeysRewrap,
  'operator.keys.verify':           operatorKeysVerify,
  'operator.keys.signRows':         operatorKeysSignRows,
  'operator.audit.verify':          operatorAuditVerify,
  'operator.audit.head':            operatorAuditHead,
  'operator.audit.publicKeys':      operatorAuditPublicKeys,
  'operator.audit.hashes':          operatorAuditHashes,
  'operator.audit.export':          operatorAuditExport,
  'operator.audit.list':            operatorAuditList,
  'operator.store.check':           operatorStoreCheck,
  'operator.store.recordBackup':    operatorStoreRecordBackup,
  'operator.store.recordPrimary':   operatorStoreRecordPrimary,
  'operator.store.signBackup':      operatorStoreSignBackup,
  'operator.shares.list':           operatorSharesList,
  'operator.shares.create':         operatorSharesCreate,
  'operator.shares.take':           operatorSharesTake,
  'operator.shares.enter':          operatorSharesEnter,
  'operator.shares.fetch':          operatorSharesFetch,
  'operator.nodes.list':            operatorNodesList,
  'operator.nodes.enroll':          operatorNodesEnroll,
  'operator.nodes.revoke':          operatorNodesRevoke,
  'operator.clock.get':             operatorClockGet,
  'operator.clock.confirm':         operatorClockConfirm,
  'operator.sms.find':                     operatorSmsFind,
  'operator.sms.status':                   operatorSmsStatus,
  'operator.sms.test':                     operatorSmsTest,
  'operator.consents.get':          operatorConsentsGet,
  'operator.consents.list':         operatorConsentsList,
  'operator.merchants.create':      operatorMerchantsCreate,
  'operator.merchants.list':        operatorMerchantsList,
  'operator.merchants.get':         operatorMerchantsGet,
  'operator.merchants.change':      operatorMerchantsChange,
  'operator.merchants.block':       operatorMerchantsBlock,
  'operator.merchants.unblock':     operatorMerchantsUnblock,
  'operator.passwords.rotate':      operatorPasswordsRotate,
  'operator.passwords.retire':      operatorPasswordsRetire,
  'operator.endpoints.set':         operatorEndpointsSet,
  'operator.endpoints.remove':      operatorEndpointsRemove,
  'operator.endpoints.test':        operatorEndpointsTest,
  'operator.users.create':          operatorUsersCreate,
  'operator.users.list':            operatorUsersList,
  'operator.users.block':           operatorUsersBlock,
  'operator.users.resetPassword':   operatorUsersResetPassword,
  'operator.webhooks.add':          operatorWebhooksAdd,
  'operator.webhooks.list':         operatorWebhooksList,
  'operator.webhooks.remove':       operatorWebhooksRemove,
  'operator.webhooks.rotate':       operatorWebhooksRotate,
  'operator.events.list':           operatorEventsList,
  'operator.events.dead':           operatorEventsDead,
  'operator.events.replay':         operatorEventsReplay,
  'operator.events.replayFailed':   operatorEventsReplayFailed,
  'operator.receipts.list':         operatorReceiptsList,
  'operator.receipts.get':          operatorReceiptsGet,
  'operator.receipts.resolve':      operatorReceiptsResolve,
  'operator.receipts.networkOperations': operatorReceiptsNetworkOperations,
  'operator.receipts.recordReconciliation': operatorReceiptsRecordReconciliation,
  'operator.sandbox.get':           operatorSandboxGet,
  'operator.sandbox.setStep':       operatorSandboxSetStep,
  'operator.sandbox.inbox':         operatorSandboxInbox,
  'operator.sandbox.setLimits':     operatorSandboxSetLimits,
  'operator.sandbox.moveClock':     operatorSandboxMoveClock,
  'operator.sandbox.restore':       operatorSandboxRestore,
  'operator.sandbox.reset':         operatorSandboxReset,
})
