import { findSplitBoxes, GroupFinder } from './field-groups.ts'
import { canHoldPan, formatOf, readFormat, readSelectFormat, type InputFormat } from './formats.ts'
import { findKeypads } from './keypads.ts'
import { LabelReader, type FieldTexts } from './labels.ts'
import { textInside, type Outline, type OutlineElement } from './outline.ts'
import * as words from './words.ts'

/** What an input asks for. `code` is a CVV, `pin` a card's PIN, `otp` the code of an SMS. */
export type CardData = 'number' | 'expiry' | 'holder' | 'code' | 'pin' | 'otp'

/** An input that asks for card data, with what a person reads about it. */
export interface CardField {
  readonly element: OutlineElement
  readonly data: CardData
  readonly text: string
}

/** What was observed in the browser while digits were typed into an input. */
export interface TypingBehavior {
  /** The input arranged the digits in groups of four. */
  readonly isGrouped: boolean
  /** The digits left the page in a form that hides them: reversed, encoded or in parts. */
  readonly isDisguised: boolean
}

export interface CardFieldOptions {
  /** Masks that scripts set, by the id, class or name of the input. */
  readonly masks?: ReadonlyMap<string, string>
  readonly behaviors?: ReadonlyMap<OutlineElement, TypingBehavior>
  /** Names of custom elements that scripts define, each with an input inside. */
  readonly components?: ReadonlySet<string>
}

/**
 * Finds the inputs that ask for a card, by what a person reads about them: the label, the placeholder, the form of the mask, the heading above,
 * and the inputs beside. A number is judged together with its group: “number” beside “MM/YY” is a card, “card number” under “Gift card” is not.
 */
export function findCardFields(outline: Outline, options: CardFieldOptions = {}): CardField[] {
  const isComponent = ({ tag }: OutlineElement): boolean => options.components?.has(tag) === true
  const fields = outline.elements
    .filter((element) => isTypedInto(element) || isKeyTarget(outline, element) || isComponent(element))
    .slice(0, maxFields)
  const reader = new LabelReader(outline, fields)
  const groups = new GroupFinder(fields)
  const candidates = fields.map((element) => readCandidate(element, { reader, groups, options }))
  const boxes = findSplitBoxes(outline, fields)
  const stored = readStoredCard(outline)
  const cardFields: CardField[] = []
  for (const [group, members] of Map.groupBy(candidates, ({ group: root }) => root))
    cardFields.push(...judgeGroup({ outline, boxes, stored }, group, members))
  for (const { element, text } of [...findKeypads(outline), ...findCardPictures(outline, reader)])
    cardFields.push({ element, data: 'number', text: text.slice(0, maxDescriptionLength) })
  return cardFields.toSorted((a, b) => a.element.start - b.element.start)
}

/** Inputs that take a picture of a payment card. */
function findCardPictures(outline: Outline, reader: LabelReader): { readonly element: OutlineElement; readonly text: string }[] {
  const inputs = outline.elements.filter(({ tag, attributes }) => tag === 'input' && /^file$/i.test(attributes['type'] ?? ''))
  return inputs.slice(0, maxFields).flatMap((element) => {
    const { own, before } = reader.read(element, null)
    const text = own.length > 0 ? own.join(', ') : before
    return words.asksForCardPicture(words.normalizeText(text)) ? [{ element, text }] : []
  })
}

/** Whether the element takes the focus and has a name, and is neither a native control nor one of a role that is not typed into. */
function isNamedFocusTarget({ tag, attributes }: Pick<OutlineElement, 'tag' | 'attributes'>): boolean {
  return (
    /^(div|span|p|td|li|output|canvas)$/.test(tag) &&
    /^\s*0*\d+\s*$/.test(attributes['tabindex'] ?? '') &&
    /^(|textbox|spinbutton|application)$/.test(attributes['role'] ?? '') &&
    `${attributes['aria-label'] ?? ''}${attributes['aria-labelledby'] ?? ''}`.trim() !== ''
  )
}

/** Whether people type or choose something in the element: buttons, boxes and hidden inputs are not. */
export function isTypedInto({ tag, attributes }: Pick<OutlineElement, 'tag' | 'attributes'>): boolean {
  const editable = attributes['contenteditable']
  if (tag !== 'body' && tag !== 'html' && editable !== undefined && editable !== 'false') return true
  if (attributes['role'] === 'textbox' && tag !== 'input') return true
  return (
    /^(input|textarea|select)$/.test(tag) &&
    !/^(hidden|checkbox|radio|submit|button|reset|image|file|color|range)$/.test((attributes['type'] ?? '').toLowerCase())
  )
}

/** An empty element with a name that takes the focus and is nothing else: a script reads keys there. */
function isKeyTarget(outline: Outline, element: OutlineElement): boolean {
  return isNamedFocusTarget(element) && textInside(outline, element, 10) === ''
}

interface Candidate {
  readonly element: OutlineElement
  readonly group: OutlineElement | null
  readonly texts: FieldTexts
  readonly own: string
  readonly format: InputFormat
  readonly mentions: readonly words.CardMention[]
  readonly identifier: ReturnType<typeof words.readIdentifier>
  readonly autocomplete: string
  readonly behavior: TypingBehavior | undefined
}

function readCandidate(
  element: OutlineElement,
  { reader, groups, options }: { reader: LabelReader; groups: GroupFinder; options: CardFieldOptions },
): Candidate {
  const { attributes } = element
  const group = groups.groupOf(element)
  const texts = reader.read(element, group)
  const heading = words.normalizeText(texts.heading)
  const isLabel = texts.own.length === 0 || words.namesOtherThing(heading) || words.namesDocument(heading)
  const own = words.normalizeText([...(isLabel && heading !== '' ? [heading] : []), ...texts.own].join(', '))
  const behavior = options.behaviors?.get(element)
  const names = [attributes['id'], attributes['name'], ...(attributes['class'] ?? '').split(/\s+/)]
  const masks = names.flatMap((name) => options.masks?.get(name ?? '') ?? [])
  const samples = texts.own.map((text) => formatOf(text)).filter((format) => format !== null)
  const read = behavior?.isGrouped === true ? 'pan' : (readFormat(attributes, masks) ?? samples[0] ?? readSelectFormat(element))
  const identifiers = ['id', 'name', 'data-testid', 'formcontrolname', 'v-model', 'ng-model'].map((name) =>
    words.readIdentifier(attributes[name] ?? ''),
  )
  return {
    element,
    group,
    texts,
    own,
    format: read,
    mentions: words.findCardMentions(own),
    identifier: identifiers.find((identifier) => identifier !== null) ?? null,
    autocomplete: (attributes['autocomplete'] ?? '').toLowerCase(),
    behavior,
  }
}

interface PageFacts {
  readonly outline: Outline
  readonly boxes: ReadonlySet<OutlineElement>
  readonly stored: StoredCard
}

function judgeGroup({ outline, boxes, stored }: PageFacts, group: OutlineElement | null, members: readonly Candidate[]): CardField[] {
  const hasCode = members.some((member) => isSureCode(member))
  const hasExpiry = members.some((member) => isExpiryFormat(member) || /\bcc-exp/.test(member.autocomplete))
  const isPaying = words.namesPayment(
    words.normalizeText(group === null ? '' : `${textInside(outline, group)} ${group.attributes['aria-label'] ?? ''}`),
  )
  const labels = members.map(({ own }) => own)
  const hasNamedExpiry = hasExpiry || labels.some((own) => words.namesExpiry(own)) || words.areMonthAndYear(labels)
  const hasPin = members.some(({ own }) => words.namesPin(own))
  const renewsCard = stored.isShown && (stored.isExpired || members.some(({ own }) => words.namesSecurityCode(own) === 'likely'))
  // The input right before the expiry, as cards have them.
  const beforeExpiry = new Set(members.filter((_, index) => namesExpiryOfCard(members[index + 1])))
  // The day on which a card ends is written on cards of clubs and the like, not on those of banks.
  const isOfClub = labels.some((own) => words.namesClubDetail(own)) || (!hasExpiry && members.some((member) => isDayOfExpiry(member)))
  const circumstances = { beforeExpiry, isOfClub, hasCode, hasPin, hasExpiry, hasNamedExpiry, isPaying, boxes }
  const numbers = members.filter((member) => isNumber(member, circumstances))
  const hasNumber = numbers.length > 0
  const dataOf = (member: Candidate): CardData | null => {
    if (numbers.includes(member)) return 'number'
    if (isExpiry(member, { hasNumber: hasNumber || hasCode || renewsCard, isPaying })) return 'expiry'
    if (isSecurityCode(member, hasNumber || stored.isShown)) return 'code'
    if (isHolder(member, hasNumber)) return 'holder'
    if (words.namesPin(member.own) && (hasNumber || namesCardOfBank(member))) return 'pin'
    return /\bone-time-code\b/.test(member.autocomplete) || words.namesSmsCode(member.own) ? 'otp' : null
  }
  return members.flatMap((member) => {
    const data = dataOf(member)
    return data === null ? [] : [{ element: member.element, data, text: describe(member) }]
  })
}

interface StoredCard {
  readonly isShown: boolean
  readonly isExpired: boolean
}

/** What a page says about a card that it keeps. The brand and the hidden number are often elements of their own. */
function readStoredCard({ texts }: Outline): StoredCard {
  const normalized = texts.map(({ text }) => words.normalizeText(text))
  return {
    isShown: normalized.some(
      (text, index) => words.showsStoredCard(text) || words.showsStoredCard(normalized.slice(Math.max(0, index - 2), index + 1).join(' ')),
    ),
    isExpired: normalized.some((text) => words.namesExpiredCard(text)),
  }
}

/** Whether the label names a card, and nothing says that it is of another kind than a bank's. */
function namesCardOfBank(member: Candidate): boolean {
  const { kind, isIssuer, isSignIn } = contextOf(member)
  const isOther = kind === 'other' || isIssuer || isSignIn
  return member.mentions.some(({ kind: own }) => own === 'payment' || (own === 'plain' && !isOther))
}

interface GroupCircumstances {
  readonly hasCode: boolean
  readonly hasPin: boolean
  readonly beforeExpiry: ReadonlySet<Candidate>
  readonly isOfClub: boolean
  /** An input beside takes an expiry, by its form; `hasNamedExpiry`: by its form or its words. */
  readonly hasExpiry: boolean
  readonly hasNamedExpiry: boolean
  /** Whether the group speaks of paying. */
  readonly isPaying: boolean
  readonly boxes: ReadonlySet<OutlineElement>
}

function isDayOfExpiry({ own, element: { attributes } }: Candidate): boolean {
  return words.namesExpiry(own) && (attributes['type'] === 'date' || /\b(dd|kk)[./-]\s?(mm|oo)[./-]/.test(own))
}

function namesExpiryOfCard(member: Candidate | undefined): boolean {
  return member !== undefined && (isExpiryFormat(member) || (words.namesExpiry(member.own) && !words.namesOtherThing(member.own)))
}

function isNumber(
  member: Candidate,
  { beforeExpiry, isOfClub, hasCode, hasPin, hasExpiry, hasNamedExpiry, isPaying, boxes }: GroupCircumstances,
): boolean {
  const { element, own, format, mentions, autocomplete, behavior, identifier } = member
  // Boxes that are counted are those of a table, such as the holes of a golf course.
  const isBox = boxes.has(element) && !/^\d+$/.test(own)
  if (/\bcc-number\b/.test(autocomplete)) return true
  if (!isBox && !canHoldPan(element.tag, element.attributes)) return false
  if (isSearch(member) || words.givesShortExample(own)) return false
  if (isExpiryFormat(member) || isSureCode(member)) return isWholeCard(member)
  if (holdsOtherValue(element)) return false
  const says = mentions.filter(({ isNumber: names }) => names)
  const ownKinds = new Set(mentions.map(({ kind }) => kind))
  const context = contextOf(member)
  // The last heading that names another kind of card decides, unless a CVV is asked for, or an expiry for a payment below a distant heading.
  const isOther = ownKinds.has('payment') ? false : ownKinds.has('other') || context.kind === 'other'
  if (isOther && !hasCode) return !ownKinds.has('other') && context.isFar && hasExpiry && isPaying && (says.length > 0 || format === 'pan')
  if (behavior?.isDisguised === true && !words.namesOtherThing(own)) return true
  // The card of a customer may be the shop's own, unless it expires, or is read out or paid with.
  const before = words.normalizeText(member.texts.before)
  const isRead = words.namesCardDigits(before)
  if (words.namesCustomer(own) && !hasCode && (context.isIssuer || !(hasNamedExpiry || isRead || (says.length > 0 && isPaying))))
    return false
  // The card by which a reader signs in to a library is none of a bank.
  const isMembership = isOfClub || context.isIssuer || (context.isSignIn && !hasNamedExpiry && !hasPin && format === null)
  // The primary account number: a word of the trade, and short enough to mean something else.
  if (/^pan\b/.test(own) && words.isGeneric(own) && hasNamedExpiry) return true
  if (says.length > 0) return hasCode || isPaying || ownKinds.has('payment') || !isMembership
  const hasSupport = hasExpiry || hasCode || context.kind === 'payment'
  if (words.isCardAlone(own))
    return (
      format !== null ||
      isBox ||
      hasNamedExpiry ||
      hasCode ||
      (isPaying && (isNumeric(element) || identifier === 'number' || words.namesPayout(own)))
    )
  const isDocument = context.isDocument && !hasCode && !isPaying
  const isCardNear = hasSupport || hasNamedExpiry || words.namesCardBrands(before)
  if (words.namesCardDigits(own) && !words.namesOtherThing(own) && !isDocument && isCardNear) return true
  const hasLength = format !== null || isNumeric(element)
  if (mentions.length > 0 && (hasLength || beforeExpiry.has(member)) && hasNamedExpiry && words.canNameCard(own)) return true
  if (words.isPurposeAlone(own) && member.texts.around.some((text) => words.namesCardTransfer(words.normalizeText(text)))) return true
  const isSilent = words.isGeneric(own)
  if (
    isBox &&
    isSilent &&
    words.findCardMentions(before.slice(-maxDescriptionLength)).some(({ isNumber: names, kind }) => names && kind !== 'other')
  )
    return true
  if (isSilent && context.isNumber && (isBox || isNumeric(element) || context.isNear)) return true
  if (words.namesOtherThing(own)) return words.namesMessage(own) && words.asksForCardNumber(before, { inMessage: true })
  // A passport has a long number and an expiry too.
  if (context.kind === null && isDocument) return false
  const isUnderHeading = member.texts.own.length === 0 && isPaying
  if (format === 'pan') return isSilent || isUnderHeading || hasSupport || context.kind === 'plain'
  if (words.namesNumber(own) && isSilent && hasNamedExpiry && (context.kind === 'payment' || context.kind === 'plain')) return true
  if (format === 'pan_letters' || format === 'pan_length' || isBox)
    return isSilent && (hasSupport || (context.kind === 'plain' && isPaying))
  if (identifier === 'number') return hasSupport || isPaying || context.kind === 'plain'
  return (isSilent || words.namesMessage(own)) && words.asksForCardNumber(before)
}

/** An input that is filled with a short number or with words has another use: a position in a list, a title. */
function holdsOtherValue({ attributes: { value = '' } }: OutlineElement): boolean {
  return /^\s*\d{1,3}\s*$|\p{L}{3}/u.test(value)
}

function isSearch({ own, element: { attributes } }: Candidate): boolean {
  return /^search$/i.test(attributes['type'] ?? '') || attributes['role'] === 'searchbox' || words.namesSearch(own)
}

/** One input for everything: `Card number, MM/YY, CVC`. */
function isWholeCard({ mentions, texts }: Candidate): boolean {
  return (
    mentions.some(({ isNumber: names, kind }) => names && kind !== 'other') ||
    texts.own.some((text) => formatOf(text.replace(/mm.*$/i, '')) === 'pan')
  )
}

function isExpiry(member: Candidate, { hasNumber, isPaying }: { hasNumber: boolean; isPaying: boolean }): boolean {
  const { own, mentions, autocomplete, identifier } = member
  if (/\bcc-exp/.test(autocomplete)) return true
  const named = words.namesExpiry(own)
  if (named && mentions.some(({ kind }) => kind === 'payment')) return true
  if (!hasNumber && named && contextOf(member).isPaymentLegend && !words.namesOtherThing(own) && isExpiryFormat(member)) return true
  if (!hasNumber)
    return (
      named &&
      isExpiryFormat(member) &&
      mentions.length > 0 &&
      mentions.every(({ kind }) => kind !== 'other') &&
      (contextOf(member).kind === 'payment' || (isPaying && contextOf(member).kind !== 'other'))
    )
  // A key, a contract or a policy beside the card has an expiry of its own.
  if (words.namesOtherThing(own) && mentions.length === 0) return false
  return isExpiryFormat(member) || identifier === 'expiry' || (named && !/^(date)$/.test(member.element.attributes['type'] ?? ''))
}

function isExpiryFormat({ format, own, element: { attributes } }: Candidate): boolean {
  return format === 'expiry' || formatOf(own) === 'expiry' || (attributes['type'] === 'month' && words.namesExpiry(own))
}

function isSureCode(member: Candidate): boolean {
  const { element, own, autocomplete, identifier } = member
  // A choice is no code, such as whether one is checked.
  if (isSearch(member) || (element.tag === 'select' && !/\d{3}/.test(element.code))) return false
  if (/\bcc-csc\b/.test(autocomplete) || words.namesSecurityCode(own) === 'sure') return true
  // An identifier supports what the texts say: of a “security level” it does not make a CVV.
  return identifier === 'code' && (words.isGeneric(own) || words.namesSecurityCode(own) !== null || /\b(code|kod\w*)\b/.test(own))
}

function isSecurityCode(member: Candidate, hasNumber: boolean): boolean {
  return isSureCode(member) || (words.namesSecurityCode(member.own) === 'likely' && (hasNumber || namesCardOfBank(member)))
}

function isHolder({ own, autocomplete }: Candidate, hasNumber: boolean): boolean {
  return hasNumber && (/\bcc-(name|given-name|family-name)\b/.test(autocomplete) || words.namesHolder(own))
}

interface CardContext {
  /** Null: no card is named, or several kinds are. */
  readonly kind: words.CardMention['kind'] | null
  readonly isNumber: boolean
  /** Whether a heading names a document, such as a passport. */
  readonly isDocument: boolean
  /** Whether a heading or the title names an organization whose cards are no payment cards, such as a library. */
  readonly isIssuer: boolean
  /** Whether people sign in here, to something that is no bank. */
  readonly isSignIn: boolean
  readonly isFar: boolean
  readonly isNear: boolean
  /** Whether the legend or the name of the group around the input is a payment card. */
  readonly isPaymentLegend: boolean
}

/** The kind of card that the texts around an input name: the nearest text that names a definite kind decides. */
function contextOf({ texts, own }: Candidate): CardContext {
  let hasPlain = false
  let isNumber = false
  const isPaymentLegend = texts.groups.some((text) => words.isPaymentCard(words.normalizeText(text)))
  const headings = texts.around.filter((text) => text.length <= 120).map((text) => words.normalizeText(text))
  const isDocument = headings.some((text) => words.namesDocument(text))
  const isIssuer = headings.some((text) => words.namesCardIssuer(text))
  const isSignIn = headings.some((text) => words.namesSignIn(text)) && !headings.some((text) => words.namesBank(text))
  const known = { isDocument, isPaymentLegend, isIssuer, isSignIn }
  for (const [index, text] of texts.around.entries()) {
    const normalized = words.normalizeText(text)
    const mentions = words.findCardMentions(normalized)
    const isShort = normalized.length <= 120
    // A heading of “the customer's card” is that of a shop's own card.
    const isShops = isShort && words.namesCustomer(normalized) && !normalized.includes(own)
    if (isShort && words.namesPurchase(normalized)) continue
    const kinds = new Set(mentions.map(({ kind }) => (isShops && kind === 'plain' ? 'other' : kind)))
    isNumber ||= isShort && mentions.some((mention) => mention.isNumber && mention.kind !== 'other')
    if (kinds.has('payment') && kinds.has('other')) return { ...known, kind: null, isNumber, isFar: false, isNear: index === 0 }
    if (kinds.has('payment') || kinds.has('other'))
      return { ...known, kind: kinds.has('payment') ? 'payment' : 'other', isNumber, isFar: index > 0, isNear: index === 0 }
    hasPlain ||= kinds.has('plain')
  }
  return { ...known, kind: hasPlain ? 'plain' : null, isNumber, isFar: true, isNear: texts.around.length > 0 }
}

function isNumeric({ tag, attributes }: OutlineElement): boolean {
  return (
    tag === 'input' && (/^(tel|number)$/i.test(attributes['type'] ?? '') || /^(numeric|decimal|tel)$/i.test(attributes['inputmode'] ?? ''))
  )
}

function describe({ texts, element }: Candidate): string {
  const { own, around } = texts
  const text = own.length > 0 ? own.join(' · ') : (around[0] ?? element.attributes['name'] ?? '')
  return text.replace(/\s+/g, ' ').trim().slice(0, maxDescriptionLength)
}

const maxFields = 2000
const maxDescriptionLength = 120
