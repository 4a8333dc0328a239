import { runCommandLine } from './run.ts'

// The command line's entry; bin/tessera.mjs starts it.

const code = await runCommandLine(process.argv.slice(2), {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
})
process.exit(code)
