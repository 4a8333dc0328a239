import assert from 'node:assert/strict'
import { test } from 'node:test'

import { describeExpected, readValue } from '../config/values.ts'

import { findNextQuestion } from './init-questions.ts'

test('init accepts and names only adapters that production accepts', () => {
  for (const port of ['sms', 'network']) {
    const question = findNextQuestion(new Map(), (name) => name !== port)
    assert.ok(question?.setting.name === port)
    assert.ok(!question.text.includes('sandbox') && !describeExpected(question.setting).includes('sandbox'), port)
    assert.equal(readValue(question.setting, 'sandbox'), null)
  }
})
