// time limit: 600 s
import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'

import { findTestBrowser } from '../../../tools/chromium.ts'
import { checkForm } from '../check-form.ts'
import { corpusFolder, formatCorpusResult, measureCorpus, readCorpus } from '../corpus.fixture.ts'

/** `npm test` opens a part of the corpus, every n-th page; `npm run soak -- form-check` all of it. */
const count = Number(process.env['TESSERA_TEST_COUNT'] ?? 12)

/** Violations that neither the source nor the browser shows. The guide explains each. */
const missedInBoth: readonly string[] = []

const folder = mkdtempSync(join(tmpdir(), 'tessera-corpus-'))
after(() => rmSync(folder, { recursive: true }))

test('of the frozen corpus source and browser together find all violations but the listed ones, and accuse no clean page', async (t) => {
  const all = readCorpus()
  const step = Math.max(1, Math.floor(all.length / count))
  const pages = all.filter((_, index) => index % step === 0)
  for (const { file } of pages) cpSync(join(corpusFolder, file), join(folder, file))
  const report = await checkForm({
    target: folder,
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
  const findings = report.findings.map((finding) => ({ ...finding, path: finding.path.replace(folder, corpusFolder) }))
  const result = measureCorpus(pages, findings)
  t.diagnostic(`source and browser: ${formatCorpusResult(result)}`)
  assert.deepEqual(report.notes, [])
  assert.deepEqual(result.accused, [])
  assert.deepEqual(
    result.missed.filter((file) => !missedInBoth.includes(file)),
    [],
  )
})
