// time limit: 600 s
import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'

import { findTestBrowser } from '../../../tools/chromium.ts'
import { checkForm, type FormCheckReport } from '../check-form.ts'
import { corpusFolder, formatCorpusResult, measureCorpus, readCorpus } from '../corpus.fixture.ts'
import { developmentForms } from '../development-forms.fixture.ts'
import { developmentPages } from '../development-pages.fixture.ts'
import type { FormCheckFinding } from '../finding.ts'
import { rules } from '../rules.ts'

/** `npm test` opens a part of the corpus, every n-th page; `npm run soak -- form-check` all of it. */
const count = Number(process.env['TESSERA_TEST_COUNT'] ?? 12)

/** Of one folder at most 100 pages are opened in the browser. */
const folderPages = 50

/** Violations that neither the source nor the browser shows. The guide explains each. */
const missedInBoth: readonly string[] = []

const folder = mkdtempSync(join(tmpdir(), 'tessera-corpus-'))
after(() => rmSync(folder, { recursive: true }))

function checkFolder(target: string): Promise<FormCheckReport> {
  return checkForm({
    target,
    settleMs: 10_000,
    pageTimeoutMs: 300_000,
    isLive: true,
    shouldSubmit: true,
    formOrigin: null,
    browserPath: findTestBrowser(),
    cookies: null,
    signal: new AbortController().signal,
    onProgress: () => undefined,
  })
}

test('of the frozen corpus source and browser together find all violations but the listed ones, and accuse no clean page', async (t) => {
  const all = readCorpus()
  const step = Math.max(1, Math.floor(all.length / count))
  const pages = all.filter((_, index) => index % step === 0)
  const findings: FormCheckFinding[] = []
  for (let from = 0; from < pages.length; from += folderPages) {
    const target = mkdtempSync(join(folder, 'corpus-'))
    for (const { file } of pages.slice(from, from + folderPages)) cpSync(join(corpusFolder, file), join(target, file))
    const report = await checkFolder(target)
    assert.deepEqual(report.notes, [])
    findings.push(...report.findings.map((finding) => ({ ...finding, path: finding.path.replace(target, corpusFolder) })))
  }
  const result = measureCorpus(pages, findings)
  t.diagnostic(`source and browser: ${formatCorpusResult(result)}`)
  assert.deepEqual(result.accused, [])
  assert.deepEqual(
    result.missed.filter((file) => !missedInBoth.includes(file)),
    [],
  )
})

test('of the pages that the rules were written with the browser finds what the source does not show, and no script makes a clean one suspect', async () => {
  const target = mkdtempSync(join(folder, 'development-'))
  const pages = [...developmentPages, ...developmentForms].filter(
    ({ foundIn, html }) => foundIn === 'browser' || (foundIn === null && html.includes('<script')),
  )
  for (const [index, { html }] of pages.entries()) writeFileSync(join(target, `${index}.html`), `<!doctype html><body>${html}`)
  const { findings, notes } = await checkFolder(target)
  const errors = findings.filter(({ rule }) => rules[rule].severity === 'error')
  assert.deepEqual(notes, [])
  for (const [index, { name, foundIn }] of pages.entries()) {
    const found = errors.filter(({ path }) => path === join(target, `${index}.html`)).map(({ rule }) => rule)
    if (foundIn === null) assert.deepEqual(found, [], name)
    else assert.ok(found.includes('card-input'), name)
  }
})
