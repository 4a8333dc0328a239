import { reportLostOutput } from './ops/cli/lost-output.ts'
import { runCommandLine } from './ops/cli/run.ts'

// The entry point of every command, including `start`. bin/tessera.mjs runs it.

const args = process.argv.slice(2)
const outputs = [process.stdout, process.stderr]
const lost: Error[] = []
// A reader that has gone away, such as `head`, is no fault of the command. A full disk is: the file lacks what was printed.
for (const output of outputs)
  output.on('error', (err: NodeJS.ErrnoException) => {
    if (err.code !== 'EPIPE') lost.push(err)
  })

const err = (text: string): void => void process.stderr.write(text)
const exitCode = await runCommandLine(args, {
  out: (text) => void process.stdout.write(text),
  err,
  errIsTerminal: process.stderr.isTTY,
})
// The service itself waits for no reader of its log.
if (args[0] === 'start') process.exit(exitCode)
// An exit cuts off what the reader of a pipe has not taken yet.
await Promise.all(outputs.map((output) => new Promise<void>((resolve) => output.write('', () => resolve()))))
const [loss] = lost
process.exit(exitCode === 0 && loss !== undefined ? reportLostOutput(loss, err) : exitCode)
