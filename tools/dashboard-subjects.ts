/** What is drawn: a path, or how to get from one to an object that has an id of its own, and what is done there. */
export interface PictureSubject {
  readonly name: string
  readonly path: string
  /** The first link that is followed from there. */
  readonly link?: string
  /** A field, by its selector, and what is typed into it. */
  readonly type?: readonly [field: string, text: string]
  /** What is clicked then, one after another. */
  readonly click?: readonly string[]
  /** Keys that are pressed then. */
  readonly keys?: readonly string[]
  /** What is clicked after the keys. */
  readonly lastClick?: string
  /** What the service does from when the page is there: no response, none within the time of a picture, or the end of the session. */
  readonly fault?: 'gone' | 'slow' | 'signed-out'
  readonly isSignedOut?: boolean
}

/** Every page, with the parts that have an address of their own. */
export const pageSubjects: readonly PictureSubject[] = [
  { name: 'overview', path: 'overview' },
  { name: 'receipts', path: 'receipts' },
  { name: 'receipts-failed', path: 'receipts?status=failed' },
  { name: 'receipts-none', path: 'receipts?status=needs_review' },
  { name: 'receipt', path: 'receipts?status=paid', link: 'tbody a[href*="/receipts/"]' },
  { name: 'totals', path: 'receipts/totals' },
  { name: 'cards', path: 'cards' },
  { name: 'card', path: 'cards', link: 'tbody a[href*="/cards/"]' },
  { name: 'customers', path: 'customers' },
  { name: 'customer', path: 'customers', link: 'tbody a' },
  { name: 'verification', path: 'verification' },
  { name: 'verification-failed', path: 'verification?outcome=not_sent' },
  { name: 'code-story', path: 'verification?outcome=not_sent', link: 'tbody a[href*="/verification/"]' },
  { name: 'code-delivered', path: 'verification?outcome=verified', link: 'tbody a[href*="/verification/"]' },
  { name: 'sms-inbox', path: 'verification/inbox' },
  { name: 'start', path: 'start' },
  { name: 'requests', path: 'requests' },
  { name: 'request', path: 'requests?outcome=error', link: 'tbody a[href*="/requests/"]' },
  { name: 'webhooks', path: 'webhooks' },
  { name: 'delivery', path: 'webhooks', link: 'tbody a[href*="/webhooks/"]' },
  { name: 'sandbox', path: 'sandbox' },
  { name: 'form', path: 'form' },
  { name: 'page-check', path: 'page-check' },
  { name: 'compliance', path: 'compliance' },
  { name: 'compliance-report', path: 'compliance/report' },
  { name: 'compliance-scripts', path: 'compliance/scripts' },
  { name: 'compliance-consents', path: 'compliance/consents' },
  { name: 'compliance-responsibilities', path: 'compliance/responsibilities' },
  { name: 'audit', path: 'audit' },
  { name: 'settings-business', path: 'settings/business' },
  { name: 'settings-payments', path: 'settings/payments' },
  { name: 'settings-card-form', path: 'settings/card-form' },
  { name: 'settings-api-keys', path: 'settings/api-keys' },
  { name: 'settings-webhooks', path: 'settings/webhooks' },
  { name: 'settings-team', path: 'settings/team' },
  { name: 'users', path: 'users' },
  { name: 'account', path: 'account' },
  { name: 'search', path: 'overview', keys: ['/', '6', '3', '1', '1'] },
  { name: 'sign-in', path: 'sign-in', isSignedOut: true },
]

/** Dialogs, menus, errors and what somebody sees while the service does not respond. */
export const stateSubjects: readonly PictureSubject[] = [
  { name: 'dialog-refund', path: 'receipts?status=paid', link: 'tbody a[href*="/receipts/"]', click: ['main .actions button'] },
  {
    name: 'dialog-refund-errors',
    path: 'receipts?status=paid',
    link: 'tbody a[href*="/receipts/"]',
    click: ['main .actions button', 'dialog [type=submit]'],
  },
  { name: 'dialog-capture', path: 'receipts?status=authorized', link: 'tbody a[href*="/receipts/"]', click: ['main .actions button'] },
  { name: 'dialog-remove-card', path: 'cards', link: 'tbody tr:has(.tag.green) a[href*="/cards/"]', click: ['main button.danger'] },
  { name: 'dialog-new-user', path: 'users', click: ['main .tools .main'] },
  { name: 'dialog-edit-user', path: 'users', click: ['li:nth-child(2) .actions > button'] },
  { name: 'menu-user', path: 'users', click: ['.action-menu button'] },
  { name: 'dialog-delete-user', path: 'users', click: ['.action-menu button', '.action-list .danger'] },
  { name: 'menu-endpoint', path: 'webhooks', click: ['.action-menu button'] },
  { name: 'dialog-events', path: 'webhooks', click: ['.action-menu button', '.action-list button'] },
  { name: 'menu-account', path: 'overview', click: ['.account summary'] },
  { name: 'menu-pages', path: 'overview', click: ['.bar .menu'] },
  { name: 'views-none', path: 'receipts', click: ['.views button'] },
  { name: 'views-save', path: 'audit?action=receipt.cancelled', click: ['.views button'] },
  { name: 'views-save-errors', path: 'audit?action=receipt.cancelled', click: ['.views button', 'dialog [type=submit]'] },
  { name: 'views-own', path: 'receipts?status=failed', click: ['.views button'], keys: ['1', '2', 'Enter'] },
  {
    name: 'views-rename',
    path: 'receipts?status=failed',
    click: ['.views button'],
    keys: ['1', '2', 'Enter'],
    lastClick: '.views > button',
  },
  { name: 'filters-requests', path: 'requests', click: ['.requests-filter .quiet'] },
  { name: 'error-amount', path: 'settings/payments', type: ['main form input', 'abc'], click: ['main form [type=submit]'] },
  { name: 'error-origin', path: 'settings/card-form', type: ['main textarea', 'ftp://shop'], click: ['main form [type=submit]'] },
  { name: 'error-endpoint', path: 'webhooks', type: ['main form input', 'https://192.168.0.1/'], click: ['main form [type=submit]'] },
  {
    name: 'error-page-check',
    path: 'page-check',
    type: ['main form input:not([type=radio])', 'https://other.example/'],
    click: ['main form [type=submit]'],
  },
  { name: 'error-password', path: 'account', type: ['main form input', 'wrong'], click: ['main form [type=submit]'] },
  { name: 'error-sign-in', path: 'sign-in', isSignedOut: true, type: ['input[type=password]', 'wrong'], click: ['[type=submit]'] },
  { name: 'card-number', path: 'customers', type: ['main input', '8600 0691 9540 6311'], keys: ['Enter'] },
  { name: 'no-card', path: 'cards', type: ['main input', '0000'], keys: ['Enter'] },
  { name: 'no-page', path: 'nowhere' },
  { name: 'gone', path: 'cards', fault: 'gone', click: ['nav a[href$="/overview"]'] },
  { name: 'gone-list', path: 'account', fault: 'gone', click: ['nav a[href$="/receipts"]'] },
  { name: 'slow', path: 'account', fault: 'slow', click: ['nav a[href$="/receipts"]'] },
  { name: 'slow-overview', path: 'account', fault: 'slow', click: ['nav a[href$="/overview"]'] },
  { name: 'session-ended', path: 'account', fault: 'signed-out', click: ['nav a[href$="/cards"]'] },
  { name: 'search-nothing', path: 'overview', keys: ['/', '9', '9', '9', '9'] },
]
