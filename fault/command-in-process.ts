import { runCommandLine } from '../service/src/ops/cli/run.ts'

/**
 * Runs a command against a running service in this process: in a tenth of the processor time, since most of it is spent on loading the program. Not for
 * a command that is measured, or that runs amid a load of this process.
 */
export async function runCommandHere(args: readonly string[]): Promise<{ code: number; out: string }> {
  let out = ''
  const print = (text: string): void => void (out += text)
  const code = await runCommandLine(args, { out: print, err: print })
  return { code, out }
}
