import type { Role } from '@tessera/contract/operations'

import type { CommonMessages } from '../messages/en.ts'
import { type LazyPage, lazyPage } from './lazy-page.tsx'
import { hasRole, session } from './session-state.ts'

/** A page in the navigation. Its `name` is its path under /dashboard/ and its key in the messages. */
export interface PageDefinition {
  readonly name: keyof CommonMessages['pages']
  /** Who sees it in the navigation. What a user may do is decided by the service. */
  readonly role: Role
  readonly group: 'monitor' | 'integrate' | 'manage'
  readonly component: LazyPage
  /** Exists only in the test environment. */
  readonly isTestOnly?: true
}

/** Every page, in the order of the navigation. Each is a file of its own, loaded when it is first opened. */
export const pages: readonly PageDefinition[] = [
  {
    name: 'start',
    role: 'read',
    group: 'integrate',
    component: lazyPage(async () => (await import('../pages/start/start-page.tsx')).StartPage),
  },
  {
    name: 'overview',
    role: 'read',
    group: 'monitor',
    component: lazyPage(async () => (await import('../pages/overview/overview-page.tsx')).OverviewPage),
  },
  {
    name: 'cards',
    role: 'read',
    group: 'monitor',
    component: lazyPage(async () => (await import('../pages/cards/cards-page.tsx')).CardsPage),
  },
  {
    name: 'customers',
    role: 'read',
    group: 'monitor',
    component: lazyPage(async () => (await import('../pages/customers/customers-page.tsx')).CustomersPage),
  },
  {
    name: 'verification',
    role: 'read',
    group: 'monitor',
    component: lazyPage(async () => (await import('../pages/verification/verification-page.tsx')).VerificationPage),
  },
  {
    name: 'receipts',
    role: 'read',
    group: 'monitor',
    component: lazyPage(async () => (await import('../pages/receipts/receipts-page.tsx')).ReceiptsPage),
  },
  {
    name: 'form',
    role: 'developer',
    group: 'integrate',
    component: lazyPage(async () => (await import('../pages/form/form-page.tsx')).FormBuilderPage),
  },
  {
    name: 'requests',
    role: 'read',
    group: 'monitor',
    component: lazyPage(async () => (await import('../pages/requests/requests-page.tsx')).RequestsPage),
  },
  {
    name: 'webhooks',
    role: 'read',
    group: 'integrate',
    component: lazyPage(async () => (await import('../pages/webhooks/webhooks-page.tsx')).WebhooksPage),
  },
  {
    name: 'sandbox',
    role: 'read',
    group: 'integrate',
    component: lazyPage(async () => (await import('../pages/sandbox/sandbox-page.tsx')).SandboxPage),
    isTestOnly: true,
  },
  {
    name: 'settings',
    role: 'read',
    group: 'integrate',
    component: lazyPage(async () => (await import('../pages/settings/settings-page.tsx')).MerchantSettingsPage),
  },
  {
    name: 'page-check',
    role: 'read',
    group: 'integrate',
    component: lazyPage(async () => (await import('../pages/page-check/page-check-page.tsx')).PageCheckPage),
  },
  {
    name: 'compliance',
    role: 'read',
    group: 'manage',
    component: lazyPage(async () => (await import('../pages/compliance/compliance-page.tsx')).CompliancePage),
  },
  {
    name: 'audit',
    role: 'read',
    group: 'manage',
    component: lazyPage(async () => (await import('../pages/audit/audit-page.tsx')).AuditPage),
  },
  {
    name: 'users',
    role: 'owner',
    group: 'manage',
    component: lazyPage(async () => (await import('../pages/users/users-page.tsx')).UsersPage),
  },
  {
    name: 'account',
    role: 'read',
    group: 'manage',
    component: lazyPage(async () => (await import('../pages/account/account-page.tsx')).AccountPage),
  },
]

/** The pages that the user sees in the navigation. */
export function visiblePages(): PageDefinition[] {
  const isTest = session.value?.environment === 'test'
  return pages.filter(({ role, isTestOnly }) => hasRole(role) && (isTestOnly !== true || isTest))
}
