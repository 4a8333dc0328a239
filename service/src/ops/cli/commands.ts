import { auditExport, auditHead, auditList, auditPublicKey, auditVerify, auditVerifyExport } from './audit.ts'
import type { Command, CommandOption } from './command.ts'
import { consentsExport, consentsShow } from './consents.ts'
import { doctor } from './doctor.ts'
import { eventsListen } from './events-listen.ts'
import { formCheck } from './form-check.ts'
import { keysDestroy, keysRotate, keysSignRows, keysStatus } from './keys.ts'
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
import { storeCheckCommand } from './store-check.ts'
import { settingsCommand, statusCommand, versionCommand } from './status.ts'
import { usersBlock, usersCreate, usersList, usersResetPassword } from './dashboard-users.ts'
import { merchantsEndpoint } from './merchant-endpoint.ts'
import { receiptsList, receiptsResolve, receiptsShow } from './receipts.ts'
import { eventsDead, eventsList, eventsReplay, webhooksAdd, webhooksList, webhooksRemove, webhooksRotateSecret } from './webhooks.ts'

/** Loaded when it runs, because it loads the whole service, which other commands do not need. */
const start: Command = {
  name: 'start',
  summary: 'Runs the service until it is stopped.',
  details:
    'Prints its addresses on standard output when it is ready, with --json as one line; the log goes to standard error.\n' +
    'SIGTERM or Ctrl-C stops it after the calls in progress; a second Ctrl-C stops it at once.',
  run: async (input) => (await import('./start.ts')).runStart(input),
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
    'Writes manifest.json, signed, with the hash of the copy and a checkpoint of the audit. It has no keys: the command says what has to be kept apart.\n' +
    'On PostgreSQL it writes the manifest, with the position of the log, for a copy by pg_basebackup or pgBackRest. docs/operating/backup.md has the drill.',
  options: [{ name: 'rate', takes: '<megabytes>', meaning: 'How much is copied a second, so that the service stays fast. Default: 16.' }],
  run: async (input) => (await import('./backup.ts')).runBackup(input),
}

const keysBackup: Command = {
  name: 'keys backup',
  args: '<file>',
  summary: 'Copies the embedded key store into a new file, also while the service runs.',
  details: 'Keep it in another place than the database and the key encryption key: together they open every card.',
  run: async (input) => (await import('./backup.ts')).runKeysBackup(input),
}

const restore: Command = {
  name: 'restore',
  args: '<folder>',
  summary: 'Verifies a backup, says what lies behind it, and with --yes continues from it.',
  details:
    'Stop every service on this database first. Puts the copy in place of the embedded database, whose files are kept; on PostgreSQL restore the database first.\n' +
    'Writes an audit entry and a signed statement, so that the older end of the audit is accepted. Verifies before it changes anything.',
  options: [yesOption, checkpointsOption],
  run: async (input) => (await import('./restore.ts')).runRestore(input),
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
  start,
  statusCommand,
  backup,
  restore,
  keysStatus,
  keysRotate,
  keysDestroy,
  keysSignRows,
  keysBackup,
  auditVerify,
  auditAcceptRestored,
  auditHead,
  auditList,
  auditExport,
  auditVerifyExport,
  auditPublicKey,
  storeCheckCommand,
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
  merchantsEndpoint,
  receiptsList,
  receiptsShow,
  receiptsResolve,
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
  doctor,
  versionCommand,
  help,
])
