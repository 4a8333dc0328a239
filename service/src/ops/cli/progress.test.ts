import assert from 'node:assert/strict'
import { test } from 'node:test'

import { formatProgress, makeProgressPrinter } from './progress.ts'

const walked = { stage: 'audit entries', done: 412_000, total: 1_000_000, seconds: 20 }

test('progress is shown with percent, rate and the time that is left', () => {
  assert.equal(formatProgress(walked), 'audit entries: 412,000 of 1,000,000 (41 %), 20,600/s, 29 s left')
  assert.equal(formatProgress({ ...walked, done: 10_000 }), 'audit entries: 10,000 of 1,000,000 (1 %), 500/s, 33 min left')
  assert.equal(formatProgress({ ...walked, done: 0, seconds: 0 }), 'audit entries: 0 of 1,000,000 (0 %)')
  assert.equal(formatProgress({ ...walked, done: 0, total: 0 }), 'audit entries: 0 of 0')
  assert.equal(formatProgress({ ...walked, stage: 'files', total: null }), 'files: 20 s')
})

test('away from a terminal a line is printed every ten seconds, on a terminal one line is replaced and removed at the end', () => {
  for (const isTerminal of [false, true]) {
    let [text, at] = ['', 0]
    const printer = makeProgressPrinter({ write: (part) => (text += part), isTerminal, now: () => at })
    for (at = 1000; at <= 21_000; at += 1000) printer.show({ ...walked, seconds: at / 1000 })
    printer.end()
    const lines = text.split(isTerminal ? '\r' : '\n').filter((line) => line.includes('audit entries'))
    assert.equal(lines.length, isTerminal ? 21 : 2)
    assert.equal(text.endsWith(isTerminal ? '\r\u001b[K' : '\n'), true)
  }
})
