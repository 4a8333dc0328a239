import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'

import { readJsonTestSuite, readNaughtyStrings } from '../../tools/corpora.ts'
import { CannotCheck, checkForm, type CheckAsked, type Report } from './check-form.ts'
import { printSarif, printText } from './report.ts'
import { rules } from './rules.ts'

const folder = mkdtempSync(join(tmpdir(), 'tessera-form-check-'))
after(() => rmSync(folder, { recursive: true }))

function ask(target: string, more: Partial<CheckAsked> = {}): Promise<Report> {
  const bounds = { waitMs: 0, pageMs: 5000, submits: false, formOrigin: null, browserPath: null, cookies: null, isLive: false }
  return checkForm({ ...bounds, target, signal: new AbortController().signal, progress: () => undefined, ...more })
}

function checkText(text: string): Promise<Report> {
  const path = join(folder, 'page.html')
  writeFileSync(path, text)
  return ask(path)
}

const id = 'a1'.repeat(12)

test('a report repeats no password and no card number, in an action, an address or a script', async () => {
  const pages = [':', '%3A'].map(
    (colon) =>
      `<form action="/p?${id}${colon}secretsecret&c=8600069195406311"><input autocomplete=cc-number placeholder="8600 0691 9540 6311"></form>` +
      `<script src="/sdk/v1/tessera.js?${id}${colon}secretsecret"></script><script>'${id}${colon}secretsecret'</script>`,
  )
  const report = await checkText(pages.join(''))
  for (const rule of ['form-action', 'sdk-integrity', 'password-in-page'])
    assert.ok(
      report.findings.some((one) => one.rule === rule),
      rule,
    )
  const told = JSON.stringify(report) + JSON.stringify(printSarif(report)) + printText(report)
  assert.doesNotMatch(told, /secretsecret/)
  assert.doesNotMatch(told, /8600 ?0691/)
})

test('what a page says cannot speak to the terminal, and every report is JSON', async () => {
  const report = await checkText('<input autocomplete=cc-number name="\u001b[31m\u202e\ud800]]>">')
  assert.ok(report.findings.length > 0)
  assert.doesNotMatch(printText(report), /[\u001b\u202e\u0000\ud800]/)
  assert.deepEqual(JSON.parse(JSON.stringify(printSarif(report))), printSarif(report))
})

/** What the schema of SARIF 2.1.0 requires of the parts that are used here (OASIS, sarif-schema-2.1.0.json). */
interface Sarif {
  readonly version: string
  readonly runs: readonly {
    readonly tool: {
      readonly driver: {
        readonly name: string
        readonly rules: readonly { readonly id: string; readonly shortDescription: { readonly text: string } }[]
      }
    }
    readonly invocations: readonly {
      readonly executionSuccessful: boolean
      readonly toolExecutionNotifications: readonly { readonly level: string; readonly message: { readonly text: string } }[]
    }[]
    readonly results: readonly {
      readonly ruleId: string
      readonly ruleIndex: number
      readonly level: string
      readonly message: { readonly text: string }
      readonly locations: readonly {
        readonly physicalLocation: {
          readonly artifactLocation: { readonly uri: string }
          readonly region?: { readonly startLine: number; readonly startColumn: number }
        }
      }[]
    }[]
  }[]
}

test('SARIF has the shape that its schema requires, each result with its rule and its place', async () => {
  const report = await checkText('<!doctype html>\n  <form action="/a b"><input autocomplete="cc-number" name="n"></form>')
  const sarif = printSarif(report) as Sarif
  const [run] = sarif.runs
  assert.ok(run !== undefined && sarif.version === '2.1.0' && sarif.runs.length === 1)
  assert.deepEqual(
    run.tool.driver.rules.map((rule) => rule.id),
    Object.keys(rules),
  )
  assert.ok(run.tool.driver.rules.every(({ shortDescription }) => shortDescription.text.length > 0))
  assert.ok(
    run.invocations.every(
      ({ executionSuccessful, toolExecutionNotifications }) =>
        executionSuccessful && toolExecutionNotifications.every(({ level, message }) => level === 'note' && message.text !== ''),
    ),
  )
  assert.equal(run.results.length, report.findings.length)
  for (const result of run.results) {
    assert.equal(run.tool.driver.rules[result.ruleIndex]?.id, result.ruleId)
    assert.ok(['none', 'note', 'warning', 'error'].includes(result.level) && result.message.text.length > 0)
    const [location] = result.locations
    assert.ok(URL.canParse(location?.physicalLocation.artifactLocation.uri ?? ''))
    const region = location?.physicalLocation.region
    assert.ok(region === undefined || (region.startLine >= 1 && region.startColumn >= 1))
  }
  const action = run.results.find(({ ruleId }) => ruleId === 'form-action')
  assert.deepEqual(action?.locations[0]?.physicalLocation.region, { startLine: 2, startColumn: 3 })
})

test('broken and hostile bytes are checked or refused, never a crash', async () => {
  const texts = [
    ...[
      '<',
      '<!',
      '<form'.repeat(2000),
      '<div>'.repeat(20_000),
      '<table><input autocomplete=cc-number></table',
      '\ufeff<p>',
      '<svg><input autocomplete="cc-number">',
      '',
    ],
    ...readJsonTestSuite().map(({ bytes }) => `<!doctype html><p>${bytes.toString('latin1')}`),
    ...readNaughtyStrings().map((text) => `<!doctype html><p>${text}<input placeholder="${text}">`),
  ]
  for (const text of texts)
    await checkText(text).then(
      (report) => assert.ok(printText(report).length > 0),
      (err: unknown) => assert.ok(err instanceof CannotCheck, String(err)),
    )
})

test('what cannot be checked is told, not passed', async () => {
  const bad = ['/no/such/folder', 'http://127.0.0.1:1/', 'package-lock.json', 'http://']
  for (const target of bad) await assert.rejects(ask(target), CannotCheck, target)
  const stopped = AbortSignal.abort()
  await assert.rejects(ask('http://127.0.0.1:1/', { signal: stopped }))
})

test('without a browser it says what to install and how to do without', async () => {
  writeFileSync(join(folder, 'page.html'), '<p>')
  await assert.rejects(ask(folder, { isLive: true, browserPath: join(folder, 'no-browser') }), (err: unknown) => {
    assert.ok(err instanceof CannotCheck)
    assert.match(err.message, /apt-get install chromium.*--browser.*--static/)
    return true
  })
})
