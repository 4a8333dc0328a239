/** One rule for a merchant's page: what it says, who says so, how grave a breach is, who can see it, what to do. */
export interface Rule {
  readonly text: string
  readonly source: string
  /** `error` breaks the specification; `warning` is the neighbouring good practice; `note` is for an inventory and breaks nothing. */
  readonly severity: 'error' | 'warning' | 'note'
  readonly seenBy: 'source and browser' | 'source' | 'browser'
  readonly advice: string
}

const forms = 'Specification, requirements for card-collection forms'
const does = 'Specification, what the service does'
const scripts = 'PCI DSS 4.0.1, 6.4.3'

const both = 'source and browser'

/** Every rule, in the order of the report; docs/guides/form-check.md is printed from it. */
export const rules = {
  'card-input': {
    text: 'The page has no card input of its own: not in the page, not in a shadow root, not added later by a script, not in a frame of somebody else.',
    ...{ source: forms, severity: 'error', seenBy: both },
    advice: 'Remove the input: the card is typed into the service’s iframe or SDK only.',
  },
  'sad-input': {
    text: 'The page asks for no CVV, no PIN and no SMS code.',
    ...{ source: `${does}, 6`, severity: 'error', seenBy: both },
    advice: 'Remove the input: the service asks for no CVV and no PIN, and the SMS code is typed into its form.',
  },
  'input-name': {
    text: 'No input for a card carries a name.',
    ...{ source: forms, severity: 'error', seenBy: both },
    advice: 'Remove the name attribute, and then the input itself.',
  },
  'form-action': {
    text: 'A form around card inputs or the service’s form has no action, and no button or input in it a formaction.',
    ...{ source: forms, severity: 'error', seenBy: both },
    advice: 'Remove action and formaction: the token comes to a script of yours, not by a submission.',
  },
  'submit-attribute': {
    text: 'Nothing else sends such a form: no method, formmethod, dirname, form, data-remote, hx-post or their like.',
    ...{ source: forms, severity: 'error', seenBy: both },
    advice: 'Remove the attribute, or move what else the form asks out of it.',
  },
  'sdk-missing': {
    text: 'A page that takes a card does so by the service’s SDK or iframe.',
    ...{ source: forms, severity: 'error', seenBy: both },
    advice: 'Load <form origin>/sdk/v1/tessera.js, or embed the iframe <form origin>/form/v1.',
  },
  'form-origin': {
    text: 'The SDK and the iframe come from the service’s own origin: never the shop’s, and the one of --service when that is said.',
    ...{ source: forms, severity: 'error', seenBy: both },
    advice: 'Load both from the service: on the shop’s origin every script of the shop reads what is typed.',
  },
  'own-call': {
    text: 'No script of the page calls cards.create, cards.get_verify_code or cards.verify itself.',
    ...{ source: forms, severity: 'error', seenBy: both },
    advice: 'Leave these calls to the service’s form: whoever makes them has the card or the code in hand.',
  },
  'card-submitted': {
    text: 'No digit of a typed card goes anywhere but from the service’s form to the service: no request, beacon, WebSocket, data channel or address carries it, plain, encoded or hashed.',
    ...{ source: `${forms}; ${does}, 6`, severity: 'error', seenBy: 'browser' },
    advice: 'Find the script that sends it and remove it. If it came from a real page, look for a skimmer first.',
  },
  'card-in-storage': {
    text: 'No store of the browser holds digits of a typed card: localStorage, sessionStorage, cookies, indexedDB, CacheStorage.',
    ...{ source: `${does}, 6`, severity: 'error', seenBy: 'browser' },
    advice: 'Remove what writes it, and clear what is there: a merchant may keep the token and the mask.',
  },
  'card-in-page': {
    text: 'What is typed into the service’s form stands nowhere in the page: not in its marks, inputs, address, title, history or window name.',
    ...{ source: `${does}, 6`, severity: 'error', seenBy: 'browser' },
    advice: 'Remove what copies it. The service’s form tells a page no digit: look for who else was given it.',
  },
  'card-in-console': {
    text: 'What is typed is not written to the console.',
    ...{ source: `${does}, 6`, severity: 'error', seenBy: 'browser' },
    advice: 'Remove the line: error trackers send the console on.',
  },
  'card-in-message': {
    text: 'What is typed goes into no message between windows, frames, channels and workers.',
    ...{ source: forms, severity: 'error', seenBy: 'browser' },
    advice: 'Remove what sends it: a message reaches whoever listens.',
  },
  'links-missing': {
    text: 'The form shows who takes the card, with a powered-by label, a link to the terms and a link to the privacy policy.',
    ...{ source: `${forms}; ${does}, 7`, severity: 'error', seenBy: 'browser' },
    advice: 'Use the service’s form as it is: its footer has all three. Set termsUrl and privacyUrl at the service.',
  },
  'links-hidden': {
    text: 'The cardholder can see that label and those links: nothing covers, clips, fades or shrinks them.',
    ...{ source: forms, severity: 'error', seenBy: 'browser' },
    advice: 'Take away what lies over the frame, its opacity, filter or fixed height: the form asks for the height it needs.',
  },
  'consent-ticked': {
    text: 'No box that agrees to a card being kept is ticked before the cardholder ticks it.',
    ...{ source: `${does}, 7`, severity: 'error', seenBy: both },
    advice: 'Remove the checked attribute, and the script that ticks it. save: ‘ask’ brings a box of the service’s own.',
  },
  'password-in-page': {
    text: 'The merchant’s password is not in client code: not in the page, its scripts, its stores or its requests.',
    ...{ source: 'Specification, authentication, 4', severity: 'error', seenBy: both },
    advice: 'Send the merchant id alone, and rotate the password: tessera merchants rotate-password.',
  },
  'form-not-seen': {
    text: 'Where the page loads the SDK, the service’s form is there and takes a card.',
    ...{ source: forms, severity: 'warning', seenBy: 'browser' },
    advice:
      'If the form opens after a click, check the page behind it. Else see what the frame says: the origin may not be registered, or a policy blocks it.',
  },
  'not-https': {
    text: 'The page comes by https, unless it is on a developer’s own machine or network.',
    ...{ source: 'PCI DSS 4.0.1, 4.2.1', severity: 'warning', seenBy: 'browser' },
    advice: 'Serve the page by https: otherwise anybody on the way may put another form in its place.',
  },
  'sdk-integrity': {
    text: 'The SDK’s script carries an integrity hash and crossorigin.',
    ...{ source: `${scripts}; W3C Subresource Integrity`, severity: 'warning', seenBy: both },
    advice:
      'Load <form origin>/sdk/<version>/tessera.js, which never changes, with integrity from <form origin>/sdk/<version>/integrity.json and crossorigin="anonymous".',
  },
  'script-integrity': {
    text: 'A script from another origin carries an integrity hash and crossorigin.',
    ...{ source: `${scripts}; W3C Subresource Integrity`, severity: 'warning', seenBy: both },
    advice: 'Add integrity and crossorigin="anonymous", serve the script from your own origin, or keep it off the page that takes cards.',
  },
  'csp-missing': {
    text: 'The page says by a Content-Security-Policy which scripts and frames it loads.',
    ...{ source: `${scripts}; W3C Content Security Policy`, severity: 'warning', seenBy: both },
    advice: 'Send Content-Security-Policy, with script-src and frame-src naming the form’s origin.',
  },
  'csp-blocks-form': {
    text: 'That policy lets the service’s script and frame in.',
    ...{ source: 'W3C Content Security Policy', severity: 'warning', seenBy: both },
    advice: 'Add the form’s origin to script-src and frame-src.',
  },
  'csp-weak': {
    text: 'That policy narrows which scripts run: no ‘unsafe-inline’ without nonce or hash, no ‘unsafe-eval’, no *, no bare scheme.',
    ...{ source: scripts, severity: 'warning', seenBy: both },
    advice: 'Name origins, nonces or hashes in script-src.',
  },
  'script-inventory': {
    text: 'Every script on a page with the form is in the merchant’s inventory, with its reason.',
    ...{ source: scripts, severity: 'note', seenBy: both },
    advice: 'Write down why the page needs this script, and remove it if nothing does.',
  },
} as const satisfies Record<string, Rule>

export type RuleId = keyof typeof rules

/** The page that says more about a rule. */
export function docsOf(rule: RuleId): string {
  return `docs/guides/form-check.md#${rule}`
}
