/**
 * The words of English, Russian and Uzbek by which a page asks for a card. Texts are compared after `normalizeText`, which writes Cyrillic with
 * Latin letters, so each word stands here once: “karta” is the Uzbek karta and карта and the Russian карта.
 */

import * as vocabulary from './vocabulary.ts'

/** Lower case, one alphabet, no apostrophes and accents: “Картанинг рақами” becomes “kartaning raqami”. */
export function normalizeText(text: string): string {
  const letters = text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\u00ad\u200b-\u200f\u2060\ufeff]/g, '')
    .replace(/(?<![#\d] ?)#(?! ?[#\d])/g, ' № ')
    .replace(hasBothAlphabets(text) ? /\p{L}+/gu : /(?!)/, unmixAlphabets)
    .replace(spacedLetters, (word) => word.replaceAll(' ', ''))
  return Array.from(letters, (letter) => vocabulary.latinLetters[letter] ?? letter)
    .join('')
    .replace(/(?<=\p{L})[ʻʼ‘’'`´](?=\p{L})/gu, '')
    .replace(/\s+/g, ' ')
    .trim()
}

/** A word of Latin and Cyrillic letters, such as “cаrd” with a Cyrillic а, in the alphabet of those that look like none of the other one. */
function unmixAlphabets(word: string): string {
  if (!hasBothAlphabets(word)) return word
  const isCyrillic = /[^\P{Script=Cyrillic}аеорсухкмтвніѕј]/u.test(word)
  const pairs = isCyrillic ? cyrillicLookalikes : latinLookalikes
  return Array.from(word, (letter) => pairs[letter] ?? letter).join('')
}

function hasBothAlphabets(text: string): boolean {
  return /\p{Script=Latin}/u.test(text) && /\p{Script=Cyrillic}/u.test(text)
}

/** “C a r d”: each letter is an element of its own. */
const spacedLetters = /(?<![\p{L}\p{N}])\p{L}(?: \p{L}){3,}(?![\p{L}\p{N}])/gu
const lookalikes = ['аa', 'еe', 'оo', 'рp', 'сc', 'уy', 'хx', 'кk', 'мm', 'тt', 'вb', 'нh', 'іi', 'ѕs', 'јj']
const latinLookalikes: Readonly<Record<string, string>> = Object.fromEntries(
  lookalikes.map(([cyrillic = '', latin = '']) => [cyrillic, latin]),
)
const cyrillicLookalikes: Readonly<Record<string, string>> = Object.fromEntries(
  lookalikes.map(([cyrillic = '', latin = '']) => [latin, cyrillic]),
)

/** What a text says about cards. `payment`: a bank's card. `other`: a gift, loyalty, library card and the like. `plain`: a card of no named kind. */
export interface CardMention {
  readonly kind: 'payment' | 'other' | 'plain'
  /** Whether the number of the card, or its details, are named. */
  readonly isNumber: boolean
}

/** Finds each card named in a normalized text, with the kind that the words around it give it. */
export function findCardMentions(text: string): CardMention[] {
  const sentences = splitSentences(text.replace(/\bcc(?= ?(?:№|(?:numbers?|num|no|nr)\b))/g, 'credit card'))
  return sentences.flatMap((sentence, place) => {
    const isPaymentSentence = wordsOf(sentence).some((word) => vocabulary.paymentWord.test(word))
    const words = sentence.match(/[\p{L}\p{N}№]+|[,:()/|–—+]/gu) ?? []
    return words.flatMap((word, index) => {
      if (!vocabulary.cardWord.test(word)) return []
      const phrase = wordsAround(words, index, { before: 2, after: 2, isBreak: isPhraseEnd })
      const wide = wordsAround(words, index, { before: 6, after: 6, isBreak: isListEnd }).join(' ')
      const named = wordsAround(words, index, { before: 6, after: 6, isBreak: isListEnd })
      const isCount =
        vocabulary.countOfCards.test(wide) || vocabulary.lastDigits.test(wide) || warnsOfCards(sentence) || vocabulary.inForm.test(sentence)
      const isNumber =
        !isCount &&
        (vocabulary.joinedNumber.test(word) ||
          isNumberAlone(sentences[place + 1] ?? '') ||
          named.some((other) => vocabulary.numberWord.test(other) || vocabulary.detailWord.test(other)))
      // A shop keeps a record of each customer, “карточка клиента”.
      const isRecord = word.startsWith('kartoch') && phrase.some((other) => vocabulary.customerWord.test(other))
      return [{ kind: isRecord ? 'other' : kindOf(phrase, isPaymentSentence), isNumber }]
    })
  })
}

/** A sentence of a number alone, which is that of the card named before: “Which card do you pay with? Type its number”. */
function isNumberAlone(sentence: string): boolean {
  return namesNumber(sentence) && isGeneric(sentence)
}

function kindOf(phrase: readonly string[], isPaymentSentence: boolean): CardMention['kind'] {
  if (phrase.some((word) => vocabulary.paymentWord.test(word))) return 'payment'
  if (phrase.some((word) => vocabulary.otherCardWord.test(word))) return 'other'
  return isPaymentSentence ? 'payment' : 'plain'
}

/** The word and those on each side of it, up to a break. */
function wordsAround(
  words: readonly string[],
  index: number,
  { before: countBefore, after: countAfter, isBreak }: { before: number; after: number; isBreak: (word: string) => boolean },
): string[] {
  const before = words.slice(Math.max(0, index - countBefore), index)
  const after = words.slice(index + 1, index + 1 + countAfter)
  const firstBreak = after.findIndex(isBreak)
  return [...before.slice(before.findLastIndex(isBreak) + 1), words[index] ?? '', ...(firstBreak < 0 ? after : after.slice(0, firstBreak))]
}

function isPhraseEnd(word: string): boolean {
  return /^[,:()/|–—+]$/.test(word)
}

function isListEnd(word: string): boolean {
  return /^(,|or|and|yoki|eki|va|ili|i|with)$/.test(word)
}

function splitSentences(text: string): string[] {
  return text.split(/[.!?;\n]+(?=\s|$)/)
}

function wordsOf(text: string): readonly string[] {
  return text.match(/\p{L}+|№/gu) ?? []
}

/**
 * Whether the text, an instruction or a question, asks the reader to give a card number here: it does not warn against it, and does not send
 * the reader to a form. `inMessage`: whether it has to say that the number belongs into a message or a comment.
 */
export function asksForCardNumber(text: string, { inMessage = false }: { inMessage?: boolean } = {}): boolean {
  return splitSentences(text).some((sentence) => {
    const mentions = findCardMentions(sentence)
    const isRequest = vocabulary.requestWord.test(sentence) && !vocabulary.warningWord.test(sentence) && !vocabulary.inForm.test(sentence)
    return isRequest && (!inMessage || namesMessage(sentence)) && mentions.some(({ kind, isNumber }) => isNumber && kind !== 'other')
  })
}

/** Whether the text is of an input for any text, such as the one of a chat. */
export function namesMessage(text: string): boolean {
  return /\b(message|xabar\w*|soobshen\w*|comment\w*|izoh\w*|kommentar\w*|reply|javob\w*|otvet\w*|note|primechan\w*|text|matn)\b/.test(text)
}

/** Whether the text names a document or a device that has a long number, and often an expiry, of its own. */
export function namesDocument(text: string): boolean {
  return wordsOf(text).some((word) => vocabulary.documentWord.test(word))
}

/** Whether the text shows a card that is stored, with most of its number hidden: “Card 8600 •••• •••• 6311”, “Visa •••• 4242”. */
export function showsStoredCard(text: string): boolean {
  const shown =
    /([^.!?;]{0,60})(?<![•*●x\d])(\d{4,6}[ -]?)?(([•*●]{2,4}[ -]?|x{4}[ -]?){1,4}|\b(?:ending (?:in|with)|ends? (?:in|with)|okanchiva\w* na|zakanchiva\w* na) )\d{4}(?!\d)/u.exec(
      text,
    )
  return (
    shown !== null &&
    wordsOf(shown[1] ?? '').some(
      (word) => vocabulary.cardWord.test(word) || vocabulary.cardBrand.test(word) || vocabulary.paymentWord.test(word),
    )
  )
}

/** Whether the text, a heading, is of an organization or a service whose cards are no payment cards: a library, a bonus program. */
export function namesCardIssuer(text: string): boolean {
  return wordsOf(text).some((word) => vocabulary.cardIssuer.test(word))
}

/** Whether the text, a heading, is of something that is bought, and so says nothing of the card that pays for it. */
export function namesPurchase(text: string): boolean {
  return vocabulary.purchase.test(text)
}

/** Whether the text, the label of an input, is of what a club, a course or a clinic asks for. */
export function namesClubDetail(text: string): boolean {
  return vocabulary.clubDetail.test(text)
}

/** Whether the text, a heading, is of a page on which people sign in. */
export function namesSignIn(text: string): boolean {
  return /\b(log ?in|sign ?in|vxod|voyti|avtorizats\w*|kirish)\b/.test(text)
}

/** “Never send your card number”, “karta raqamini yozmang”. */
function warnsOfCards(sentence: string): boolean {
  return /\b(never|not|dont|don t|nikogda|ne|nikomu)(\W+\p{L}+){0,4}\W+(card|kart)|\b(card|kart)\p{L}*(\W+\p{L}+){0,6}\W+\p{L}+mang\b/u.test(
    sentence,
  )
}

/** Whether the text asks for a picture of a payment card: of both its sides, or of a bank's card. */
export function asksForCardPicture(text: string): boolean {
  const mentions = findCardMentions(text)
  return (
    vocabulary.pictureWords.test(text) &&
    !namesOtherThing(text) &&
    !namesDocument(text) &&
    mentions.length > 0 &&
    mentions.every(({ kind }) => kind !== 'other') &&
    (mentions.some(({ kind, isNumber }) => kind === 'payment' || isNumber) || vocabulary.sidesOfCard.test(text))
  )
}

/** Whether the label of an input beside an expiry can be that of the card's number: “Card for the deposit”, but not “Card type”. */
export function canNameCard(text: string): boolean {
  return (
    text.length <= maxCardLabelLength &&
    !namesOtherThing(text) &&
    !namesHolder(text) &&
    ![vocabulary.countOfCards, vocabulary.lastDigits, vocabulary.cardProperty].some((known) => known.test(text))
  )
}

/** Whether the labels are those of a date that has no day: a month and a year, each in an input of its own. */
export function areMonthAndYear(labels: readonly string[]): boolean {
  const isNamed = (known: RegExp): boolean => labels.some((label) => known.test(label))
  return isNamed(vocabulary.monthWord) && isNamed(vocabulary.yearWord) && !isNamed(vocabulary.dayWord)
}

/** Whether the text, a heading, is of a transfer from card to card. */
export function namesCardTransfer(text: string): boolean {
  return vocabulary.cardTransfer.test(text)
}

/** Whether the text only says from where or to whom: “from”, “куда”. */
export function isPurposeAlone(text: string): boolean {
  const words = wordsOf(text)
  return words.length > 0 && words.every((word) => vocabulary.purposeWord.test(word) || vocabulary.genericWord.test(word))
}

/** Whether the text says that a stored card has expired, or is about to. */
export function namesExpiredCard(text: string): boolean {
  return vocabulary.expiredCard.test(text)
}

const maxCardLabelLength = 60

/** Whether the text is of a search. */
export function namesSearch(text: string): boolean {
  return /\b(search\w*|find|qidir\w*|izla\w*|poisk\w*|iskat|nayti)\b/.test(text)
}

/** Whether the text gives an example that is too short for a card number: “for example 1290”. */
export function givesShortExample(text: string): boolean {
  return /\b(example|e\.?g|masalan|misol|naprimer|primer)\W{1,3}#?\d{1,8}(?![\d ]*\d)/.test(text)
}

/** Whether a number or digits are named at all, without saying of what. */
export function namesNumber(text: string): boolean {
  return wordsOf(text).some((word) => vocabulary.numberWord.test(word))
}

export function namesExpiry(text: string): boolean {
  return vocabulary.expiryWords.test(text)
}

export function namesHolder(text: string): boolean {
  return vocabulary.holderWords.test(text)
}

/** `sure`: CVV and its other names. `likely`: words that mean it beside a card number, such as “security code”. */
export function namesSecurityCode(text: string): 'sure' | 'likely' | null {
  if (/\b(cvv2?|ccv2?|cvc2?|csc|cvn|cvp2?)\b/.test(text)) return 'sure'
  return vocabulary.securityCodeWords.test(text) ? 'likely' : null
}

export function namesPin(text: string): boolean {
  return /\b(pin|pinkod|pin kod\w*|pin code)\b/.test(text) && !/\b(bez|without|no|siz|limit\w*|summ?\w*|amount)\b/.test(text)
}

export function namesSmsCode(text: string): boolean {
  return /\b(sms|smsdagi|smsdan)\b.{0,20}\b(code|kod\w*)\b|\b(code|kod\w*)\b.{0,20}\bsms\b|\bone.?time (code|password)\b|\botp\b/.test(text)
}

export function namesPayment(text: string): boolean {
  return vocabulary.paymentContext.test(text)
}

/** Whether the text says nothing of its own: it is empty, or “number”, “enter 16 digits” and the like. */
export function isGeneric(text: string): boolean {
  return wordsOf(text).every((word) => vocabulary.genericWord.test(word) || vocabulary.numberWord.test(word))
}

/** Whether the text says nothing but “card” or the name of a brand, with what it is for: “card of the recipient”, “Uzcard or Humo”, “bank card: 16 digits”. */
export function isCardAlone(text: string): boolean {
  const words = wordsOf(text)
  return (
    words.some((word) => vocabulary.cardWord.test(word) || vocabulary.cardBrand.test(word)) &&
    words.every((word) =>
      [
        vocabulary.cardWord,
        vocabulary.cardBrand,
        vocabulary.paymentWord,
        vocabulary.genericWord,
        vocabulary.numberWord,
        vocabulary.purposeWord,
      ].some((known) => known.test(word)),
    ) &&
    !vocabulary.countOfCards.test(text) &&
    !vocabulary.lastDigits.test(text)
  )
}

/** Whether the text speaks of a bank or a kind of payment card. */
export function namesBank(text: string): boolean {
  return wordsOf(text).some((word) => vocabulary.paymentWord.test(word))
}

/** Whether the text names brands of cards, such as “Visa or Mastercard”. */
export function namesCardBrands(text: string): boolean {
  return wordsOf(text).some((word) => vocabulary.cardBrand.test(word))
}

/** Whether the text describes the number on a card without naming a card: “16 digits”, “the number on the front”. */
export function namesCardDigits(text: string): boolean {
  return vocabulary.cardDigits.test(text) || vocabulary.numberOnFront.test(text)
}

/** Whether the text, the name of a card alone, says that the card gets money: “card for the payout”, “карта получателя”. */
export function namesPayout(text: string): boolean {
  return wordsOf(text).some((word) => vocabulary.payoutWord.test(word))
}

/** Whether the text calls the card that of a customer, which may be the shop's own card. */
export function namesCustomer(text: string): boolean {
  return wordsOf(text).some((word) => vocabulary.customerWord.test(word))
}

/** Whether the text is the name of a payment card, such as the legend “Your debit card”. */
export function isPaymentCard(text: string): boolean {
  const mentions = findCardMentions(text)
  return text.length <= 60 && mentions.length > 0 && mentions.every(({ kind }) => kind === 'payment')
}

/** Whether the text names something else that is typed into an input: an order, a phone, an account, a tax number. */
export function namesOtherThing(text: string): boolean {
  return wordsOf(text).some((word) => vocabulary.otherThing.test(word))
}

/** Whether the words of an identifier (`cardNumber`, `cc-num`, `karta_raqami`) name a card number, an expiry or a code. */
export function readIdentifier(identifier: string): 'number' | 'expiry' | 'code' | null {
  const text = normalizeText(identifier.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/[^\p{L}\p{N}]+/gu, ' '))
  const words = text.split(' ')
  if (words.some((word) => vocabulary.otherCardWord.test(word))) return null
  if (words.some((word) => /^(cvv2?|ccv2?|cvc2?|csc)$/.test(word))) return 'code'
  const isCard = words.some((word) => vocabulary.cardWord.test(word) || /^cc$/.test(word))
  if (isCard && words.some((word) => /^exp(iry|ire|ires|iration)?$|^(expdate|srok|muddat\w*)$/.test(word))) return 'expiry'
  if (isCard && words.some((word) => vocabulary.numberWord.test(word))) return 'number'
  return words.some((word) => /^(cardnumber|cardno|cardnum|ccnumber|ccnum|cardpan|pan)$/.test(word)) ? 'number' : null
}
