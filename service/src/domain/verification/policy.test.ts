import assert from 'node:assert/strict'
import { test } from 'node:test'

import { readConfig } from '../../ops/config/config.ts'
import { InvalidSettingsError } from '../../ops/config/sources.ts'

import { countCodes, describePolicy, findPolicyFaults, listPolicies, policyPresets } from './policy.ts'

function faultsOf(...args: string[]): string[] {
  return findPolicyFaults(readConfig(args, {}).config)
}

function policyWith(...args: string[]): string {
  return listPolicies(readConfig(args, {}).config)
    .map(({ network, policy }) => `${network}: ${describePolicy(policy)}`)
    .join('\n')
}

const rest = 'another code after 60 s, holder: network, no answer accepted'

test('without settings the policy is that of the specification', () => {
  assert.equal(policyWith(), `all: 6 digits, 180 s, 5 attempts, no stop, ${rest}`)
})

test('the preset of the reported regulation has its values, and settings override them one by one', () => {
  const reported = 'then stopped for 15 min (card, phone, customer), another code after 60 s, holder: network, no answer refused'
  assert.equal(policyWith('--verification-policy=cbu-3759-as-reported'), `all: 6 letters and digits, 59 s, 3 attempts, ${reported}`)
  const more = ['--verification-policy=cbu-3759-as-reported', '--otp-length=8', '--otp-lifetime-seconds=45']
  assert.equal(policyWith(...more), `all: 8 letters and digits, 45 s, 3 attempts, ${reported}`)
})

test('a network takes what it does not name from its preset, or from the service', () => {
  const policies = JSON.stringify({ humo: { preset: 'cbu-3759-as-reported', attempts: 2 }, visa: { length: 7 } })
  assert.equal(
    policyWith('--otp-attempts-max=4', `--network-verification-policies=${policies}`),
    [
      `all: 6 digits, 180 s, 4 attempts, no stop, ${rest}`,
      'humo: 6 letters and digits, 59 s, 2 attempts, then stopped for 15 min (card, phone, customer), another code after 60 s, holder: network, no answer refused',
      `visa: 7 digits, 180 s, 4 attempts, no stop, ${rest}`,
    ].join('\n'),
  )
})

test('every preset can be started with', () => {
  for (const preset of Object.keys(policyPresets)) assert.deepEqual(faultsOf(`--verification-policy=${preset}`), [], preset)
})

test('a policy whose codes can be guessed, look alike or outlive a stop is refused with what to do', () => {
  assert.deepEqual(faultsOf('--otp-length=5'), [
    'forbidden: the verification policy of the service has only 100,000 possible codes, and one guess in 20,000 would be right with 5 attempts; ' +
      'at least 1,000,000 are required (about 20 bits, OWASP ASVS 5.0 V6.5.4): make the code longer, or add characters to the alphabet.',
  ])
  assert.deepEqual(faultsOf('--otp-alphabet=0123456789OL'), [
    'forbidden: the verification policy of the service has the characters 0 and O in its alphabet, which look alike: keep one of them.',
    'forbidden: the verification policy of the service has the characters 1 and I and L in its alphabet, which look alike: keep one of them.',
  ])
  assert.match(faultsOf('--otp-stop-minutes=2').join(), /stops for less time than a code lives/)
  assert.deepEqual(faultsOf('--otp-stop-minutes=3'), [])
  assert.match(faultsOf('--network-verification-policies={"humo":{"length":5}}').join(), /verification policy of humo has only 100,000/)
  assert.match(faultsOf('--network-verification-policies={"amex":{}}').join(), /names "amex"; the card networks are uzcard, humo/)
})

test('a policy of a network that cannot be read is refused with the member that is wrong', () => {
  for (const [text, expected] of [
    ['{"humo":{"lenght":8}}', /A policy has no member "lenght"; it has preset, length/],
    ['{"humo":{"lifetimeSeconds":900}}', /The member lifetimeSeconds of humo must be a whole number from 10 to 600\./],
    ['{"humo":{"stopPer":["card","card"]}}', /The member stopPer of humo must be a list of card, phone and customer\./],
    ['{"humo":{"alphabet":"abc"}}', /The member alphabet of humo must be digits, letters, or/],
    ['[]', /It must be an object by card network\./],
    ['no', /It must be an object by card network\./],
  ] as const) {
    assert.throws(
      () => readConfig([`--network-verification-policies=${text}`], {}),
      (err) => err instanceof InvalidSettingsError && expected.test(err.message),
      text,
    )
  }
  assert.throws(() => readConfig(['--otp-lifetime-seconds=601'], {}), /expected a whole number from 10 to 600/)
})

test('codes of letters and digits have at least one letter', () => {
  assert.equal(countCodes({ length: 6, alphabet: '0123456789' }), 1_000_000)
  assert.equal(countCodes({ length: 2, alphabet: '01A' }), 9 - 4)
})
