/** How the program ends, in the numbers of BSD's sysexits(3) where they have one. Printed by `tessera help` and in docs/operating/running.md. */
export const exits = {
  done: { code: 0, meaning: 'Done; for start: stopped after a signal, every call in flight answered.' },
  found: { code: 1, meaning: 'A check found something: audit verify, doctor, form-check.' },
  notChecked: { code: 2, meaning: 'form-check: the page could not be checked; what to do is said.' },
  usage: { code: 64, meaning: 'The command line makes no sense: unknown command or argument.' },
  unavailable: { code: 69, meaning: 'Nothing answers: no service runs on the data folder, or its database is out of reach.' },
  fault: { code: 70, meaning: 'A fault of ours; the log has it.' },
  cannotCreate: { code: 73, meaning: 'The data folder cannot be made, read or written.' },
  ioError: { code: 74, meaning: 'The disk failed while committing; nothing was acknowledged. Look at the disk before starting again.' },
  taken: { code: 75, meaning: 'Another service holds the data folder, or another program the port.' },
  settings: { code: 78, meaning: 'The settings cannot be used, or a production start is refused; each reason is listed.' },
  interrupted: { code: 130, meaning: 'Stopped at once by a second Ctrl-C, calls in flight cut off; form-check by the first.' },
} as const satisfies Record<string, { code: number; meaning: string }>

export type Exit = keyof typeof exits

/** Why the program cannot go on: a way to end and the lines that say what to do. */
export class CannotGoOn extends Error {
  readonly exit: Exit

  constructor(exit: Exit, message: string, options: { cause?: unknown } = {}) {
    super(message, options)
    this.name = 'CannotGoOn'
    this.exit = exit
  }
}
