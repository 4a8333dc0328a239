import assert from 'node:assert/strict'
import { test } from 'node:test'

import { describeExpected, readValue } from '../config/values.ts'

import { findNextQuestion, type Answers } from './init-questions.ts'

test('init accepts and names only adapters that production accepts', () => {
  for (const port of ['sms', 'network']) {
    const question = findNextQuestion(new Map(), (name) => name !== port)
    assert.ok(question?.setting.name === port)
    assert.ok(!question.text.includes('sandbox') && !describeExpected(question.setting).includes('sandbox'), port)
    assert.equal(readValue(question.setting, 'sandbox'), null)
  }
})

test('init asks for the origin of the API and for a certificate, and for its key only where there is a certificate', () => {
  const find = (wanted: string, answers: Answers) => findNextQuestion(answers, (name) => name !== wanted)
  for (const name of ['apiOrigin', 'tlsCertFile']) {
    const question = find(name, new Map())
    assert.deepEqual([question?.setting.name, question?.isOptional], [name, true])
  }
  assert.notEqual(find('tlsKeyFile', new Map())?.setting.name, 'tlsKeyFile')
  const key = find('tlsKeyFile', new Map([['tlsCertFile', '/etc/tessera/cert.pem']]))
  assert.deepEqual([key?.setting.name, key?.isOptional], ['tlsKeyFile', false])
})
