import { inspect } from 'node:util'
import { readProcessorSeconds } from './processor-time.ts'

/** The outcome of one test, as one line of JSON in the reporter's output. */
export type TestOutcome = {
  /** Titles of the suites around it and its own, joined by " › ". */
  title: string
  state: 'passed' | 'failed' | 'skipped'
  milliseconds: number
  /** The full error when it failed; the reason when it was skipped. */
  detail: string
}

/** The last line of the reporter's output. */
export type TestUsage = { processorSeconds: number }

/** The events of `node:test` that are read here; https://nodejs.org/api/test.html#event-testpass lists all. */
type TestEvent = { type: string; data: EndedTest }
type EndedTest = {
  name: string
  nesting: number
  skip?: string | boolean
  todo?: string | boolean
  details?: { type?: string; duration_ms?: number; error?: Error & { failureType?: string } }
}

/** A reporter for `node --test-reporter`: one line of JSON for each test that ended, and one for what all took. Node requires a default export. */
// eslint-disable-next-line no-restricted-syntax
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const titles: string[] = []
  for await (const { type, data } of events) {
    if (type === 'test:start') titles.splice(data.nesting, titles.length, data.name)
    if (type !== 'test:pass' && type !== 'test:fail') continue
    const outcome = readOutcome(type === 'test:pass', data, [...titles.slice(0, data.nesting), data.name])
    if (outcome !== null) yield JSON.stringify(outcome) + '\n'
  }
  yield JSON.stringify({ processorSeconds: readProcessorSeconds() } satisfies TestUsage) + '\n'
}

/** A suite counts only when it failed itself, for instance in a hook: its tests have outcomes of their own. */
function readOutcome(passed: boolean, ended: EndedTest, titles: string[]): TestOutcome | null {
  const { type, duration_ms: milliseconds = 0, error } = ended.details ?? {}
  if (error?.failureType === 'subtestsFailed' || (type === 'suite' && passed)) return null
  const title = titles.join(' › ')
  const omission = describeOmission(ended)
  if (omission !== null) return { title, state: 'skipped', milliseconds, detail: omission }
  return { title, state: passed ? 'passed' : 'failed', milliseconds, detail: passed ? '' : inspectError(error) }
}

function describeOmission({ skip, todo }: EndedTest): string | null {
  if (skip !== undefined && skip !== false) return `skipped: ${skip === true ? 'no reason given' : skip}`
  if (todo !== undefined && todo !== false) return `todo: ${todo === true ? 'no reason given' : todo}`
  return null
}

/** The runner wraps the thrown error; its cause says what went wrong. */
function inspectError(error: Error | undefined): string {
  return inspect(error?.cause ?? error ?? 'It failed without an error.', { colors: false, depth: 6, maxStringLength: 4000 })
}
