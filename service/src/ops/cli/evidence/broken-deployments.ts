/**
 * Installations with one thing wrong each. A test makes each of them from one that is right, and compares the rows of the evidence that are not as before with
 * these. Printed into docs/operating/evidence.md.
 */
export interface BrokenDeployment {
  readonly name: string
  readonly what: string
  /** Ids of the rows that become `not met`. */
  readonly notMet: readonly string[]
  /** Ids of the rows that cannot be looked at then. */
  readonly unknown: readonly string[]
}

const withoutKeys = ['card-numbers', 'audit-entries', 'audit-history', 'changed-rows']

export const brokenDeployments: readonly BrokenDeployment[] = Object.freeze<BrokenDeployment[]>([
  {
    name: 'development-kek',
    what: 'The key encryption key is the development file.',
    notMet: ['start', 'kek'],
    unknown: ['key-integrity', ...withoutKeys],
  },
  { name: 'sandbox-network', what: 'The sandbox is chosen as the card network.', notMet: ['start', 'environment'], unknown: [] },
  {
    name: 'plain-database',
    what: 'PostgreSQL is reached over TCP without TLS, and no reason is given.',
    notMet: ['start', 'tls-inside'],
    unknown: [],
  },
  {
    name: 'keys-with-cards',
    what: 'The data keys are in the database of the cards.',
    notMet: ['start', 'keys-apart'],
    unknown: [],
  },
  { name: 'plain-form', what: 'The address of the card form is http.', notMet: ['start', 'tls-outside'], unknown: [] },
  { name: 'no-limits', what: 'The limits of calls are off.', notMet: ['start', 'limits'], unknown: [] },
  { name: 'open-folder', what: 'Other users can read the data folder.', notMet: ['start', 'files'], unknown: [] },
  { name: 'no-export', what: 'Checkpoints of the audit stay on the machine.', notMet: ['audit-export'], unknown: [] },
  { name: 'old-kek', what: 'The key encryption key is older than its cryptoperiod.', notMet: ['cryptoperiod'], unknown: [] },
  { name: 'test-data', what: 'The database has a message of the inbox of the sandbox.', notMet: ['start', 'test-data'], unknown: [] },
  {
    name: 'changed-card',
    what: 'Somebody who can write the database has changed a card.',
    notMet: ['card-numbers', 'changed-rows'],
    unknown: [],
  },
  {
    name: 'cut-audit',
    what: 'Somebody has deleted an entry from the middle of the audit.',
    notMet: ['audit-entries', 'audit-history'],
    unknown: [],
  },
  {
    name: 'secret-in-environment',
    what: 'The address of the database, with its password, is in the environment.',
    notMet: ['secrets'],
    unknown: [],
  },
  { name: 'no-page-readings', what: 'Pages of merchants are never read again.', notMet: ['page-readings'], unknown: [] },
  {
    name: 'late-page-readings',
    what: 'A registered page was not read again for more than a week.',
    notMet: ['page-readings'],
    unknown: [],
  },
  { name: 'password-only', what: 'A person signs in to the dashboard by a password alone.', notMet: ['second-factor'], unknown: [] },
])
