import { inspect } from 'node:util'

/** What became of one test, as one line of JSON in the reporter's output. */
export type Outcome = {
  /** Titles of the suites around it and its own, joined by " › ". */
  title: string
  state: 'passed' | 'failed' | 'skipped'
  milliseconds: number
  /** The error in full when it failed; what the test said when it was skipped. */
  detail: string
}

/** The events of `node:test` that we read; https://nodejs.org/api/test.html#event-testpass has them all. */
type TestEvent = { type: string; data: Ended }
type Ended = {
  name: string
  nesting: number
  skip?: string | boolean
  todo?: string | boolean
  details?: { type?: string; duration_ms?: number; error?: Error & { failureType?: string } }
}

/** A reporter for `node --test-reporter`: one line of JSON for each test that ended. Node asks for a default export. */
// eslint-disable-next-line no-restricted-syntax
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const titles: string[] = []
  for await (const { type, data } of events) {
    if (type === 'test:start') titles.splice(data.nesting, titles.length, data.name)
    if (type !== 'test:pass' && type !== 'test:fail') continue
    const outcome = readOutcome(type === 'test:pass', data, [...titles.slice(0, data.nesting), data.name])
    if (outcome !== null) yield JSON.stringify(outcome) + '\n'
  }
}

/** A suite counts only when it failed by itself (a hook, say): its tests have already told of themselves. */
function readOutcome(passed: boolean, ended: Ended, titles: string[]): Outcome | null {
  const { type, duration_ms: milliseconds = 0, error } = ended.details ?? {}
  if (error?.failureType === 'subtestsFailed' || (type === 'suite' && passed)) return null
  const title = titles.join(' › ')
  const omission = describeOmission(ended)
  if (omission !== null) return { title, state: 'skipped', milliseconds, detail: omission }
  return { title, state: passed ? 'passed' : 'failed', milliseconds, detail: passed ? '' : inspectError(error) }
}

function describeOmission({ skip, todo }: Ended): string | null {
  if (skip !== undefined && skip !== false) return `skipped: ${skip === true ? 'no reason given' : skip}`
  if (todo !== undefined && todo !== false) return `todo: ${todo === true ? 'no reason given' : todo}`
  return null
}

/** The runner wraps what was thrown: the wrapper says where the runner was, the cause says what went wrong. */
function inspectError(error: Error | undefined): string {
  return inspect(error?.cause ?? error ?? 'It failed without an error.', { colors: false, depth: 6, maxStringLength: 4000 })
}
