import { createLazyMessages } from '../app/lazy-messages.tsx'
import type { ExportMessages } from '../export/export-messages.ts'
import type { AccountPageMessages } from '../pages/account/account-messages.ts'
import type { AuditPageMessages } from '../pages/audit/audit-messages.ts'
import type { CardPageMessages } from '../pages/cards/card-messages.ts'
import type { CompliancePageMessages } from '../pages/compliance/compliance-messages.ts'
import type { CustomerPageMessages } from '../pages/customers/customer-messages.ts'
import type { FormBuilderMessages } from '../pages/form/form-messages.ts'
import type { OverviewPageMessages } from '../pages/overview/overview-messages.ts'
import type { PageCheckMessages } from '../pages/page-check/page-check-messages.ts'
import type { ReceiptActionMessages } from '../pages/receipts/receipt-action-messages.ts'
import type { ReceiptPageMessages } from '../pages/receipts/receipt-messages.ts'
import type { TotalsMessages } from '../pages/receipts/totals-messages.ts'
import type { RequestPageMessages } from '../pages/requests/request-messages.ts'
import type { SandboxPageMessages } from '../pages/sandbox/sandbox-messages.ts'
import type { SearchMessages } from '../pages/search/search-messages.ts'
import type { SettingsPageMessages } from '../pages/settings/settings-messages.ts'
import type { StartPageMessages } from '../pages/start/start-messages.ts'
import type { UserPageMessages } from '../pages/users/user-messages.ts'
import type { VerificationPageMessages } from '../pages/verification/verification-messages.ts'
import type { WebhookPageMessages } from '../pages/webhooks/webhook-messages.ts'
import type { ViewMessages } from '../views/view-messages.ts'
import type { AuditLabels } from './audit-labels.ts'
import type { ReasonMessages } from './reason-messages.ts'

// The messages of the pages, which are not part of the script. The tables are in the pages' folders; the build writes a file for each table and language
// (tools/browser/build-dashboard.ts).

export const accountPageText = createLazyMessages<AccountPageMessages>('account')
export const auditPageText = createLazyMessages<AuditPageMessages>('audit')
export const cardPageText = createLazyMessages<CardPageMessages>('cards')
export const compliancePageText = createLazyMessages<CompliancePageMessages>('compliance')
export const customerPageText = createLazyMessages<CustomerPageMessages>('customers')
export const exportText = createLazyMessages<ExportMessages>('export')
export const formBuilderText = createLazyMessages<FormBuilderMessages>('form')
export const overviewPageText = createLazyMessages<OverviewPageMessages>('overview')
export const pageCheckText = createLazyMessages<PageCheckMessages>('page-check')
export const receiptPageText = createLazyMessages<ReceiptPageMessages>('receipts')
export const receiptActionText = createLazyMessages<ReceiptActionMessages>('receipt-actions')
export const requestPageText = createLazyMessages<RequestPageMessages>('requests')
export const sandboxPageText = createLazyMessages<SandboxPageMessages>('sandbox')
export const searchText = createLazyMessages<SearchMessages>('search')
export const settingsPageText = createLazyMessages<SettingsPageMessages>('settings')
export const startPageText = createLazyMessages<StartPageMessages>('start')
export const totalsText = createLazyMessages<TotalsMessages>('totals')
export const userPageText = createLazyMessages<UserPageMessages>('users')
export const viewText = createLazyMessages<ViewMessages>('views')
export const verificationPageText = createLazyMessages<VerificationPageMessages>('verification')
export const webhookPageText = createLazyMessages<WebhookPageMessages>('webhooks')

/** For the pages that show audit entries. */
export const auditLabelText = createLazyMessages<AuditLabels>('audit-labels')
/** The text of each error by its reason, for the pages that show why something failed. */
export const reasonText = createLazyMessages<ReasonMessages>('reasons')
