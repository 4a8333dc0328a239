#!/usr/bin/env node
// The command line. Compiled code is kept beside the dependencies, where only who may write the program may write; types are then not
// stripped anew at each start, which is most of a start's time and memory.
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

enableCompileCache(fileURLToPath(new URL('../../../node_modules/.cache/compile', import.meta.url)))
const { runCommandLine } = await import('./run.ts')

const code = await runCommandLine(process.argv.slice(2), {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
})
process.exit(code)
