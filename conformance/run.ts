// `npm run conformance -- --url http://127.0.0.1:8080`: is a service what the wire says? README.md in this folder tells more.
import { readOptions, usage, type Options } from './options.ts'
import { playRefusingEndpoint } from './refusing-endpoint.ts'
import { printDifference, printJson, printSummary } from './report.ts'
import { runFile, type Outcome } from './run-vectors.ts'

process.exitCode = await main()

async function main(): Promise<number> {
  try {
    const options = readOptions(process.argv.slice(2), process.env)
    if (options !== null) return await runAll(options)
    console.log(usage)
    return 0
  } catch (err) {
    console.error(err instanceof Error ? err.message : err)
    return 2
  }
}

/** The endpoint of the refusing merchant is there as long as the vectors run. */
async function runAll(options: Options): Promise<number> {
  const endpoint = options.endpointPort === null ? null : await playRefusingEndpoint(options.endpointPort)
  try {
    return await runFiles(options)
  } finally {
    await endpoint?.close()
  }
}

async function runFiles({ files, target, json }: Options): Promise<number> {
  const outcomes: Outcome[] = []
  for (const file of files) {
    for await (const outcome of runFile(file, target)) {
      if (outcome.told.some((text) => text.includes('ECONNREFUSED'))) throw new Error(nobodyThere(target.url))
      outcomes.push(outcome)
      if (!json && outcome.state === 'failed') console.log(printDifference(outcome))
    }
  }
  console.log(json ? printJson(outcomes) : printSummary(outcomes, target.url.origin))
  return outcomes.some(({ state }) => state === 'failed') ? 1 : 0
}

function nobodyThere({ origin }: URL): string {
  return `Nobody listens at ${origin}. Start the service (npm start), or name another address with --url.`
}
