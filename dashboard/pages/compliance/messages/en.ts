// Loaded with the page, one file per language. {0}, {1} … are placeholders for `formatMessage`.
export const complianceEn = {
  about:
    'Items 3 to 7 of the specification, with what the service sees of each for you now. These are facts, not a verdict: whether you are compliant is for an assessor to decide, who may use this page as evidence.',
  sections: {
    statements: 'Items 3 to 7',
    findings: 'Findings',
    scripts: 'Scripts of your pages',
    consents: 'Consents',
    responsibilities: 'Responsibilities',
  },
  print: 'Print',
  saveAll: 'Save as JSON',
  saveEvidence: 'Provider’s confirmation (JSON)',
  csv: 'Save as CSV',
  items: {
    3: {
      title: 'A token is valid only for you and cannot be reversed',
      quote: 'Tokens cannot be reversed into the card number. A token is valid only for the merchant it was created for.',
    },
    4: {
      title: 'You hold tokens, not cards',
      quote: 'Merchants must not store card data in unencrypted form. They must use the token for every card-related operation.',
    },
    5: { title: 'What you may store', quote: 'card.token, card.number (masked), card.expire, card.verify, card.recurrent.' },
    6: { title: 'What you must never store', quote: 'The full card number, CVV/CVC codes, the card PIN, SMS verification codes.' },
    7: {
      title: 'Your duties',
      quote:
        'PCI DSS compliance, local data-protection rules, explicit user consent before a card token is stored, and a clear disclosure of how card data is processed and stored.',
    },
  },
  rowsUnchanged: 'rows unchanged',
  rowsChanged: 'rows modified outside the service: {0}',
  noTokens: 'You have no tokens yet. With the first one, this shows how its card number is stored.',
  tokens:
    'Tokens created for you: {0}. The newest {1} were checked just now: each is bound to your id, and for another merchant it does not exist.',
  sealed:
    'Card numbers stored sealed: {0} (AES-256-GCM in two layers, of which only the token opens the inner one); wiped with their card: {1}. Nobody can read one here, and no page shows one.',
  noneFound: 'nothing found',
  found: 'findings: {0}',
  noChecks: 'None of your pages has been checked yet. A check finds card inputs of your own.',
  checks: 'Pages checked: {0}; errors in their latest checks: {1}.',
  toPageCheck: 'To the page check',
  mayStore: ['The token, as a secret', 'The masked number', 'The expiry', 'Whether it was verified', 'Whether it is recurring'],
  neverStore: ['The full card number', 'CVV and CVC', 'The card’s PIN', 'SMS codes'],
  rejectedData:
    'The service rejects CVV, PIN and track data by name, and a card number anywhere but in card.number, and stores no value of such a call.',
  asserted: 'asserted without a text: {0}',
  duties: { pci: 'PCI DSS', law: 'Local rules', consent: 'Consent', disclosure: 'Disclosure' },
  noScripts: 'The script inventory (6.4.3) is empty: check your page.',
  scriptsToReview: 'Scripts in the inventory (6.4.3): {1}; still to be reviewed: {0}.',
  passwords: 'Active API passwords: {0}.',
  origins: 'Registered origins of your pages: {0}.',
  noOrigins: 'No origin of your pages is registered.',
  law: 'The service cannot see how you store your customers’ data. It stores the customer id you send, masked card numbers, consents, and masked phone numbers.',
  consents:
    'Of the newest cards: {0} through the service’s form, {1} from your page or app, {2} from your server, {3} asserted without a text.',
  disclosure: 'The consent text that cardholders see now, on behalf of {0}, version {1}:',
  findingsAbout:
    'Calls that your own code should not make. Each was rejected, or processed and counted here; none of its values is stored.',
  noFindings: {
    title: 'No findings',
    text: 'Your password in a browser, a CVV in a call, a card number in the wrong place: the service rejects such calls and lists them here, with the request and what to do.',
  },
  findings: {
    password_in_browser: {
      title: 'Your password came from a browser',
      todo: 'It is in a page or an app, where anybody can read it. Remove it, keep only the id there, and change the password at once.',
    },
    sad_sent: {
      title: 'A CVV, PIN or track data was sent',
      todo: 'Remove the field from your form and the member from the call. The service does not need it, and it must not be stored.',
    },
    card_out_of_place: {
      title: 'A card number was sent in the wrong place',
      todo: 'Find the member that contained it (description, account, customer, detail), and delete the number from your own database and logs.',
    },
    card_to_other_method: {
      title: 'A card number was sent to a method that does not take one',
      todo: 'Send the token instead of the card: only cards.create takes a number.',
    },
    card_from_server: {
      title: 'A card number passed through your server',
      todo: 'cards.create came with your password. Let the service’s form send the card from the browser: a server that sees card numbers is in scope of PCI DSS.',
    },
  },
  seenBy: { server: 'your own code', browser: 'only your id' },
  anyCaller: 'Your id is public, so the caller may have been somebody else.',
  toSettings: 'Change the password',
  count: 'Count',
  first: 'First',
  last: 'Last',
  where: 'Where',
  request: 'Request id',
  scriptsAbout:
    'PCI DSS 6.4.3 requires that each script on a payment page is authorized, its integrity assured, and its purpose documented. Page checks fill this list.',
  emptyScripts: {
    title: 'No scripts yet',
    text: 'Check the page that takes cards: every script on it is listed here, to be authorized with a reason, and reported again when it changes.',
  },
  onPage: 'on',
  pasted: 'a pasted page',
  party: { first: 'your own', third: 'third party' },
  noIntegrity: 'no integrity',
  reviewStates: {
    open: 'to be reviewed',
    authorised: 'authorized',
    refused: 'not allowed',
    changed: 'changed since it was authorized',
    gone: 'no longer on the page',
  },
  review: 'Review',
  reviewTitle: 'Does the page need this script?',
  noFingerprint: 'Its content is unknown and the page requires no integrity, so a change would go unnoticed. Add an integrity attribute.',
  reason: 'Why',
  reasonHint: 'What the script does, and who requested it. An assessor reads this.',
  authorize: 'Authorize',
  reject: 'Do not allow',
  consentsAbout: 'What cardholders agreed to when a card was saved, newest first. A consent is stored longer than its card.',
  assertedAbout:
    'Some were asserted by you without a text, so the service cannot show what was agreed to. Use its form, or send consent in cards.create.',
  noConsents: {
    title: 'No consent yet',
    text: 'A saved card (save) comes with what its cardholder agreed to: the text, its language, the time, and the source. It will be listed here.',
  },
  card: 'Card',
  payer: 'Customer',
  source: 'Source',
  agreed: 'Agreed',
  consentText: 'Text',
  noConsentText: 'none',
  sources: { form: 'the form', page: 'your page', server: 'your server', merchant: 'asserted', unknown: 'unknown' },
  modified: 'modified outside the service',
  consentsCsv: 'Save all as CSV',
  exported: 'Consents saved: {0}.',
  exportedFirst: 'The newest {0} were saved; there are more. Your provider exports all of them.',
  matrixAbout:
    'Between the provider of this service and you (PCI DSS 12.8.5, 12.9.2). Your agreement with the provider takes precedence over this table.',
  requirement: 'Requirement',
  topic: 'Topic',
  provider: 'The provider',
  merchant: 'You',
}

export type CompliancePageMessages = typeof complianceEn
