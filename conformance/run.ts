// `npm run conformance -- --url http://127.0.0.1:8080`: checks a service against the vectors. See README.md in this folder.
import { readOptions, usage, type ConformanceOptions } from './options.ts'
import { startRefusingEndpoint } from './refusing-endpoint.ts'
import { printDifference, printJson, printSummary } from './report.ts'
import { runVectorFile, type VectorResult } from './run-vectors.ts'

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

/** The endpoint of the refusing merchant runs as long as the vectors. */
async function runAll(options: ConformanceOptions): Promise<number> {
  const endpoint = options.endpointPort === null ? null : await startRefusingEndpoint(options.endpointPort)
  try {
    return await runFiles(options)
  } finally {
    await endpoint?.close()
  }
}

async function runFiles({ files, target, json }: ConformanceOptions): Promise<number> {
  const results: VectorResult[] = []
  for (const file of files) {
    for await (const result of runVectorFile(file, target)) {
      if (result.messages.some((text) => text.includes('ECONNREFUSED'))) throw new Error(noService(target.url))
      results.push(result)
      if (!json && result.state === 'failed') console.log(printDifference(result))
    }
  }
  console.log(json ? printJson(results) : printSummary(results, target.url.origin))
  return results.some(({ state }) => state === 'failed') ? 1 : 0
}

function noService({ origin }: URL): string {
  return `No service listens at ${origin}. Start the service (npm start), or name another address with --url.`
}
