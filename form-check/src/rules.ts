/** One rule for a merchant's page: what it says, who says so, how grave a breach is, what to do. */
export interface Rule {
  readonly text: string
  readonly source: string
  /** `error` breaks the specification; `warning` is the neighbouring good practice; `note` is for an inventory. */
  readonly severity: 'error' | 'warning' | 'note'
  readonly advice: string
}

const forms = 'Specification, requirements for card-collection forms'
const duties = 'Specification, what the service does, 7'

/** Every rule that the check of the source looks at; docs/reference/form-check.md is printed from it. */
export const rules = {
  'card-input': {
    text: 'The page has no card input of its own.',
    source: forms,
    severity: 'error',
    advice: 'Remove the input: the card is typed into the service’s iframe or SDK only.',
  },
  'input-name': {
    text: 'No input for a card carries a name.',
    source: forms,
    severity: 'error',
    advice: 'Remove the name attribute, and then the input itself.',
  },
  'form-action': {
    text: 'A form around card inputs or the service’s form has no action, and no button or input in it a formaction.',
    source: forms,
    severity: 'error',
    advice: 'Remove action and formaction: the token comes to a script of yours, not by a submission.',
  },
  'sdk-missing': {
    text: 'A page that takes a card does so by the service’s SDK or iframe.',
    source: forms,
    severity: 'error',
    advice: 'Load <form origin>/sdk/v1/tessera.js, or embed the iframe <form origin>/form/v1.',
  },
  'consent-ticked': {
    text: 'No box that agrees to a card being kept is ticked before the cardholder ticks it.',
    source: duties,
    severity: 'error',
    advice: 'Remove the checked attribute.',
  },
  'password-in-page': {
    text: 'The merchant’s password is not in client code.',
    source: 'Specification, authentication, 4',
    severity: 'error',
    advice: 'Send the merchant id alone, and rotate the password: tessera merchants rotate-password.',
  },
  'sdk-integrity': {
    text: 'The SDK’s script carries an integrity hash and crossorigin.',
    source: 'PCI DSS 4.0.1, 6.4.3; W3C Subresource Integrity',
    severity: 'warning',
    advice:
      'Load <form origin>/sdk/<version>/tessera.js, which never changes, with integrity from <form origin>/sdk/<version>/integrity.json and crossorigin="anonymous".',
  },
  'csp-missing': {
    text: 'The page says by a Content-Security-Policy which scripts and frames it loads.',
    source: 'PCI DSS 4.0.1, 6.4.3; W3C Content Security Policy',
    severity: 'warning',
    advice: 'Send Content-Security-Policy, with script-src and frame-src naming the form’s origin.',
  },
  'script-inventory': {
    text: 'Every script on a page with the form is in the merchant’s inventory, with its reason.',
    source: 'PCI DSS 4.0.1, 6.4.3',
    severity: 'note',
    advice: 'Write down why the page needs this script, and remove it if nothing does.',
  },
} as const satisfies Record<string, Rule>

export type RuleId = keyof typeof rules
