// Fetched with the page, a file a language: {0}, {1} are filled by `fill`.
export const en = {
  about:
    'Items 3 to 7 of the specification, with what the service sees of them for you at this moment. These are facts and no verdict: whether you are compliant an assessor says, and may take this page along.',
  parts: {
    statements: 'Items 3 to 7',
    findings: 'Findings',
    scripts: 'Scripts of your pages',
    consents: 'Consents',
    responsibilities: 'Who does what',
  },
  print: 'Print',
  saveAll: 'Save as JSON',
  csv: 'Save as CSV',
  items: {
    3: {
      title: 'A token is yours alone, and no way back',
      says: 'Tokens cannot be reversed into the card number. A token is valid only for the merchant it was created for.',
    },
    4: {
      title: 'You hold tokens, not cards',
      says: 'Merchants must not store card data in unencrypted form. They must use the token for every card-related operation.',
    },
    5: { title: 'What you may store', says: 'card.token, card.number (masked), card.expire, card.verify, card.recurrent.' },
    6: { title: 'What you must never store', says: 'The full card number, CVV/CVC codes, the card PIN, SMS verification codes.' },
    7: {
      title: 'Your duties',
      says: 'PCI DSS compliance, local data-protection rules, explicit user consent before a card token is stored, and a clear disclosure of how card data is processed and stored.',
    },
  },
  asWritten: 'rows as written',
  changedRows: 'rows changed by another hand: {0}',
  noTokens: 'No token was made for you yet. The first one shows here how its number is kept.',
  tokens:
    'Tokens made for you: {0}. The newest were looked at just now, {1} of them: each is bound to your id, and another merchant’s call with it is answered as if there were none.',
  sealed:
    'Numbers that lie sealed: {0} (AES-256-GCM, two layers, the inner one opens by the token alone); wiped with their card: {1}. Nobody can read one here, and no page shows one.',
  nothingSeen: 'nothing seen',
  seen: 'findings: {0}',
  noChecks: 'No page of yours was checked yet: inputs of your own for cards would be found there.',
  checks: 'Pages checked: {0}; errors in their last checks: {1}.',
  toPageCheck: 'To the page check',
  may: ['The token, as a secret', 'The masked number', 'The expiry', 'Whether it was verified', 'Whether it recurs'],
  never: ['The full card number', 'CVV and CVC', 'The PIN of the card', 'Codes of SMS'],
  refusedHere: 'The service refuses CVV, PIN and track by name, and a card number in any other member, and keeps no value of the call.',
  asserted: 'asserted without a text: {0}',
  duties: { pci: 'PCI DSS', law: 'Local rules', consent: 'Consent', disclosure: 'Disclosure' },
  noScripts: 'The inventory of scripts (6.4.3) is empty: check your page.',
  scriptsToJudge: 'Scripts in the inventory (6.4.3): {1}; still to be looked at: {0}.',
  passwords: 'Live API passwords: {0}.',
  origins: 'Registered origins of your pages: {0}.',
  noOrigins: 'No origin of your pages is registered.',
  law: 'The service cannot see how you keep your own customers’ data. What it keeps of them: the payer’s id that you send, masks, consents, and masked phones.',
  consents:
    'Of the newest cards: {0} by the service’s form, {1} by a page or app of yours, {2} by your server, {3} asserted without a text.',
  disclosure: 'What cardholders are asked today, in the name of {0}, version {1}:',
  findingsAbout:
    'What the service saw your own code do that it should not. Each such call was refused, or answered and counted here; no value of it is kept.',
  noFindings: {
    title: 'Nothing was seen',
    text: 'Your password in a browser, a CVV in a call, a card number where none belongs: the service would refuse it and tell you here, with the request and what to do.',
  },
  findings: {
    password_in_browser: {
      title: 'Your password came from a browser',
      todo: 'It stands in a page or an app, where everybody can read it. Take it out, leave the id alone, and change the password at once.',
    },
    sad_sent: {
      title: 'A CVV, PIN or track was sent',
      todo: 'Take the field off your form and the member out of the call. The service needs none of them, and nobody may keep them.',
    },
    card_out_of_place: {
      title: 'A card number stood where none belongs',
      todo: 'Look for the member that held it (description, account, customer, detail), and clear the number out of your own database and logs.',
    },
    card_to_other_method: {
      title: 'A card number went to a method that takes none',
      todo: 'Send the token in place of the card: only cards.create takes a number.',
    },
    card_from_server: {
      title: 'A card number passed through a server of yours',
      todo: 'cards.create came with your password. Let the service’s form send the card from the browser: a server that sees numbers is in the scope of PCI DSS.',
    },
  },
  seenBy: { server: 'your own code', browser: 'with your id alone' },
  anybody: 'Your id is public, so this may have been somebody else.',
  toSettings: 'Change the password',
  howOften: 'How often',
  first: 'First',
  last: 'Last',
  where: 'Where',
  request: 'Request id',
  scriptsAbout:
    'PCI DSS 6.4.3 asks that each script of a page that takes cards is authorised, its integrity assured, and its reason written down. The list is filled by page checks.',
  emptyScripts: {
    title: 'No script is known yet',
    text: 'Check the page that takes cards: every script on it is listed here, to be authorised with its reason, and told again when it is another.',
  },
  onPage: 'on',
  pasted: 'a page that was pasted',
  party: { first: 'your own', third: 'somebody else’s' },
  noIntegrity: 'no integrity',
  judged: {
    open: 'to be looked at',
    authorised: 'authorised',
    refused: 'should not be there',
    changed: 'changed since it was authorised',
    gone: 'gone from the page',
  },
  judge: 'Look at it',
  judgeTitle: 'Does the page need this script?',
  noPrint: 'Its content is not known and its page demands no integrity: a change of it would not be seen. Add an integrity attribute.',
  why: 'Why',
  whyHint: 'What it does there, and who asked for it. An assessor reads this.',
  authorise: 'Authorise',
  refuse: 'Should not be there',
  consentsAbout: 'What cardholders agreed to when a card was kept, newest first. A consent outlives its card.',
  assertedAbout:
    'Some were asserted by you without a text: the service can show nobody what was agreed to. Its form, or consent in cards.create, changes that.',
  noConsents: {
    title: 'No consent yet',
    text: 'A card that is kept (save) comes with what its cardholder agreed to: the text, its language, the moment, and who says so. It will stand here.',
  },
  card: 'Card',
  payer: 'Payer',
  by: 'Who says so',
  agreed: 'Agreed',
  words: 'Text',
  noWords: 'none',
  ways: { form: 'the form', page: 'your page', server: 'your server', merchant: 'asserted', unknown: 'unknown' },
  notTrue: 'changed by another hand',
  consentsCsv: 'Save all as CSV',
  exported: 'Consents saved: {0}.',
  exportedFirst: 'The newest {0} were saved; there are more. Your provider exports all of them.',
  matrixAbout:
    'Between the provider who runs this service and you (PCI DSS 12.8.5, 12.9.2). Your agreement with the provider goes before this table.',
  requirement: 'Requirement',
  topic: 'What',
  provider: 'The provider',
  merchant: 'You',
}

export type ComplianceWords = typeof en
