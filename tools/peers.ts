// `npm run peers`: the tests with other systems (proxies, clusters, gateways, a package installed from nothing).
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readCommandLine } from './command-line.ts'
import { findPeerTests } from './find-tests.ts'
import { runTests } from './run-tests.ts'
import { allowedSkips } from './skips.ts'
import { formatTally, tally } from './tally.ts'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const usage = `npm run peers -- [path, part of a path or glob …]

Runs the tests that need more than PostgreSQL and browsers: *.peer.test.ts. It installs what they need (Debian and its derivatives, as root or with
sudo), runs them one after the other, prints each and ends with 1 when one failed, or when there was none to run.`
const { positionals } = readCommandLine({}, usage)
const startedAt = performance.now()
const stopping = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort(new Error(`stopped by ${signal}`)))

const say = (text: string): unknown => process.stdout.write(text)
const results = await runTests(findPeerTests(root, positionals), { root, signal: stopping.signal, say })
const sum = tally(results, allowedSkips)
say(formatTally(sum, { seconds: (performance.now() - startedAt) / 1000 }) + '\n')
process.exitCode = sum.failed > 0 || sum.passed === 0 ? 1 : 0
