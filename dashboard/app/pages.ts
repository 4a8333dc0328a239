import type { Role } from '@tessera/contract/operations'

import type { CommonMessages } from '../messages/en.ts'
import { type LazyPage, lazyPage } from './lazy-page.tsx'
import { hasRole, session } from './session-state.ts'

/** The groups of the navigation, in its order. */
export const pageGroups = ['work', 'developers', 'control', 'settings'] as const

export type PageGroup = (typeof pageGroups)[number]

/** A page in the navigation. Its `name` is its path under /dashboard/ and its key in the messages. */
export interface PageDefinition {
  readonly name: keyof CommonMessages['pages']
  /** Who sees it in the navigation. What a user may do is decided by the service. */
  readonly role: Role
  /** Null: it is in the menu of the account. */
  readonly group: PageGroup | null
  readonly component: LazyPage
  /** Exists only in the test environment. */
  readonly isTestOnly?: true
}

/** Every page, in the order of the navigation. Each is a file of its own, loaded when it is first opened. */
export const pages: readonly PageDefinition[] = [
  {
    name: 'overview',
    role: 'read',
    group: 'work',
    component: lazyPage(async () => (await import('../pages/overview/overview-page.tsx')).OverviewPage),
  },
  {
    name: 'receipts',
    role: 'read',
    group: 'work',
    component: lazyPage(async () => (await import('../pages/receipts/receipts-page.tsx')).ReceiptsPage),
  },
  {
    name: 'cards',
    role: 'read',
    group: 'work',
    component: lazyPage(async () => (await import('../pages/cards/cards-page.tsx')).CardsPage),
  },
  {
    name: 'customers',
    role: 'read',
    group: 'work',
    component: lazyPage(async () => (await import('../pages/customers/customers-page.tsx')).CustomersPage),
  },
  {
    name: 'verification',
    role: 'read',
    group: 'work',
    component: lazyPage(async () => (await import('../pages/verification/verification-page.tsx')).VerificationPage),
  },
  {
    name: 'start',
    role: 'read',
    group: 'developers',
    component: lazyPage(async () => (await import('../pages/start/start-page.tsx')).StartPage),
  },
  {
    name: 'requests',
    role: 'read',
    group: 'developers',
    component: lazyPage(async () => (await import('../pages/requests/requests-page.tsx')).RequestsPage),
  },
  {
    name: 'webhooks',
    role: 'read',
    group: 'developers',
    component: lazyPage(async () => (await import('../pages/webhooks/webhooks-page.tsx')).WebhooksPage),
  },
  {
    name: 'sandbox',
    role: 'read',
    group: 'developers',
    component: lazyPage(async () => (await import('../pages/sandbox/sandbox-page.tsx')).SandboxPage),
    isTestOnly: true,
  },
  {
    name: 'form',
    role: 'developer',
    group: 'developers',
    component: lazyPage(async () => (await import('../pages/form/form-page.tsx')).FormBuilderPage),
  },
  {
    name: 'page-check',
    role: 'read',
    group: 'developers',
    component: lazyPage(async () => (await import('../pages/page-check/page-check-page.tsx')).PageCheckPage),
  },
  {
    name: 'compliance',
    role: 'read',
    group: 'control',
    component: lazyPage(async () => (await import('../pages/compliance/compliance-page.tsx')).CompliancePage),
  },
  {
    name: 'audit',
    role: 'read',
    group: 'control',
    component: lazyPage(async () => (await import('../pages/audit/audit-page.tsx')).AuditPage),
  },
  {
    name: 'settings',
    role: 'read',
    group: 'settings',
    component: lazyPage(async () => (await import('../pages/settings/settings-page.tsx')).MerchantSettingsPage),
  },
  {
    name: 'users',
    role: 'owner',
    group: 'settings',
    component: lazyPage(async () => (await import('../pages/users/users-page.tsx')).UsersPage),
  },
  {
    name: 'account',
    role: 'read',
    group: null,
    component: lazyPage(async () => (await import('../pages/account/account-page.tsx')).AccountPage),
  },
]

/** The pages that the user sees in the navigation. */
export function visiblePages(): PageDefinition[] {
  const isTest = session.value?.environment === 'test'
  return pages.filter(({ role, isTestOnly }) => hasRole(role) && (isTestOnly !== true || isTest))
}
