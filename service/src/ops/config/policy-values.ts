// The kinds of values that the settings of the verification policy have (verification.ts).

/** The presets of the verification policy. */
export const policyPresetNames = ['specification', 'cbu-3759-as-reported'] as const
export type PolicyPreset = (typeof policyPresetNames)[number]

/** The bounds of the members of a policy, for the service and for a card network alike. */
export const policyBounds = {
  length: { from: 5, to: 12 },
  lifetimeSeconds: { from: 10, to: 600 },
  attempts: { from: 1, to: 10 },
  stopMinutes: { from: 0, to: 1440 },
  resendWaitSeconds: { from: 1, to: 3600 },
  tenMinutesMax: { from: 1, to: 5 },
  dayMax: { from: 1, to: 5 },
} as const

/** For what verification stops after wrong codes: the card number at every merchant, the phone, the merchant's customer. */
export type StopSubjectKind = (typeof stopSubjectKinds)[number]
export const stopSubjectKinds = ['card', 'phone', 'customer'] as const

/** The policy of one card network in `networkVerificationPolicies`. */
export interface NetworkPolicySettings {
  readonly preset?: PolicyPreset
  readonly length?: number
  readonly alphabet?: string
  readonly lifetimeSeconds?: number
  readonly attempts?: number
  readonly stopMinutes?: number
  readonly stopPer?: readonly StopSubjectKind[]
  readonly resendWaitSeconds?: number
  readonly tenMinutesMax?: number
  readonly dayMax?: number
  readonly holderCheck?: 'network' | 'service'
  readonly holderUnknown?: 'accept' | 'refuse'
}

/** The settings from which the policies are made. */
export interface PolicySettings {
  readonly verificationPolicy: PolicyPreset
  readonly otpLength: number | null
  readonly otpAlphabet: string | null
  readonly otpLifetimeSeconds: number | null
  readonly otpAttemptsMax: number | null
  readonly otpStopMinutes: number | null
  readonly otpStopPer: readonly StopSubjectKind[] | null
  readonly resendWaitSeconds: number | null
  readonly sendTenMinutesMax: number
  readonly sendDayMax: number
  readonly holderCheck: 'network' | 'service' | null
  readonly holderUnknown: 'accept' | 'refuse' | null
  readonly networkVerificationPolicies: Readonly<Record<string, NetworkPolicySettings>> | null
}

/** Reads the policies of networks: an object by network, of objects of members. Null when a member is unknown or has no possible value. */
export function readNetworkPolicies(given: unknown): Readonly<Record<string, NetworkPolicySettings>> | null {
  return explainNetworkPolicies(given) === null ? (given as Record<string, NetworkPolicySettings>) : null
}

/** What is wrong with the policies of networks; null when nothing is. */
export function explainNetworkPolicies(given: unknown): string | null {
  if (!isObject(given)) return 'It must be an object by card network.'
  for (const [network, members] of Object.entries(given)) {
    if (!isObject(members)) return `The policy of ${shorten(network)} must be an object.`
    for (const [member, value] of Object.entries(members)) {
      const reader = Object.hasOwn(memberReaders, member) ? memberReaders[member as keyof NetworkPolicySettings] : null
      if (reader === null) return `A policy has no member "${shorten(member)}"; it has ${Object.keys(memberReaders).join(', ')}.`
      if (!reader.accepts(value)) return `The member ${member} of ${shorten(network)} must be ${reader.expected}.`
    }
  }
  return null
}

/** The characters of `otpAlphabet`: a name, or at least ten different digits and capital letters. */
export function isAlphabet(text: unknown): text is string {
  if (typeof text !== 'string') return false
  return text === 'digits' || text === 'letters' || (/^[0-9A-Z]{10,36}$/.test(text) && new Set(text).size === text.length)
}

/** The subjects of `otpStopPer`: a list, or a text with commas. Null when one is unknown or named twice. */
export function readStopSubjects(given: unknown): readonly StopSubjectKind[] | null {
  const names: unknown = typeof given === 'string' ? given.split(',').map((name) => name.trim()) : given
  if (!Array.isArray(names) || names.length === 0 || new Set(names).size !== names.length) return null
  const known = stopSubjectKinds.filter((kind) => names.includes(kind))
  return known.length === names.length ? known : null
}

interface MemberReader {
  readonly expected: string
  readonly accepts: (value: unknown) => boolean
}

function integerMember({ from, to }: { readonly from: number; readonly to: number }): MemberReader {
  const accepts = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= from && Number(value) <= to
  return { expected: `a whole number from ${from} to ${to}`, accepts }
}

function choiceMember(...choices: readonly string[]): MemberReader {
  return { expected: choices.join(' or '), accepts: (value) => choices.includes(value as string) }
}

const memberReaders: Readonly<Record<keyof NetworkPolicySettings, MemberReader>> = {
  preset: choiceMember(...policyPresetNames),
  length: integerMember(policyBounds.length),
  alphabet: { expected: 'digits, letters, or at least ten different digits and capital letters', accepts: isAlphabet },
  lifetimeSeconds: integerMember(policyBounds.lifetimeSeconds),
  attempts: integerMember(policyBounds.attempts),
  stopMinutes: integerMember(policyBounds.stopMinutes),
  stopPer: { expected: 'a list of card, phone and customer', accepts: (value) => Array.isArray(value) && readStopSubjects(value) !== null },
  resendWaitSeconds: integerMember(policyBounds.resendWaitSeconds),
  tenMinutesMax: integerMember(policyBounds.tenMinutesMax),
  dayMax: integerMember(policyBounds.dayMax),
  holderCheck: choiceMember('network', 'service'),
  holderUnknown: choiceMember('accept', 'refuse'),
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function shorten(text: string): string {
  return text.slice(0, 32)
}
