import { isPlainName } from '@tessera/contract/envelope'
import { maskPhone } from '@tessera/contract/card'
import { hasValidCheckDigit } from '@tessera/contract/check-digit'
import { isId } from '@tessera/vault/id'
import { isTokenShape } from '@tessera/vault/token'
import { publicOperations, type MemberLogRule, type MemberLogRules } from '@tessera/contract/operations'

/** One member as it is stored: its value, or the reason why it is hidden and its size. */
export interface RedactedMember {
  readonly path: string
  readonly value: string | number | boolean | null
  readonly hidden: 'secret' | 'text' | 'number' | 'flag' | 'object' | 'array' | 'unknown' | null
  readonly size: number
}

/** At most `membersMax` members, and the number of those that were omitted. */
export interface RedactedMembers {
  readonly list: readonly RedactedMember[]
  readonly more: number
}

/**
 * Redacts a call's params by the log rules of the operation's contract. Of an unknown member the name is stored, if it is a plain name, and never the
 * value. Of an unknown method nothing is stored.
 */
export function redactParams(method: string | null, params: object): RedactedMembers {
  return walk(rulesOf(method)?.params ?? none, params, true)
}

/** Redacts a result. Members without a rule are omitted. */
export function redactResult(method: string | null, result: unknown): RedactedMembers {
  if (Array.isArray(result)) return { list: [{ path: '*', value: null, ...describe(result) }], more: 0 }
  return isObject(result) ? walk(rulesOf(method)?.result ?? none, result, false) : { list: [], more: 0 }
}

/** The card id of a call, from the token in its params or its result; '' if there is none. */
export function cardIdOf(...of: readonly RedactedMembers[]): string {
  for (const { list } of of) {
    const member = list.find(({ path, hidden }) => hidden === null && (path === 'token' || path === 'card.token'))
    if (typeof member?.value === 'string') return member.value
  }
  return ''
}

/** Whether a text is a plain name, and shorter than a password. */
export function isLoggableName(text: string): boolean {
  return text.length <= nameLengthMax && isPlainName(text)
}

/** 24 hex digits that contain no card number. One id in several hundred has a long enough run of decimal digits, and few of those a valid check digit. */
export function isLoggableId(text: string): boolean {
  // Most ids have no run of digits that is long enough, so no regular expression is asked: three ids of each check.
  return isId(text) && !(hasLongDigitRun(text) && (text.match(/\d{15,}/g) ?? []).some(holdsPan))
}

function hasLongDigitRun(id: string): boolean {
  let run = 0
  for (let i = 0; i < id.length && run < panLengthMin; i++) run = id.charCodeAt(i) <= digitNine ? run + 1 : 0
  return run >= panLengthMin
}

/** Whether some of the digits could be a card number of 15 to 19 digits; shorter ones are no longer issued. */
function holdsPan(digits: string): boolean {
  const bytes = Buffer.from(digits, 'latin1')
  for (let from = 0; from + panLengthMin <= bytes.length; from++) {
    for (let to = from + panLengthMin; to <= Math.min(bytes.length, from + panLengthMax); to++)
      if (hasValidCheckDigit(bytes, from, to)) return true
  }
  return false
}

/** The rules of the members of one object, by name: found without putting a path together for each member of each call, 1 µs less. */
interface Rules {
  /** Of the object itself, with a dot at its end; '' at the top. */
  readonly at: string
  readonly members: ReadonlyMap<string, MemberRules>
  /** Of every other member. */
  readonly wildcard: MemberLogRule | null
}

interface MemberRules {
  readonly path: string
  readonly rule: MemberLogRule | null
  /** Null: no member of it has a rule. */
  readonly inside: Rules | null
}

function walk(rules: Rules, members: object, listsUnknown: boolean): RedactedMembers {
  const list: RedactedMember[] = []
  let more = 0
  visit(members, rules)
  return { list, more }

  function visit(object: object, { at, members: known, wildcard }: Rules): void {
    const values = object as Readonly<Record<string, unknown>>
    for (const name of Object.keys(values)) {
      const value = values[name]
      const member = known.get(name)
      if (typeof member?.rule === 'string') add(redactValue(member.path, member.rule, value))
      else if (wildcard !== null) add(redactValue(at + nameOf(name), wildcard, value))
      else if (member !== undefined) visitInside(member, value)
      else if (listsUnknown) add({ path: at + nameOf(name), value: null, hidden: 'unknown', size: 0 })
    }
  }

  function visitInside({ path, inside }: MemberRules, value: unknown): void {
    if (inside !== null && isObject(value)) visit(value, inside)
    else add({ path, value: null, ...(value === null ? visible : describe(value)) })
  }

  function add(member: RedactedMember): void {
    if (list.length < membersMax) list.push(member)
    else more++
  }
}

function redactValue(path: string, rule: MemberLogRule, value: unknown): RedactedMember {
  if (rule === 'secret') return { path, value: null, hidden: 'secret', size: 0 }
  const loggable = value === null ? null : valueReaders[rule](value)
  if (loggable !== null || value === null) return { path, value: loggable, hidden: null, size: 0 }
  const { hidden, size } = describe(value)
  return { path, value: null, hidden, size }
}

/** Returns null for a value that is not of the expected kind or must not be stored. */
type LoggedValueReader = (value: unknown) => string | number | boolean | null

const valueReaders: Readonly<Record<Exclude<MemberLogRule, 'secret'>, LoggedValueReader>> = {
  flag: (value) => (typeof value === 'boolean' ? value : null),
  number: (value) => (isInteger(value) && Math.abs(value) < numberEnd ? value : null),
  // A date has no run of digits that could be a card number; a timestamp of 13 digits has.
  timestamp: (value) =>
    value === 0 ? 0 : isInteger(value) && value > timestampFrom && value < timestampTo ? new Date(value).toISOString() : null,
  id: (value) => (typeof value === 'string' && isLoggableId(value) ? value : null),
  card: (value) => (typeof value === 'string' && isTokenShape(value) ? loggableCardId(value.slice(0, 24)) : null),
  mask: (value) => (typeof value === 'string' && /^[0-9]{4,6}\*{3,6}[0-9]{2,4}$/.test(value) ? value : null),
  phone: (value) => (typeof value === 'string' && /^[0-9]{9,15}$/.test(value) ? maskPhone(value) : null),
  plainName: (value) => ((typeof value === 'string' || typeof value === 'number') && isLoggableName(String(value)) ? value : null),
  shape: () => null,
}

function loggableCardId(id: string): string | null {
  return isLoggableId(id) ? id : null
}

function describe(value: unknown): Pick<RedactedMember, 'hidden' | 'size'> {
  if (typeof value === 'string') return { hidden: 'text', size: value.length }
  if (typeof value === 'number') return { hidden: 'number', size: 0 }
  if (typeof value === 'boolean') return { hidden: 'flag', size: 0 }
  if (Array.isArray(value)) return { hidden: 'array', size: value.length }
  return { hidden: 'object', size: Object.keys(value ?? {}).length }
}

function nameOf(name: string): string {
  return isLoggableName(name) ? name : '*'
}

function isInteger(value: unknown): value is number {
  return Number.isSafeInteger(value)
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function rulesOf(method: string | null): { readonly params: Rules; readonly result: Rules } | undefined {
  return method === null ? undefined : allRules.get(method)
}

function compile(rules: MemberLogRules, at = ''): Rules {
  const paths = Object.keys(rules).filter((path) => path.startsWith(at) && path !== `${at}*`)
  const names = new Set(paths.map((path) => path.slice(at.length).split('.', 1)[0] ?? ''))
  const members = Array.from(names, (name): [string, MemberRules] => {
    const path = at + name
    const isParent = paths.some((each) => each.startsWith(`${path}.`))
    return [name, { path, rule: rules[path] ?? null, inside: isParent ? compile(rules, `${path}.`) : null }]
  })
  return { at, members: new Map(members), wildcard: rules[`${at}*`] ?? null }
}

const allRules = new Map(
  Object.entries(publicOperations).map(([name, { requestLog }]) => [
    name,
    { params: compile(requestLog.params), result: compile(requestLog.result) },
  ]),
)
const none: Rules = compile({})
const visible = Object.freeze({ hidden: null, size: 0 })
const membersMax = 40
const nameLengthMax = 32
const panLengthMin = 15
/** In an id every character up to it is a digit. */
const digitNine = 0x39
const panLengthMax = 19
const numberEnd = 1e11
const timestampFrom = Date.UTC(2000)
const timestampTo = Date.UTC(2100)
