import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'

import { readJsonTestSuite, readNaughtyStrings } from '../../tools/corpora.ts'
import { FormCheckError, checkForm, type FormCheckOptions, type FormCheckReport } from './check-form.ts'
import { loadPlaywright } from './live/launch-browser.ts'
import { formatSarifReport, formatTextReport, isFailing, toJsonReport } from './report.ts'
import { rules } from './rules.ts'

const folder = mkdtempSync(join(tmpdir(), 'tessera-form-check-'))
after(() => rmSync(folder, { recursive: true }))

function check(target: string, options: Partial<FormCheckOptions> = {}): Promise<FormCheckReport> {
  const defaults = {
    settleMs: 0,
    pageTimeoutMs: 5000,
    shouldSubmit: false,
    formOrigin: null,
    browserPath: null,
    cookies: null,
    isLive: false,
  }
  return checkForm({ ...defaults, target, signal: new AbortController().signal, onProgress: () => undefined, ...options })
}

function checkText(text: string): Promise<FormCheckReport> {
  const path = join(folder, 'page.html')
  writeFileSync(path, text)
  return check(path)
}

const id = 'a1'.repeat(12)

test('a report contains no password and no card number from an action, an address or a script', async () => {
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
  const output = JSON.stringify(report) + JSON.stringify(formatSarifReport(report)) + formatTextReport(report)
  assert.doesNotMatch(output, /secretsecret/)
  assert.doesNotMatch(output, /8600 ?0691/)
})

test('text from a page cannot control the terminal, and a SARIF report is valid JSON', async () => {
  const report = await checkText('<input autocomplete=cc-number name="\u001b[31m\u202e\ud800]]>">')
  assert.ok(report.findings.length > 0)
  assert.doesNotMatch(formatTextReport(report), /[\u001b\u202e\u0000\ud800]/)
  assert.deepEqual(JSON.parse(JSON.stringify(formatSarifReport(report))), formatSarifReport(report))
})

/** The parts of SARIF 2.1.0 that are used here, as its schema requires them (OASIS, sarif-schema-2.1.0.json). */
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

test('a SARIF report has the structure of its schema, and each result has its rule and location', async () => {
  const report = await checkText('<!doctype html>\n  <form action="/a b"><input autocomplete="cc-number" name="n"></form>')
  const sarif = formatSarifReport(report) as Sarif
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

test('a report for programs says of each finding what was found, where, and what to do, and errors alone fail unless warnings are counted', async () => {
  const report = await checkText('<!doctype html>\n<label>Karta raqami <input></label>')
  const { format, counts, findings } = toJsonReport(report) as { format: number; counts: object; findings: Record<string, unknown>[] }
  assert.deepEqual([format, counts], [1, { error: 2, warning: 1, info: 0 }])
  const [first] = findings
  assert.deepEqual(
    { ...first, path: '', requirement: '', advice: '', source: '' },
    {
      rule: 'card-input',
      path: '',
      half: 'source',
      line: 2,
      column: 21,
      selector: 'html > body > label > input',
      shown: '<input>',
      text: 'Karta raqami',
      severity: 'error',
      requirement: '',
      advice: '',
      source: '',
      docs: 'docs/guides/form-check.md#card-input',
    },
  )
  const warningsOnly = { ...report, findings: report.findings.filter(({ rule }) => rules[rule].severity === 'warning') }
  assert.deepEqual(
    [isFailing(report, Infinity), isFailing(warningsOnly, Infinity), isFailing(warningsOnly, 1), isFailing(warningsOnly, 0)],
    [true, false, false, true],
  )
})

test('malformed and hostile input is checked or refused and never crashes the check', async () => {
  const texts = [
    '<',
    '<!',
    '<form'.repeat(2000),
    '<div>'.repeat(20_000),
    '<table><input autocomplete=cc-number></table',
    '\ufeff<p>',
    '<svg><input autocomplete="cc-number">',
    '',
    ...readJsonTestSuite().map(({ bytes }) => `<!doctype html><p>${bytes.toString('latin1')}`),
    ...readNaughtyStrings().map((text) => `<!doctype html><p>${text}<input placeholder="${text}">`),
  ]
  for (const text of texts)
    await checkText(text).then(
      (report) => assert.ok(formatTextReport(report).length > 0),
      (err: unknown) => assert.ok(err instanceof FormCheckError, String(err)),
    )
})

test('a target that cannot be checked is an error, not a clean report', async () => {
  const targets = ['/no/such/folder', 'http://127.0.0.1:1/', 'package-lock.json', 'http://']
  for (const target of targets) await assert.rejects(check(target), FormCheckError, target)
  const stopped = AbortSignal.abort()
  await assert.rejects(check('http://127.0.0.1:1/', { signal: stopped }))
})

test('a missing browser is an error that says what to install and how to check without one', async () => {
  writeFileSync(join(folder, 'page.html'), '<p>')
  await assert.rejects(check(folder, { isLive: true, browserPath: join(folder, 'no-browser') }), (err: unknown) => {
    assert.ok(err instanceof FormCheckError)
    assert.match(err.message, /apt-get install chromium.*--browser.*--static/)
    return true
  })
})

test('a missing playwright-core is an error that says what to install and how to check without it', async () => {
  const missing = Object.assign(new Error("Cannot find package 'playwright-core'"), { code: 'ERR_MODULE_NOT_FOUND' })
  await assert.rejects(
    loadPlaywright(() => Promise.reject(missing)),
    (err: unknown) => {
      assert.ok(err instanceof FormCheckError)
      assert.match(err.message, /playwright-core is not installed.*npm install --no-save playwright-core.*--static/)
      return true
    },
  )
  await assert.rejects(
    loadPlaywright(() => Promise.reject(new TypeError('broken package'))),
    TypeError,
  )
})
