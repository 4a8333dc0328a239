import { runCommandLine } from './ops/cli/run.ts'

// The entry point of every command, including `start`. bin/tessera.mjs runs it.

const exitCode = await runCommandLine(process.argv.slice(2), {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  errIsTerminal: process.stderr.isTTY,
})
process.exit(exitCode)
