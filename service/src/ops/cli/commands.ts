import { auditExport, auditHead, auditList, auditPublicKey, auditVerify, auditVerifyExport } from './audit.ts'
import { clockConfirm, clockStatus } from './clock.ts'
import type { Command, CommandOption } from './command.ts'
import { consentsExport, consentsShow } from './consents.ts'
import { doctor } from './doctor.ts'
import { eventsListen } from './events-listen.ts'
import { formCheck } from './form-check.ts'
import { keysCheckShare, keysShares, keysTakeShare, keysUnseal } from './custody.ts'
import { keysEnrollNode, keysFetch, keysNodeKey, keysNodes, keysRevokeNode } from './custody-nodes.ts'
import { keysDestroy, keysReseal, keysRewrap, keysRotate, keysSignRows, keysStatus, keysVerify } from './keys.ts'
import {
  merchantsCreate,
  merchantsList,
  merchantsShow,
  merchantsSet,
  merchantsBlock,
  merchantsUnblock,
  merchantsRotatePassword,
  merchantsRetirePassword,
} from './merchants.ts'
import { sandboxClock, sandboxInbox, sandboxLimits, sandboxReset, sandboxRestore, sandboxStep, sandboxSteps } from './sandbox.ts'
import { scan } from './scan.ts'
import { smsFind, smsStatus, smsTest } from './sms.ts'
import { storeCheckCommand } from './store-check.ts'
import { settingsCommand, statusCommand, versionCommand } from './status.ts'
import { usersBlock, usersCreate, usersList, usersResetPassword } from './dashboard-users.ts'
import { merchantsImport } from './merchants-import.ts'
import { merchantsEndpoint } from './merchant-endpoint.ts'
import { receiptsReconcile } from './receipts-reconcile.ts'
import { receiptsList, receiptsResolve, receiptsShow } from './receipts.ts'
import {
  eventsDead,
  eventsList,
  eventsReplay,
  eventsReplayFailed,
  webhooksAdd,
  webhooksList,
  webhooksRemove,
  webhooksRotateSecret,
} from './webhooks.ts'

/** Loaded when it runs, because it loads the whole service, which other commands do not need. */
const start: Command = {
  name: 'start',
  summary: 'Runs the service until it is stopped.',
  details:
    'Prints its addresses on standard output when it is ready, with --json as one line; the log goes to standard error.\n' +
    'SIGTERM or Ctrl-C stops it after the calls in progress; a second Ctrl-C stops it at once.',
  options: [
    {
      name: 'after-move',
      meaning:
        'For tessera store move: starts beside the service that is moved, and goes on as soon as that has ended. The pause is shorter.',
    },
  ],
  run: async (input) => (await import('./start.ts')).runStart(input),
}

/** Loaded when it runs, because it loads the store. */
const migrate: Command = {
  name: 'migrate',
  summary: 'Shows which changes of the schema this version brings, and applies them on PostgreSQL beside the running services.',
  details:
    'A start does the same. Use it before an upgrade, with the new version and the settings of the service, so that the restarts take no longer than others.\n' +
    'Each change is a transaction of its own, which waits for a table two seconds at most, and is tried again for two minutes.\n' +
    'Services of the previous version go on with what only adds to the schema. A change that is marked as breaking needs them stopped: see --breaking.',
  options: [
    { name: 'yes', meaning: 'Applies them; without this the command only shows them.' },
    { name: 'breaking', meaning: 'Also those on which services of the previous version fail: stop them first.' },
    {
      name: 'distribute',
      meaning:
        'Distributes the tables over the nodes of Citus: prints the statements, and runs them with --yes while no service runs. When it is interrupted, repeat it. ' +
        'Not tried with Citus in this version.',
    },
  ],
  run: async (input) => (await import('./migrate.ts')).runMigrate(input),
}

/** Of `tessera backup` and `tessera keys backup`. */
const recipientOptions: readonly CommandOption[] = [
  {
    name: 'recipient',
    takes: '<age1…>',
    meaning: 'Encrypts the copy to this public key of age, or to several with commas between them; only their identities open it.',
  },
  { name: 'recipients-file', takes: '<file>', meaning: 'A file with recipients, one on a line.' },
]

/** Of `tessera restore`. */
const identityOption: CommandOption = {
  name: 'identity',
  takes: '<file>',
  meaning: 'The file of age-keygen that opens an encrypted backup; only this user may read it.',
}

/** Loaded when it runs, because it loads the store. */
const retentionReport: Command = {
  name: 'retention report',
  summary: 'Shows what is stored, for how long and why, how much of it there is, and what is past its time.',
  details:
    'Reads the database beside a service or without one, and changes nothing. It counts whole tables, which takes a while on a large database.\n' +
    'Exit code 1 when something should have been deleted more than an hour ago.',
  run: async (input) => (await import('./retention.ts')).runRetentionReport(input),
}

const yesOption: CommandOption = { name: 'yes', meaning: 'Does it; without this the command only says what it would do.' }
const checkpointsOption: CommandOption = {
  name: 'from',
  takes: '<file>',
  meaning: 'A file of checkpoints from another place, besides those of the data folder.',
}

/** Loaded when it runs, like `start`. */
const auditAcceptRestored: Command = {
  name: 'audit accept-restored',
  summary: 'Accepts a database that was restored from a backup, after a start that was refused with database_restored.',
  details:
    'Stop every service on this database first. What was changed after the backup is lost; the command writes an audit entry and\n' +
    'records the ends of the audit chains as they are now.',
  options: [yesOption, checkpointsOption],
  run: async (input) => (await import('./accept-restored.ts')).runAcceptRestored(input),
}

const backup: Command = {
  name: 'backup',
  args: '<folder>',
  summary: 'Copies the embedded database into a new folder and verifies the copy, also while the service runs.',
  details:
    'Writes manifest.json, signed, with the hash of the copy and a checkpoint of the audit, and an audit entry. It has no keys: the command says what has to be\n' +
    'kept apart. Missing audit entries are named and no hindrance; a damaged page is.\n' +
    'On PostgreSQL it writes the manifest, with the position of the log, for a copy by pg_basebackup or pgBackRest. docs/operating/backup.md has the drill.',
  options: [
    { name: 'rate', takes: '<megabytes>', meaning: 'How much is copied a second, so that the service stays fast. Default: 16.' },
    ...recipientOptions,
  ],
  run: async (input) => (await import('./backup.ts')).runBackup(input),
}

/** Loaded when it runs. */
const canary: Command = {
  name: 'canary',
  summary: 'Stores a card, looks at it and removes it, from outside, as a merchant does; once, or again and again with metrics.',
  details:
    'For a merchant that is reserved for it. In production the card is a number of a routed prefix that no bank has issued to anyone: cards.create asks no card\n' +
    'network, and no SMS is sent. With --code, in the test environment, the card is verified as well. Each card is removed in the end.\n' +
    'Exit code 1 when a round failed. docs/operating/canary.md',
  options: [
    { name: 'url', takes: '<url>', meaning: 'The address that merchants use: https://pay.example.uz.' },
    { name: 'merchant', takes: '<file>', meaning: 'A file with <merchant>:<password>, which only this user can read.' },
    { name: 'card', takes: '<file>', meaning: 'A file with <number> <MMYY>, which only this user can read.' },
    { name: 'code', takes: '<code>', meaning: 'Also requests a code and confirms the card with this one: 666666 of the test environment.' },
    { name: 'timeout', takes: '<seconds>', meaning: 'How long a call may take. Default: 10.' },
    {
      name: 'every',
      takes: '<seconds>',
      meaning: 'A round every so many seconds, until Ctrl-C; 300 stays within the limits of a card and an address.',
    },
    { name: 'metrics-port', takes: '<port>', meaning: 'With --every: serves /metrics on 127.0.0.1.' },
  ],
  ignoresSettings: true,
  run: async (input) => (await import('./canary/run-canary.ts')).runCanary(input),
}

/** Loaded when it runs, like `start`. */
const evidence: Command = {
  name: 'evidence',
  summary: 'Writes what an assessor asks for: facts by requirement of PCI DSS, found on configuration, stores and files, and signed.',
  details:
    'Changes nothing but the folder, and can be run while the service runs, or where it refuses to start: the refusal is a finding then. It reads every row and\n' +
    'every audit entry, as tessera store check does. Has no card number, no secret and no phone.\n' +
    'Exit code 1 when a requirement is not met, or could not be looked at. docs/operating/evidence.md lists the rows.',
  options: [
    { name: 'out', takes: '<folder>', meaning: 'A new or empty folder for evidence.md, evidence.json and SHA256SUMS.' },
    {
      name: 'verify',
      takes: '<evidence.json>',
      meaning: 'Instead: verifies the signature of a pack with the public key alone; exit code 1 when it is not signed as it is.',
    },
    { name: 'key', takes: '<file>', meaning: 'With --verify: one or more public keys in PEM, the output of tessera audit public-key.' },
    {
      name: 'merchant',
      takes: '<id>',
      meaning: 'Instead: the pack of a merchant, which lets a shop rest SAQ A on you (PCI SSC FAQ 1588).',
    },
    {
      name: 'signing-key',
      takes: '<file>',
      meaning: 'With --merchant: your own Ed25519 private key in PEM. The pack then has the confirmation, and this key signs it.',
    },
    { name: 'publish', meaning: 'With --signing-key: the merchant can download the pack in the dashboard. Needs the service to run.' },
  ],
  run: async (input) => (await import('./evidence/run-evidence.ts')).runEvidence(input),
}

/** Loaded when it runs, because it loads what a start loads. */
const init: Command = {
  name: 'init',
  summary: 'Asks what a production start must know, writes the config file, and checks what it names.',
  details:
    'Every setting that a flag, the environment or --config gives is an answer; without a terminal, or with --no-questions, nothing else is asked.\n' +
    'The config file has no secrets: each is written into a file of its own, which only this user can read. Nothing is overwritten, and nothing is\n' +
    'written before the last answer. Connects to databases, KEK, SMS gateway and card network; sends no card and no SMS.\n' +
    'Exit code 1 when something is still missing or does not respond; the files are written all the same.',
  options: [
    { name: 'output', takes: '<file>', meaning: 'The config file to write; ./tessera.json by default.' },
    { name: 'secrets', takes: '<folder>', meaning: 'The folder for files with secrets; secrets, beside the config file, by default.' },
    { name: 'no-questions', meaning: 'Ask nothing.' },
  ],
  run: async (input) => (await import('./init.ts')).runInit(input),
}

const keysInit: Command = {
  name: 'keys init',
  summary: 'Lets the chosen provider generate the key encryption key (KEK), before the first start.',
  details:
    'With TESSERA_KEK=pkcs11 the key is generated in the token and cannot leave it. A key that exists is not replaced, and a key store whose keys\n' +
    'another KEK wraps is refused. Wraps and unwraps a test key. In the test environment the first start does it.',
  options: [
    {
      name: 'next',
      meaning: 'Generates the KEK that is to replace the current one: that of TESSERA_KEK_NEXT_FILE, or with --shares a new set.',
    },
    {
      name: 'shares',
      takes: '<n>',
      meaning: 'Makes a KEK in shares of custodians, in the running service: tessera keys take-share shows them.',
    },
    { name: 'threshold', takes: '<k>', meaning: 'With --shares: how many of them open the KEK.' },
    {
      name: 'custodian',
      takes: '<name>',
      meaning: 'With --shares: who you are, for the audit; by default the user who ran sudo, or the system user.',
    },
  ],
  run: async (input) =>
    input.options.has('shares') ? (await import('./custody.ts')).runSharesInit(input) : (await import('./keys-init.ts')).runKeysInit(input),
}

const keysBackup: Command = {
  name: 'keys backup',
  args: '<file>',
  summary: 'Copies the embedded key store into a new file, also while the service runs.',
  details: 'Keep it in another place than the database and the key encryption key: together they open every card.',
  options: recipientOptions,
  run: async (input) => (await import('./backup.ts')).runKeysBackup(input),
}

const restore: Command = {
  name: 'restore',
  args: '<folder>',
  summary: 'Verifies a backup, says what lies behind it, and with --yes continues from it.',
  details:
    'Stop every service on this database first. Puts the copy in place of the embedded database, whose files are kept; on PostgreSQL restore the database first.\n' +
    'Writes an audit entry and a signed statement, so that the older end of the audit is accepted. Verifies before it changes anything.',
  options: [yesOption, checkpointsOption, identityOption],
  run: async (input) => (await import('./restore.ts')).runRestore(input),
}

/** Loaded when it runs, because it loads the store. */
const storeMove: Command = {
  name: 'store move',
  summary: 'Moves the embedded database and its keys to PostgreSQL while the service runs, or back before the first write there.',
  details:
    'Run it beside the service, with the settings of the next start: TESSERA_DATABASE_URL, in production TESSERA_KEYS_DATABASE_URL too. The databases are empty.\n' +
    'Copies every table but the request log, checks MACs, keys and audit chains of the copy, compares every row, and copies what changes meanwhile. Then writes\n' +
    'wait for a moment, the last changes are copied and compared, the embedded database is closed to every write, and the service stops: start it at once,\n' +
    'as in tessera store move && systemctl restart tessera. Until then Ctrl-C, an error or a crash leaves the embedded database in charge.\n' +
    'See docs/operating/move-to-postgresql.md.',
  options: [
    {
      name: 'back',
      meaning:
        'Puts the embedded database in charge again, while no service runs. Compares every row first: refused after the first write on PostgreSQL.',
    },
  ],
  run: async (input) => (await import('./store-move.ts')).runStoreMove(input),
}

/** Loaded when it runs, like `start`. */
const storeChoosePrimary: Command = {
  name: 'store choose-primary',
  args: '<host:port>',
  summary: 'Chooses the PostgreSQL server to follow while two accept writes, or only one that is older than the last.',
  details:
    'Without --yes it shows every host with its epoch and timeline. Runs beside the services, which follow within two seconds, and writes an audit entry\n' +
    'on the chosen server. An ordinary failover needs no choice: stop the older server, or make it a standby.',
  options: [{ name: 'yes', meaning: 'Chooses it; without this the command only shows what it found.' }],
  run: async (input) => (await import('./choose-primary.ts')).runChoosePrimary(input),
}

/** For the list and for suggestions; `runCommandLine` handles it. */
const help: Command = {
  name: 'help',
  args: '[command]',
  summary: 'Prints this help, or that of one command.',
  run: () => Promise.resolve({ exit: 'done', data: {}, text: '' }),
}

/** Every command, in the order of the help. */
export const commands: readonly Command[] = Object.freeze([
  init,
  start,
  statusCommand,
  backup,
  restore,
  migrate,
  keysInit,
  keysStatus,
  keysRotate,
  keysDestroy,
  keysReseal,
  keysRewrap,
  keysVerify,
  keysSignRows,
  keysBackup,
  keysTakeShare,
  keysCheckShare,
  keysUnseal,
  keysShares,
  keysFetch,
  keysNodeKey,
  keysEnrollNode,
  keysRevokeNode,
  keysNodes,
  auditVerify,
  auditAcceptRestored,
  storeChoosePrimary,
  auditHead,
  auditList,
  auditExport,
  auditVerifyExport,
  auditPublicKey,
  storeCheckCommand,
  storeMove,
  retentionReport,
  clockStatus,
  clockConfirm,
  smsFind,
  smsStatus,
  smsTest,
  consentsShow,
  consentsExport,
  merchantsCreate,
  merchantsList,
  merchantsShow,
  merchantsSet,
  merchantsBlock,
  merchantsUnblock,
  merchantsRotatePassword,
  merchantsRetirePassword,
  merchantsImport,
  merchantsEndpoint,
  receiptsList,
  receiptsShow,
  receiptsResolve,
  receiptsReconcile,
  usersCreate,
  usersList,
  usersBlock,
  usersResetPassword,
  webhooksAdd,
  webhooksList,
  webhooksRemove,
  webhooksRotateSecret,
  eventsList,
  eventsDead,
  eventsReplay,
  eventsReplayFailed,
  eventsListen,
  sandboxSteps,
  sandboxStep,
  sandboxInbox,
  sandboxLimits,
  sandboxClock,
  sandboxRestore,
  sandboxReset,
  settingsCommand,
  formCheck,
  scan,
  doctor,
  canary,
  evidence,
  versionCommand,
  help,
])
