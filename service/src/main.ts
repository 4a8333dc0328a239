import { runCommandLine } from './ops/cli/run.ts'

// The entry of every command, `start` among them; bin/tessera.mjs runs it on the right Node.

const exitCode = await runCommandLine(process.argv.slice(2), {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
})
process.exit(exitCode)
