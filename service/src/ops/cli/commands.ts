import type { Command } from './command.ts'
import { consentsExport, consentsShow } from './consents.ts'
import { doctor } from './doctor.ts'
import { eventsListen } from './events-listen.ts'
import { formCheck } from './form-check.ts'
import { keysDestroy, keysRotate, keysStatus } from './keys.ts'
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
import { auditVerify, settingsCommand, statusCommand, versionCommand } from './status.ts'
import { usersBlock, usersCreate, usersList, usersResetPassword } from './dashboard-users.ts'
import { merchantsEndpoint } from './merchant-endpoint.ts'
import { receiptsList, receiptsResolve, receiptsShow } from './receipts.ts'
import { eventsDead, eventsList, eventsReplay, webhooksAdd, webhooksList, webhooksRemove, webhooksRotateSecret } from './webhooks.ts'

/** Started apart from the others: it loads the whole service, which a command that only asks one need not. */
const start: Command = {
  name: 'start',
  summary: 'Runs the service until it is told to stop.',
  about:
    'Prints what it is on standard output when it is ready, with --json as one line; the log goes to standard error.\n' +
    'SIGTERM or Ctrl-C stops it once every call in flight is answered; a second Ctrl-C stops it at once.',
  run: async (input) => (await import('./start.ts')).runStart(input),
}

/** Here for the list and for suggestions; `runCommandLine` answers it before it comes to this. */
const help: Command = {
  name: 'help',
  words: '[command]',
  summary: 'Prints this, or more about one command.',
  run: () => Promise.resolve({ exit: 'done', facts: {}, text: '' }),
}

/** Every command, in the order of the help. */
export const commands: readonly Command[] = Object.freeze([
  start,
  statusCommand,
  keysStatus,
  keysRotate,
  keysDestroy,
  auditVerify,
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
