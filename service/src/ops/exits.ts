/** The exit codes, those of BSD's sysexits(3) where it has one. Printed by `tessera help`; also in docs/operating/running.md. */
export const exits = {
  done: { code: 0, meaning: 'Success; for start: stopped by a signal, after the calls in progress.' },
  findings: {
    code: 1,
    meaning:
      'A check found something: audit verify, store check, keys verify, keys rewrap, keys reseal, consents, doctor, form-check, scan, receipts show, receipts reconcile, sms test; status --ready: the service takes no calls; retention report: something is past its time.',
  },
  notChecked: {
    code: 2,
    meaning:
      'form-check: the page could not be checked; the message says what to do. scan: nothing was found, and something could not be read.',
  },
  usage: { code: 64, meaning: 'Invalid command line: unknown command, argument or option, or the service refused the request.' },
  damaged: {
    code: 65,
    meaning:
      'A database or a file of the data folder is damaged, or is not one of Tessera: restore it from a backup. backup: the copy is not usable. receipts reconcile: the file is malformed.',
  },
  unavailable: { code: 69, meaning: 'No service runs on the data folder, or its database or the provider of its KEK does not respond.' },
  internalError: { code: 70, meaning: 'Internal error; see the log.' },
  cannotCreate: {
    code: 73,
    meaning:
      'The data folder, or a file or folder that the command was given, cannot be created, read or written; backup: there is no room for the copy.',
  },
  ioError: {
    code: 74,
    meaning:
      'The disk failed during a commit; nothing was acknowledged. Check the disk before starting again. A command: its output could not be written, and is not complete.',
  },
  inUse: { code: 75, meaning: 'The data folder is in use by another service, or the port by another program.' },
  invalidSettings: {
    code: 78,
    meaning: 'Invalid settings, or a start that does not find what it had: keys, database or data folder. Each reason is listed.',
  },
  interrupted: {
    code: 130,
    meaning:
      'Stopped at once by a second Ctrl-C, calls in progress were cut off; form-check, scan, and backup and restore of an encrypted copy: by the first.',
  },
} as const satisfies Record<string, { code: number; meaning: string }>

export type Exit = keyof typeof exits

/** Ends the command with an exit code. The message says what to do. */
export class ExitError extends Error {
  readonly exit: Exit
  /** What happened, and why. */
  readonly what: string
  /** What to do, when it is not in `what`. */
  readonly advice: string

  constructor(exit: Exit, what: string, { advice = '', ...options }: { readonly cause?: unknown; readonly advice?: string } = {}) {
    super(advice === '' ? what : `${what} ${advice}`, options)
    this.name = 'ExitError'
    this.exit = exit
    this.what = what
    this.advice = advice
  }
}
