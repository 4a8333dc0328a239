import type { ComponentChild } from 'preact'
import type { Role } from '@tessera/contract/methods'

import { AccountPage } from '../pages/account/account-page.tsx'
import { AuditPage } from '../pages/audit/audit-page.tsx'
import { CardsPage } from '../pages/cards/cards-page.tsx'
import { CompliancePage } from '../pages/compliance/compliance-page.tsx'
import { FormPage } from '../pages/form/form-page.tsx'
import { ReceiptsPage } from '../pages/receipts/receipts-page.tsx'
import { PageCheckPage } from '../pages/page-check/page-check-page.tsx'
import { OverviewPage } from '../pages/overview/overview-page.tsx'
import { RequestsPage } from '../pages/requests/requests-page.tsx'
import { SandboxPage } from '../pages/sandbox/sandbox-page.tsx'
import { SettingsPage } from '../pages/settings/settings-page.tsx'
import { StartPage } from '../pages/start/start-page.tsx'
import { UsersPage } from '../pages/users/users-page.tsx'
import { VerificationPage } from '../pages/verification/verification-page.tsx'
import { WebhooksPage } from '../pages/webhooks/webhooks-page.tsx'
import type { Words } from '../words/en.ts'

/** A page of the navigation; its `name` is the word after /dashboard/ and its key in the words. */
export interface PageRow {
  readonly name: keyof Words['pages']
  /** Who sees it in the navigation; the service decides what it may ask. */
  readonly role: Role
  readonly group: 'see' | 'build' | 'keep'
  readonly show: () => ComponentChild
  /** In production there is no such page. */
  readonly testOnly?: true
}

/** Every page, in the order of the navigation. */
export const pages: readonly PageRow[] = [
  { name: 'start', role: 'read', group: 'build', show: StartPage },
  { name: 'overview', role: 'read', group: 'see', show: OverviewPage },
  { name: 'cards', role: 'read', group: 'see', show: CardsPage },
  { name: 'verification', role: 'read', group: 'see', show: VerificationPage },
  { name: 'receipts', role: 'read', group: 'see', show: ReceiptsPage },
  { name: 'form', role: 'developer', group: 'build', show: FormPage },
  { name: 'requests', role: 'read', group: 'see', show: RequestsPage },
  { name: 'webhooks', role: 'read', group: 'build', show: WebhooksPage },
  { name: 'sandbox', role: 'read', group: 'build', show: SandboxPage, testOnly: true },
  { name: 'settings', role: 'read', group: 'build', show: SettingsPage },
  { name: 'page-check', role: 'read', group: 'build', show: PageCheckPage },
  { name: 'compliance', role: 'read', group: 'keep', show: CompliancePage },
  { name: 'audit', role: 'read', group: 'keep', show: AuditPage },
  { name: 'users', role: 'owner', group: 'keep', show: UsersPage },
  { name: 'account', role: 'read', group: 'keep', show: AccountPage },
]
