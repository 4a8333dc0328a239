import type { ComponentChild } from 'preact'
import type { Role } from '@tessera/contract/operations'

import { AccountPage } from '../pages/account/account-page.tsx'
import { AuditPage } from '../pages/audit/audit-page.tsx'
import { CardsPage } from '../pages/cards/cards-page.tsx'
import { CompliancePage } from '../pages/compliance/compliance-page.tsx'
import { FormBuilderPage } from '../pages/form/form-page.tsx'
import { ReceiptsPage } from '../pages/receipts/receipts-page.tsx'
import { PageCheckPage } from '../pages/page-check/page-check-page.tsx'
import { OverviewPage } from '../pages/overview/overview-page.tsx'
import { RequestsPage } from '../pages/requests/requests-page.tsx'
import { SandboxPage } from '../pages/sandbox/sandbox-page.tsx'
import { MerchantSettingsPage } from '../pages/settings/settings-page.tsx'
import { StartPage } from '../pages/start/start-page.tsx'
import { UsersPage } from '../pages/users/users-page.tsx'
import { VerificationPage } from '../pages/verification/verification-page.tsx'
import { WebhooksPage } from '../pages/webhooks/webhooks-page.tsx'
import type { CommonMessages } from '../messages/en.ts'

/** A page in the navigation. Its `name` is its path under /dashboard/ and its key in the messages. */
export interface PageDefinition {
  readonly name: keyof CommonMessages['pages']
  /** Who sees it in the navigation. What a user may do is decided by the service. */
  readonly role: Role
  readonly group: 'monitor' | 'integrate' | 'manage'
  readonly component: () => ComponentChild
  /** Exists only in the test environment. */
  readonly isTestOnly?: true
}

/** Every page, in the order of the navigation. */
export const pages: readonly PageDefinition[] = [
  { name: 'start', role: 'read', group: 'integrate', component: StartPage },
  { name: 'overview', role: 'read', group: 'monitor', component: OverviewPage },
  { name: 'cards', role: 'read', group: 'monitor', component: CardsPage },
  { name: 'verification', role: 'read', group: 'monitor', component: VerificationPage },
  { name: 'receipts', role: 'read', group: 'monitor', component: ReceiptsPage },
  { name: 'form', role: 'developer', group: 'integrate', component: FormBuilderPage },
  { name: 'requests', role: 'read', group: 'monitor', component: RequestsPage },
  { name: 'webhooks', role: 'read', group: 'integrate', component: WebhooksPage },
  { name: 'sandbox', role: 'read', group: 'integrate', component: SandboxPage, isTestOnly: true },
  { name: 'settings', role: 'read', group: 'integrate', component: MerchantSettingsPage },
  { name: 'page-check', role: 'read', group: 'integrate', component: PageCheckPage },
  { name: 'compliance', role: 'read', group: 'manage', component: CompliancePage },
  { name: 'audit', role: 'read', group: 'manage', component: AuditPage },
  { name: 'users', role: 'owner', group: 'manage', component: UsersPage },
  { name: 'account', role: 'read', group: 'manage', component: AccountPage },
]
