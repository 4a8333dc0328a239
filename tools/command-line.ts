import { parseArgs, type ParseArgsConfig } from 'node:util'

/** The options of a tool, as `parseArgs` takes them. */
type Options = NonNullable<ParseArgsConfig['options']>
type Read<O extends Options> = ReturnType<typeof parseArgs<{ args: string[]; options: O; allowPositionals: true }>>

/** The parsed command line, or what to print and the exit code to end with. */
export type CommandLineResult<O extends Options> = { read: Read<O> } | { output: string; exitCode: 0 | 64 }

/** Parses the command line of a tool. `--help` prints `usage`; an unknown option prints an error and then `usage`. */
export function parseToolArguments<const O extends Options>(args: readonly string[], options: O, usage: string): CommandLineResult<O> {
  if (args.includes('--help')) return { output: usage, exitCode: 0 }
  try {
    return { read: parseArgs({ args: [...args], options, allowPositionals: true }) }
  } catch (err) {
    // "Unknown option '--x'. To specify a positional argument …": the first sentence is enough.
    const [first] = (err instanceof Error ? err.message : String(err)).split('. ', 1)
    return { output: `${String(first)}.\n\n${usage}`, exitCode: 64 }
  }
}

/** The same for the running program. It ends here after `--help` or an error. */
export function readCommandLine<const O extends Options>(options: O, usage: string): Read<O> {
  const parsed = parseToolArguments(process.argv.slice(2), options, usage)
  if ('read' in parsed) return parsed.read
  const to = parsed.exitCode === 0 ? process.stdout : process.stderr
  to.write(`${parsed.output}\n`)
  process.exit(parsed.exitCode)
}
