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

test('init asks for the service that knows cardholders and its settings only where a verification policy calls one', () => {
  const list = (given: Answers): string[] => {
    const answers = new Map(given)
    const asked: string[] = []
    const isOther = (name: string): boolean => !name.startsWith('holder') || asked.includes(name)
    for (let next = findNextQuestion(answers, isOther); next !== null; next = findNextQuestion(answers, isOther)) {
      asked.push(next.setting.name)
      answers.set(next.setting.name, next.setting.name === 'holder' ? 'http' : 'x')
    }
    return asked
  }
  const questions = ['holder', 'holderHttpUrl', 'holderHttpTokenFile']
  assert.deepEqual(list(new Map()), [])
  assert.deepEqual(list(new Map([['verificationPolicy', 'cbu-3759-as-reported']])), [])
  const withService = [
    new Map([['holderCheck', 'service']]),
    new Map([
      ['verificationPolicy', 'cbu-3759-as-reported'],
      ['holderCheck', 'service'],
    ]),
    new Map([['networkVerificationPolicies', { humo: { holderCheck: 'service' } }]]),
  ]
  for (const given of withService) assert.deepEqual(list(given), questions, JSON.stringify([...given]))
  const question = findNextQuestion(new Map([['holderCheck', 'service']]), (name) => name !== 'holder')
  assert.ok(question !== null && readValue(question.setting, 'sandbox') === null)
})
