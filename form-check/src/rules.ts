/** One rule for a merchant's page. */
export interface Rule {
  /** What must be true of the page. */
  readonly text: string
  /** Where the requirement comes from. */
  readonly source: string
  /** `error`: required by the specification. `warning`: good practice. `info`: something to look at or to keep, not a violation. */
  readonly severity: 'error' | 'warning' | 'info'
  /** Which half of the check can detect a violation. */
  readonly seenBy: 'source and browser' | 'source' | 'browser'
  readonly advice: string
}

/** The parts of the specification that rules come from, as `source` names them. */
export const specificationParts = {
  cardForms: 'Specification, requirements for card-collection forms',
  service: 'Specification, what the service does',
  authentication: 'Specification, authentication',
} as const
const { cardForms, service, authentication } = specificationParts
const scripts = 'PCI DSS 4.0.1, 6.4.3'

/** Every rule, in the order of the report. docs/guides/form-check.md is printed from this table. */
export const rules = {
  'card-input': {
    text: 'The page has no card input of its own: not in its markup, not in a shadow root, not added later by a script, not in a third-party frame.',
    source: cardForms,
    severity: 'error',
    seenBy: 'source and browser',
    advice: 'Remove the input. Cards may be typed only into the service’s iframe or SDK.',
  },
  'sad-input': {
    text: 'The page does not ask for a CVV, a PIN or an SMS code.',
    source: `${service}, 6`,
    severity: 'error',
    seenBy: 'source and browser',
    advice: 'Remove the input. The service never asks for a CVV or a PIN, and the SMS code is typed into its form.',
  },
  'input-name': {
    text: 'No card input has a name attribute.',
    source: cardForms,
    severity: 'error',
    seenBy: 'source and browser',
    advice: 'Remove the name attribute, and then the input itself.',
  },
  'form-action': {
    text: 'A form around card inputs or around the service’s form has no action attribute, and nothing in it has a formaction.',
    source: cardForms,
    severity: 'error',
    seenBy: 'source and browser',
    advice: 'Remove action and formaction. Your script receives the token; nothing needs to be submitted.',
  },
  'submit-attribute': {
    text: 'Such a form has no other attribute that submits it: method, formmethod, dirname, form, data-remote, hx-post and the like.',
    source: cardForms,
    severity: 'error',
    seenBy: 'source and browser',
    advice: 'Remove the attribute, or move the other fields of the form out of it.',
  },
  'sdk-missing': {
    text: 'A page that takes cards uses the service’s SDK or iframe.',
    source: cardForms,
    severity: 'error',
    seenBy: 'source and browser',
    advice: 'Load <form origin>/sdk/v1/tessera.js, or embed the iframe <form origin>/form/v1.',
  },
  'form-origin': {
    text: 'The SDK and the iframe are loaded from the service’s own origin: never from the shop’s, and from the one given with --service if it is given.',
    source: cardForms,
    severity: 'error',
    seenBy: 'source and browser',
    advice: 'Load both from the service. On the shop’s origin every script of the shop can read what is typed.',
  },
  'own-call': {
    text: 'No script of the page calls cards.create, cards.get_verify_code or cards.verify itself.',
    source: cardForms,
    severity: 'error',
    seenBy: 'source and browser',
    advice: 'Leave these calls to the service’s form: a script that makes them handles the card number or the code.',
  },
  'card-submitted': {
    text: 'Digits of a typed card are sent only from the service’s form to the service: no other request, beacon, WebSocket, data channel or address contains them, plain, encoded or hashed.',
    source: `${cardForms}; ${service}, 6`,
    severity: 'error',
    seenBy: 'browser',
    advice: 'Find the script that sends them and remove it. If this happens on your live page, suspect a skimmer first.',
  },
  'card-in-storage': {
    text: 'No browser storage contains digits of a typed card: localStorage, sessionStorage, cookies, indexedDB, CacheStorage.',
    source: `${service}, 6`,
    severity: 'error',
    seenBy: 'browser',
    advice: 'Remove the code that writes them, and delete what is stored. A merchant may store only the token and the masked number.',
  },
  'card-in-page': {
    text: 'What is typed into the service’s form appears nowhere in the page: not in its markup, inputs, address, title, history or window name.',
    source: `${service}, 6`,
    severity: 'error',
    seenBy: 'browser',
    advice: 'Remove the code that copies it. The service’s form never passes digits to the page: find out where the page got them.',
  },
  'card-in-console': {
    text: 'Digits of a typed card are not written to the console.',
    source: `${service}, 6`,
    severity: 'error',
    seenBy: 'browser',
    advice: 'Remove the log line: error trackers collect console output.',
  },
  'card-in-message': {
    text: 'Digits of a typed card are not posted in messages between windows, frames, channels or workers.',
    source: cardForms,
    severity: 'error',
    seenBy: 'browser',
    advice: 'Remove the code that posts them: a message reaches every listener.',
  },
  'typed-text-sent': {
    text: 'An input for something else, such as a search, sends what is typed: here the digits of a card.',
    source: `${service}, 6`,
    severity: 'info',
    seenBy: 'browser',
    advice: 'Make sure that nothing on the page invites people to type a card there.',
  },
  'links-missing': {
    text: 'The form shows who takes the card: a powered-by link to the provider, a link to the terms and a link to the privacy policy.',
    source: `${cardForms}; ${service}, 7`,
    severity: 'error',
    seenBy: 'browser',
    advice: 'Use the service’s form unchanged: its footer has all three. Set providerUrl, termsUrl and privacyUrl in the service.',
  },
  'links-hidden': {
    text: 'The cardholder can see these links: nothing covers, clips, fades or shrinks them.',
    source: cardForms,
    severity: 'error',
    seenBy: 'browser',
    advice: 'Remove what covers the frame, and any opacity, filter or fixed height: the form requests the height it needs.',
  },
  'consent-ticked': {
    text: 'No checkbox for storing the card is ticked before the cardholder ticks it.',
    source: `${service}, 7`,
    severity: 'error',
    seenBy: 'source and browser',
    advice: 'Remove the checked attribute, and any script that ticks the box. With save: ‘ask’ the service’s form shows its own checkbox.',
  },
  'password-in-page': {
    text: 'The merchant’s password is not in client code: not in the page, its scripts, its storage or its requests.',
    source: `${authentication}, 4`,
    severity: 'error',
    seenBy: 'source and browser',
    advice: 'Send the merchant id alone, and rotate the password: tessera merchants rotate-password.',
  },
  'form-not-seen': {
    text: 'On a page that loads the SDK, the service’s form appears and accepts a card.',
    source: cardForms,
    severity: 'warning',
    seenBy: 'browser',
    advice:
      'If the form opens after a click, check the page behind that click. Otherwise read what the frame shows: the origin may not be registered, or a policy may block it.',
  },
  'not-https': {
    text: 'The page is served over HTTPS, unless it is on a developer’s own machine or network.',
    source: 'PCI DSS 4.0.1, 4.2.1',
    severity: 'warning',
    seenBy: 'browser',
    advice: 'Serve the page over HTTPS: otherwise anybody on the network path can replace the form.',
  },
  'sdk-integrity': {
    text: 'The SDK’s script tag has integrity and crossorigin attributes.',
    source: `${scripts}; W3C Subresource Integrity`,
    severity: 'warning',
    seenBy: 'source and browser',
    advice:
      'Load <form origin>/sdk/<version>/tessera.js, which never changes, with the integrity from <form origin>/sdk/<version>/integrity.json and crossorigin="anonymous".',
  },
  'script-integrity': {
    text: 'Every script from another origin has integrity and crossorigin attributes.',
    source: `${scripts}; W3C Subresource Integrity`,
    severity: 'warning',
    seenBy: 'source and browser',
    advice:
      'Add integrity and crossorigin="anonymous", serve the script from your own origin, or remove it from the page that takes cards.',
  },
  'csp-missing': {
    text: 'The page has a Content-Security-Policy that limits which scripts and frames it loads.',
    source: `${scripts}; W3C Content Security Policy`,
    severity: 'warning',
    seenBy: 'source and browser',
    advice: 'Send a Content-Security-Policy whose script-src and frame-src name the form’s origin.',
  },
  'csp-blocks-form': {
    text: 'The policy allows the service’s script and frame.',
    source: 'W3C Content Security Policy',
    severity: 'warning',
    seenBy: 'source and browser',
    advice: 'Add the form’s origin to script-src and frame-src.',
  },
  'csp-weak': {
    text: 'The policy limits which scripts run: no ‘unsafe-inline’ without a nonce or hash, no ‘unsafe-eval’, no *, no bare scheme.',
    source: scripts,
    severity: 'warning',
    seenBy: 'source and browser',
    advice: 'Name origins, nonces or hashes in script-src.',
  },
  'script-inventory': {
    text: 'Every script on a page with the form is in the merchant’s inventory, with its purpose.',
    source: scripts,
    severity: 'info',
    seenBy: 'source and browser',
    advice: 'Write down why the page needs this script. Remove it if nothing does.',
  },
} as const satisfies Record<string, Rule>

export type RuleId = keyof typeof rules
