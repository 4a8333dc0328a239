import { parseArgs, type ParseArgsConfig } from 'node:util'

/** The options of a tool, as `parseArgs` takes them. */
type Options = NonNullable<ParseArgsConfig['options']>
type Read<O extends Options> = ReturnType<typeof parseArgs<{ args: string[]; options: O; allowPositionals: true }>>

/** What `readCommandLine` found: what was typed, or what to print and the exit code to end with. */
export type Typed<O extends Options> = { read: Read<O> } | { said: string; exitCode: 0 | 64 }

/** Takes a tool's command line apart: `--help` is answered with `usage`, and so, after a word on it, is an option that the tool does not know. */
export function takeApart<const O extends Options>(args: readonly string[], options: O, usage: string): Typed<O> {
  if (args.includes('--help')) return { said: usage, exitCode: 0 }
  try {
    return { read: parseArgs({ args: [...args], options, allowPositionals: true }) }
  } catch (err) {
    // "Unknown option '--x'. To specify a positional argument …": the first sentence is all that helps.
    const [first] = (err instanceof Error ? err.message : String(err)).split('. ', 1)
    return { said: `${String(first)}.\n\n${usage}`, exitCode: 64 }
  }
}

/** The same for the running program, which ends here when it was asked for help or was typed wrong. */
export function readCommandLine<const O extends Options>(options: O, usage: string): Read<O> {
  const typed = takeApart(process.argv.slice(2), options, usage)
  if ('read' in typed) return typed.read
  const to = typed.exitCode === 0 ? process.stdout : process.stderr
  to.write(`${typed.said}\n`)
  process.exit(typed.exitCode)
}
