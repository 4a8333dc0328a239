/** The exit codes, those of BSD's sysexits(3) where it has one. Printed by `tessera help`; also in docs/operating/running.md. */
export const exits = {
  done: { code: 0, meaning: 'Success; for start: stopped by a signal, after the calls in progress.' },
  findings: { code: 1, meaning: 'A check found something: audit verify, consents, doctor, form-check, receipts show.' },
  notChecked: { code: 2, meaning: 'form-check: the page could not be checked; the message says what to do.' },
  usage: { code: 64, meaning: 'Invalid command line: unknown command, argument or option, or the service refused the request.' },
  unavailable: { code: 69, meaning: 'No service runs on the data folder, or its database does not respond.' },
  internalError: { code: 70, meaning: 'Internal error; see the log.' },
  cannotCreate: { code: 73, meaning: 'The data folder cannot be created, read or written.' },
  ioError: { code: 74, meaning: 'The disk failed during a commit; nothing was acknowledged. Check the disk before starting again.' },
  inUse: { code: 75, meaning: 'The data folder is in use by another service, or the port by another program.' },
  invalidSettings: { code: 78, meaning: 'Invalid settings, or a production start was refused; each reason is listed.' },
  interrupted: { code: 130, meaning: 'Stopped at once by a second Ctrl-C, calls in progress were cut off; form-check: by the first.' },
} as const satisfies Record<string, { code: number; meaning: string }>

export type Exit = keyof typeof exits

/** Ends the command with an exit code. The message says what to do. */
export class ExitError extends Error {
  readonly exit: Exit

  constructor(exit: Exit, message: string, options: { cause?: unknown } = {}) {
    super(message, options)
    this.name = 'ExitError'
    this.exit = exit
  }
}
