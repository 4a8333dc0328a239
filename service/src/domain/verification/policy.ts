import { digitAlphabet, hasLetters, letterAlphabet, lookalikeGroups, type CodeFormat } from '@tessera/contract/verification-code'
import { cardRoutes, type CardNetwork, type FindRoute } from '@tessera/contract/route'

import type { NetworkPolicySettings, PolicyPreset, PolicySettings, StopSubjectKind } from '../../ops/config/policy-values.ts'
import type { CardRow } from '../../store/cards.ts'
import type { SendClaim } from '../../store/send-limits.ts'

import { sendWindowsOf } from './daily-caps.ts'

/** How cardholders are verified: what a code looks like, how long it lives, and what wrong codes lead to. In force for the cards of a network. */
export interface VerificationPolicy extends Omit<CodeFormat, 'fixed'> {
  /** At most ten minutes (ASVS 5.0 V6.5.5). */
  readonly lifetimeMs: number
  /** Most attempts per code, and wrong codes in a row before verification stops. */
  readonly maxAttempts: number
  /** What happens after as many wrong codes in a row; null: another code may be requested. */
  readonly stop: StopRule | null
  /** Until another code may be requested for one card. */
  readonly resendWaitMs: number
  /** Limits of codes to one card number and to one phone. */
  readonly sendWindows: SendClaim['windows']
  /** Who says whether the phone is the cardholder's: the network alone, or an outside service as well. */
  readonly holderCheck: 'network' | 'service'
  /** Whether no answer counts as a match. */
  readonly isUnknownHolderAccepted: boolean
}

/** Verification stops for so long. */
export interface StopRule {
  readonly durationMs: number
  /** For what it stops: the card number at every merchant, the phone, the merchant's customer. */
  readonly per: readonly StopSubjectKind[]
}

/** The policies of a service. */
export interface VerificationPolicies {
  /** Of the cards of this network. */
  of(network: CardNetwork | null): VerificationPolicy
  /** Characters of the longest code of any of them. */
  readonly maxLength: number
}

/** The policy of a card, by the network of its number; of the service without a card. The mask shows the digits that decide. */
export function policyOf(
  {
    cards,
    settings,
  }: { readonly cards: { readonly findRoute: FindRoute }; readonly settings: { readonly policies: VerificationPolicies } },
  card: Pick<CardRow, 'maskedPan'> | null,
): VerificationPolicy {
  const route = card === null ? null : cards.findRoute(Buffer.from(card.maskedPan.slice(0, 6), 'latin1'))
  return settings.policies.of(route?.network ?? null)
}

export interface NamedPolicy {
  /** A card network, or `all` for the others. */
  readonly network: string
  readonly policy: VerificationPolicy
}

/**
 * The presets. `specification` has the values of the specification of this service. `cbu-3759-as-reported` has what the press reported of regulation 3759
 * of the Central Bank of Uzbekistan (in force since April 2026); the act itself was not at hand, so check it before you rely on the preset.
 */
export const policyPresets: Readonly<Record<PolicyPreset, PolicyMembers>> = Object.freeze({
  specification: {
    length: 6,
    alphabet: 'digits',
    lifetimeSeconds: 180,
    attempts: 5,
    stopMinutes: 0,
    stopPer: ['card'],
    resendWaitSeconds: 60,
    tenMinutesMax: 3,
    dayMax: 5,
    holderCheck: 'network',
    holderUnknown: 'accept',
  },
  'cbu-3759-as-reported': {
    length: 6,
    alphabet: 'letters',
    lifetimeSeconds: 59,
    attempts: 3,
    stopMinutes: 15,
    stopPer: ['card', 'phone', 'customer'],
    resendWaitSeconds: 60,
    tenMinutesMax: 3,
    dayMax: 5,
    holderCheck: 'network',
    holderUnknown: 'refuse',
  },
})

/** A policy as an operator writes it: in the units of the settings. */
export type PolicyMembers = Required<Omit<NetworkPolicySettings, 'preset'>>

/** The policies of the settings. Throws an error with every reason for which one of them is refused. */
export function makeVerificationPolicies(config: PolicySettings): VerificationPolicies {
  const faults = findPolicyFaults(config)
  if (faults.length > 0) throw new Error(faults.join('\n'))
  const [general, ...others] = listPolicies(config)
  const own = new Map(others.map(({ network, policy }) => [network, policy]))
  const maxLength = Math.max(general.policy.length, ...others.map(({ policy }) => policy.length))
  return Object.freeze({ of: (network: CardNetwork | null) => own.get(network ?? '') ?? general.policy, maxLength })
}

/** The policy of the service, as that of `all` networks, and those of the networks that have their own. */
export function listPolicies(config: PolicySettings): readonly [NamedPolicy, ...NamedPolicy[]] {
  const own = networkMembers(config).map(({ network, members }) => ({ network, policy: toPolicy(members) }))
  return [{ network: 'all', policy: toPolicy(generalMembers(config)) }, ...own]
}

/** Whether a policy of the settings calls an outside service that says whether a phone is the cardholder's. */
export function usesHolderService(config: PolicySettings): boolean {
  return listPolicies(config).some(({ policy }) => policy.holderCheck === 'service')
}

/** Why the policies of the settings are refused, one sentence each; empty when they are not. */
export function findPolicyFaults(config: PolicySettings): string[] {
  const own = networkMembers(config)
  const unknown = own
    .filter(({ network }) => !networks.has(network))
    .map(({ network }) => {
      return `forbidden: networkVerificationPolicies names "${network.slice(0, 32)}"; the card networks are ${[...networks].join(', ')}.`
    })
  const faults = [{ network: 'all', members: generalMembers(config) }, ...own].flatMap(({ network, members }) =>
    findFaults(members).map((fault) => `forbidden: the verification policy of ${network === 'all' ? 'the service' : network} ${fault}`),
  )
  return [...new Set([...unknown, ...faults])]
}

/** The settings over the preset. */
function generalMembers(config: PolicySettings): PolicyMembers {
  const preset = policyPresets[config.verificationPolicy]
  return {
    length: config.otpLength ?? preset.length,
    alphabet: config.otpAlphabet ?? preset.alphabet,
    lifetimeSeconds: config.otpLifetimeSeconds ?? preset.lifetimeSeconds,
    attempts: config.otpAttemptsMax ?? preset.attempts,
    stopMinutes: config.otpStopMinutes ?? preset.stopMinutes,
    stopPer: config.otpStopPer ?? preset.stopPer,
    resendWaitSeconds: config.resendWaitSeconds ?? preset.resendWaitSeconds,
    tenMinutesMax: config.sendTenMinutesMax,
    dayMax: config.sendDayMax,
    holderCheck: config.holderCheck ?? preset.holderCheck,
    holderUnknown: config.holderUnknown ?? preset.holderUnknown,
  }
}

/** The members of a network over its preset, or over the policy of the service if it names none. */
function networkMembers(config: PolicySettings): { readonly network: string; readonly members: PolicyMembers }[] {
  return Object.entries(config.networkVerificationPolicies ?? {}).map(([network, { preset, ...own }]) => ({
    network,
    members: { ...(preset === undefined ? generalMembers(config) : policyPresets[preset]), ...own },
  }))
}

function toPolicy(members: PolicyMembers): VerificationPolicy {
  const { length, attempts, stopMinutes, stopPer, holderCheck, holderUnknown, tenMinutesMax, dayMax } = members
  const resendWaitMs = members.resendWaitSeconds * 1000
  return Object.freeze({
    length,
    alphabet: alphabetOf(members.alphabet),
    lifetimeMs: members.lifetimeSeconds * 1000,
    maxAttempts: attempts,
    stop: stopMinutes === 0 ? null : Object.freeze({ durationMs: stopMinutes * 60_000, per: stopPer }),
    resendWaitMs,
    sendWindows: sendWindowsOf({ waitMs: resendWaitMs, tenMinutesMax, dayMax }),
    holderCheck,
    isUnknownHolderAccepted: holderUnknown === 'accept',
  })
}

/** The characters of `digits`, `letters`, or an operator's own. */
function alphabetOf(written: string): string {
  return written === 'digits' ? digitAlphabet : written === 'letters' ? letterAlphabet : written
}

function findFaults(members: PolicyMembers): string[] {
  const alphabet = alphabetOf(members.alphabet)
  const alike = lookalikeGroups.filter((group) => Array.from(group).filter((character) => alphabet.includes(character)).length > 1)
  const possible = countCodes({ length: members.length, alphabet })
  const stopSeconds = members.stopMinutes * 60
  return [
    ...(hasLetters(alphabet) ? alike : []).map(
      (group) => `has the characters ${Array.from(group).join(' and ')} in its alphabet, which look alike: keep one of them.`,
    ),
    ...(possible < minPossibleCodes
      ? [
          `has only ${possible.toLocaleString('en')} possible codes, and one guess in ${Math.floor(possible / members.attempts).toLocaleString('en')} would be right with ${members.attempts} attempts; ` +
            'at least 1,000,000 are required (about 20 bits, OWASP ASVS 5.0 V6.5.4): make the code longer, or add characters to the alphabet.',
        ]
      : []),
    ...(stopSeconds > 0 && stopSeconds < members.lifetimeSeconds
      ? ['stops for less time than a code lives, so that the same code could be guessed on: raise the stop, or shorten the lifetime.']
      : []),
  ]
}

/** How many codes a policy has. Where there are letters, a code has at least one. */
export function countCodes({ length, alphabet }: Pick<VerificationPolicy, 'length' | 'alphabet'>): number {
  const letters = Array.from(alphabet).filter((character) => hasLetters(character)).length
  return alphabet.length ** length - (letters === 0 ? 0 : (alphabet.length - letters) ** length)
}

/** A policy in one line, for people. */
export function describePolicy({ length, alphabet, lifetimeMs, maxAttempts, stop, ...policy }: VerificationPolicy): string {
  const characters = hasLetters(alphabet) ? 'letters and digits' : 'digits'
  const holder = `holder: ${policy.holderCheck}, ${policy.isUnknownHolderAccepted ? 'no answer accepted' : 'no answer refused'}`
  return [
    `${length} ${characters}`,
    `${lifetimeMs / 1000} s`,
    `${maxAttempts} attempts`,
    stop === null ? 'no stop' : `then stopped for ${stop.durationMs / 60_000} min (${stop.per.join(', ')})`,
    `another code after ${policy.resendWaitMs / 1000} s`,
    holder,
  ].join(', ')
}

const networks: ReadonlySet<string> = new Set(cardRoutes.map(({ network }) => network))

/** Six digits. At ten attempts, the most that a setting allows, one code in 100,000 is guessed. */
const minPossibleCodes = 1_000_000
