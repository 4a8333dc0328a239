import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

import { provokedAlerts, readAlertRules, readDashboardPanels } from './monitoring.fixture.ts'

const root = join(import.meta.dirname, '../../../..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const rules = readAlertRules()
const pages = readdirSync(join(root, 'docs/operating/alerts'))

test('each alert has a page with its expression and its severity, and is in the table of alerts; there is no page without an alert', () => {
  const index = read('docs/operating/alerts.md')
  for (const { name, severity, runbook, expression, summary } of rules) {
    const page = read(runbook)
    assert.ok(page.startsWith(`# ${name}\n`), runbook)
    assert.ok(page.includes(`Severity \`${severity}\``), runbook)
    assert.ok(page.includes(`\`\`\`promql\n${expression}\n\`\`\``), `${runbook} has another expression than the rule`)
    assert.match(page, /\n## Look\n\n- [^]*\n## Do\n\n- /, runbook)
    assert.ok(
      index.includes(`| [\`${name}\`](alerts/${runbook.split('/').at(-1) ?? ''}) | ${severity} |`),
      `alerts.md has no line of ${name}`,
    )
    assert.ok(['page', 'ticket'].includes(severity) && summary.endsWith('.'), name)
  }
  assert.deepEqual(pages.toSorted(), rules.map(({ runbook }) => runbook.split('/').at(-1)).toSorted())
  assert.equal(new Set(rules.map(({ name }) => name)).size, rules.length)
  assert.ok(rules.length > 30, 'the rules are read')
})

test('each alert is made to fire, and end, in a real service, by one of the tests with Prometheus', () => {
  assert.deepEqual(provokedAlerts.toSorted(), rules.map(({ name }) => name).toSorted())
})

test('each alert has a unit test that makes it fire and end', () => {
  const tests = read('monitoring/tessera.rules.test.yml')
  for (const { name, severity } of rules) {
    const [, text] = tests.split(`  - name: ${name}\n`)
    assert.ok(text !== undefined, `${name} has no unit test`)
    const [own = ''] = text.split('\n  - name: ')
    assert.ok(own.includes(`alertname="${name}", severity="${severity}"`) && own.includes('exp_samples: []'), name)
  }
})

test('every metric that an alert, its page or the dashboard names exists', () => {
  const texts = [
    ...rules.map(({ name, expression }) => ({ where: name, text: expression })),
    ...readDashboardPanels().flatMap(({ title, queries }) => queries.map((text) => ({ where: title, text }))),
    ...pages.map((page) => ({ where: page, text: read(`docs/operating/alerts/${page}`) })),
  ]
  const [registered, histograms] = [registeredNames(), histogramNames()]
  const unknown = texts.flatMap(({ where, text }) =>
    [...text.matchAll(/\b(?:tessera|process)_[a-z_]+\b/g)]
      .map(([name]) => name)
      .filter((name) => !isKnown(name))
      .map((name) => `${where}: ${name}`),
  )
  assert.deepEqual(unknown, [])
  assert.ok(!isKnown('tessera_no_such_metric') && !isKnown('tessera_requests_total_bucket'))

  function isKnown(name: string): boolean {
    const base = name.replace(/_(?:bucket|sum|count)$/, '')
    return (registered.has(name) && !histograms.has(name)) || (base !== name && histograms.has(base))
  }
})

function registeredNames(): Set<string> {
  return namesIn(/'((?:tessera|process)_[a-z_]+)',?\s+(?:help:|['"])|name: '((?:tessera|process)_[a-z_]+)'/g)
}

function histogramNames(): Set<string> {
  return namesIn(/makeHistogram\(\s*'([a-z_]+)'/g)
}

function namesIn(pattern: RegExp): Set<string> {
  const folder = join(root, 'service/src')
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.ts') && !/\.(?:test|suite|fixture)\.ts$/.test(path),
  )
  const found = sources.flatMap((path) => [...readFileSync(join(folder, path), 'utf8').matchAll(pattern)])
  return new Set(found.map(([, one, other]) => one ?? other ?? ''))
}
