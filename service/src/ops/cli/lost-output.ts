import { exits } from '../exits.ts'

/** The exit code of a command whose output could not be written, after a line on `err` that says so. */
export function reportLostOutput({ code, message }: NodeJS.ErrnoException, err: (text: string) => void): number {
  err(`tessera: the output could not be written (${code ?? message}): it is not complete.\n`)
  return exits.ioError.code
}
