import { createLazyMessages } from '../app/lazy-messages.tsx'
import type { CompliancePageMessages } from '../pages/compliance/compliance-messages.ts'
import type { FormBuilderMessages } from '../pages/form/form-messages.ts'
import type { OverviewPageMessages } from '../pages/overview/overview-messages.ts'
import type { PageCheckMessages } from '../pages/page-check/page-check-messages.ts'
import type { SandboxPageMessages } from '../pages/sandbox/sandbox-messages.ts'
import type { SettingsPageMessages } from '../pages/settings/settings-messages.ts'
import type { StartPageMessages } from '../pages/start/start-messages.ts'
import type { VerificationPageMessages } from '../pages/verification/verification-messages.ts'
import type { WebhookPageMessages } from '../pages/webhooks/webhook-messages.ts'
import type { AuditLabels } from './audit-labels.ts'

// The texts of the pages that load them separately. The tables are in the pages' folders; the build writes a file for each language (tools/browser/build-dashboard.ts).

/** For the audit page, and for the histories of cards and receipts. */
export const auditLabelText = createLazyMessages<AuditLabels>('audit-labels')
export const compliancePageText = createLazyMessages<CompliancePageMessages>('compliance')
export const formBuilderText = createLazyMessages<FormBuilderMessages>('form')
export const overviewPageText = createLazyMessages<OverviewPageMessages>('overview')
export const pageCheckText = createLazyMessages<PageCheckMessages>('page-check')
export const sandboxPageText = createLazyMessages<SandboxPageMessages>('sandbox')
export const settingsPageText = createLazyMessages<SettingsPageMessages>('settings')
export const startPageText = createLazyMessages<StartPageMessages>('start')
export const verificationPageText = createLazyMessages<VerificationPageMessages>('verification')
export const webhookPageText = createLazyMessages<WebhookPageMessages>('webhooks')
