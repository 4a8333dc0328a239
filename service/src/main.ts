import { runCommandLine } from './ops/cli/run.ts'

// The entry point of every command, including `start`. bin/tessera.mjs runs it.

const args = process.argv.slice(2)
const outputs = [process.stdout, process.stderr]
// A reader that has gone away, such as `head`, is no fault of the command.
for (const output of outputs) output.on('error', () => undefined)

const exitCode = await runCommandLine(args, {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  errIsTerminal: process.stderr.isTTY,
})
// An exit cuts off what the reader of a pipe has not taken yet. The service itself waits for no reader of its log.
if (args[0] !== 'start') await Promise.all(outputs.map((output) => new Promise<void>((resolve) => output.write('', () => resolve()))))
process.exit(exitCode)
