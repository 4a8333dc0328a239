/**
 * The words of English, Russian and Uzbek by which a page asks for a card. Texts are compared after `normalizeText`, which writes Cyrillic with
 * Latin letters, so each word stands here once: “karta” is the Uzbek karta and карта and the Russian карта.
 */

/** Lower case, one alphabet, no apostrophes and accents: “Картанинг рақами” becomes “kartaning raqami”. */
export function normalizeText(text: string): string {
  const letters = text.normalize('NFKC').toLowerCase()
  return Array.from(letters, (letter) => latinLetters[letter] ?? letter)
    .join('')
    .replace(/(?<=\p{L})[ʻʼ‘’'`´](?=\p{L})/gu, '')
    .replace(/\s+/g, ' ')
    .trim()
}

/** What a text says about cards. `payment`: a bank's card. `other`: a gift, loyalty, library card and the like. `plain`: a card of no named kind. */
export interface CardMention {
  readonly kind: 'payment' | 'other' | 'plain'
  /** Whether the number of the card, or its details, are named. */
  readonly isNumber: boolean
}

/** Finds each card named in a normalized text, with the kind that the words around it give it. */
export function findCardMentions(text: string): CardMention[] {
  return splitSentences(text).flatMap((sentence) => {
    const isPaymentSentence = wordsOf(sentence).some((word) => paymentWord.test(word))
    const words = sentence.match(/[\p{L}\p{N}№]+|[,:()/|–—+]/gu) ?? []
    return words.flatMap((word, index) => {
      if (!cardWord.test(word)) return []
      const phrase = wordsAround(words, index, { before: 2, after: 2, isBreak: isPhraseEnd })
      const wide = wordsAround(words, index, { before: 6, after: 6, isBreak: isListEnd }).join(' ')
      const named = wordsAround(words, index, { before: 6, after: 6, isBreak: isListEnd })
      const isCount = countOfCards.test(wide) || lastDigits.test(wide) || warnsOfCards(sentence) || inForm.test(sentence)
      const isNumber = !isCount && (joinedNumber.test(word) || named.some((other) => numberWord.test(other) || detailWord.test(other)))
      return [{ kind: kindOf(phrase, isPaymentSentence), isNumber }]
    })
  })
}

function kindOf(phrase: readonly string[], isPaymentSentence: boolean): CardMention['kind'] {
  if (phrase.some((word) => paymentWord.test(word))) return 'payment'
  if (phrase.some((word) => otherCardWord.test(word))) return 'other'
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
  return /^(,|or|and|yoki|va|ili|i|with)$/.test(word)
}

function splitSentences(text: string): string[] {
  return text.split(/[.!?;\n]+(?=\s|$)/)
}

function wordsOf(text: string): readonly string[] {
  return text.match(/[\p{L}№]+/gu) ?? []
}

/**
 * Whether the text, an instruction or a question, asks the reader to give a card number here: it does not warn against it, and does not send
 * the reader to a form. `inMessage`: whether it has to say that the number belongs into a message or a comment.
 */
export function asksForCardNumber(text: string, { inMessage = false }: { inMessage?: boolean } = {}): boolean {
  return splitSentences(text).some((sentence) => {
    const mentions = findCardMentions(sentence)
    const isRequest = requestWord.test(sentence) && !warningWord.test(sentence) && !inForm.test(sentence)
    return isRequest && (!inMessage || namesMessage(sentence)) && mentions.some(({ kind, isNumber }) => isNumber && kind !== 'other')
  })
}

/** Whether the text is of an input for any text, such as the one of a chat. */
export function namesMessage(text: string): boolean {
  return /\b(message|xabar\w*|soobshen\w*|comment\w*|izoh\w*|kommentar\w*|reply|javob\w*|otvet\w*|note|primechan\w*|text|matn)\b/.test(text)
}

/** Whether the text names a document or a device that has a long number, and often an expiry, of its own. */
export function namesDocument(text: string): boolean {
  return wordsOf(text).some((word) => documentWord.test(word))
}

/** Whether the text shows a card that is stored, with most of its number hidden: “Card 8600 •••• •••• 6311”, “Visa •••• 4242”. */
export function showsStoredCard(text: string): boolean {
  const shown = /([^.!?;]{0,60})(?<![•*●x\d])(\d{4,6}[ -]?)?([•*●]{4}[ -]?|x{4}[ -]?){1,3}\d{4}(?!\d)/u.exec(text)
  return shown !== null && wordsOf(shown[1] ?? '').some((word) => cardWord.test(word) || cardBrand.test(word) || paymentWord.test(word))
}

/** Whether the text, a heading, is of an organization or a service whose cards are no payment cards: a library, a bonus program. */
export function namesCardIssuer(text: string): boolean {
  return wordsOf(text).some((word) => cardIssuer.test(word))
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
  return wordsOf(text).some((word) => numberWord.test(word))
}

export function namesExpiry(text: string): boolean {
  return expiryWords.test(text)
}

export function namesHolder(text: string): boolean {
  return holderWords.test(text)
}

/** `sure`: CVV and its other names. `likely`: words that mean it beside a card number, such as “security code”. */
export function namesSecurityCode(text: string): 'sure' | 'likely' | null {
  if (/\b(cvv2?|ccv2?|cvc2?|csc|cvn|cvp2?)\b/.test(text)) return 'sure'
  return securityCodeWords.test(text) ? 'likely' : null
}

export function namesPin(text: string): boolean {
  return /\b(pin|pinkod|pin kod\w*|pin code)\b/.test(text)
}

export function namesSmsCode(text: string): boolean {
  return /\b(sms|smsdagi|smsdan)\b.{0,20}\b(code|kod\w*)\b|\b(code|kod\w*)\b.{0,20}\bsms\b|\bone.?time (code|password)\b|\botp\b/.test(text)
}

export function namesPayment(text: string): boolean {
  return paymentContext.test(text)
}

/** Whether the text says nothing of its own: it is empty, or “number”, “enter 16 digits” and the like. */
export function isGeneric(text: string): boolean {
  return wordsOf(text).every((word) => genericWord.test(word) || numberWord.test(word))
}

/** Whether the text says nothing but “card” or the name of a brand, with what it is for: “card of the recipient”, “Uzcard or Humo”, “bank card: 16 digits”. */
export function isCardAlone(text: string): boolean {
  const words = wordsOf(text)
  return (
    words.some((word) => cardWord.test(word) || cardBrand.test(word)) &&
    words.every((word) => [cardWord, cardBrand, paymentWord, genericWord, numberWord, purposeWord].some((known) => known.test(word))) &&
    !countOfCards.test(text) &&
    !lastDigits.test(text)
  )
}

/** Whether the text speaks of a bank or a kind of payment card. */
export function namesBank(text: string): boolean {
  return wordsOf(text).some((word) => paymentWord.test(word))
}

/** Whether the text names brands of cards, such as “Visa or Mastercard”. */
export function namesCardBrands(text: string): boolean {
  return wordsOf(text).some((word) => cardBrand.test(word))
}

/** Whether the text describes the number on a card without naming a card: “16 digits”, “the number on the front”. */
export function namesCardDigits(text: string): boolean {
  return cardDigits.test(text) || numberOnFront.test(text)
}

/** Whether the text is the name of a payment card, such as the legend “Your debit card”. */
export function isPaymentCard(text: string): boolean {
  const mentions = findCardMentions(text)
  return text.length <= 60 && mentions.length > 0 && mentions.every(({ kind }) => kind === 'payment')
}

/** Whether the text names something else that is typed into an input: an order, a phone, an account, a tax number. */
export function namesOtherThing(text: string): boolean {
  return wordsOf(text).some((word) => otherThing.test(word))
}

/** Whether the words of an identifier (`cardNumber`, `cc-num`, `karta_raqami`) name a card number, an expiry or a code. */
export function readIdentifier(identifier: string): 'number' | 'expiry' | 'code' | null {
  const text = normalizeText(identifier.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/[^\p{L}\p{N}]+/gu, ' '))
  const words = text.split(' ')
  if (words.some((word) => otherCardWord.test(word))) return null
  if (words.some((word) => /^(cvv2?|ccv2?|cvc2?|csc)$/.test(word))) return 'code'
  const isCard = words.some((word) => cardWord.test(word) || /^cc$/.test(word))
  if (isCard && words.some((word) => /^exp(iry|ire|ires|iration)?$|^(expdate|srok|muddat\w*)$/.test(word))) return 'expiry'
  if (isCard && words.some((word) => numberWord.test(word))) return 'number'
  return words.some((word) => /^(cardnumber|cardno|cardnum|ccnumber|ccnum|cardpan|pan)$/.test(word)) ? 'number' : null
}

const cardWord = /^(cards?|cardnumber|cardno|kart(a\w*|y|e|u|oy|ami?|ax)?|kartoch\w*|plastik\w*)$/
const joinedNumber = /^card(number|no)$/
const numberWord = /^(numbers?|no|num|nr|nomer\w*|raqam\w*|№|pan|digits?|tsifr\w*)$/
const detailWord = /^(details?|data|info|information|dannye|dannyx|rekvizit\w*|malumot\w*)$/
const countOfCards =
  /\b(number|quantity|amount) of (\w+ ){0,2}cards\b|\bhow many\b|\bskolko\b|\bkolichestvo\b|\bnechta\b|\b(karta|kartochka)(lar)?\w* (soni|miqdori)\b/
const lastDigits = /\b(last|posledn\w+|oxirgi|songgi)\b.{0,12}\b(4|four|chetyre|tort\w*|3|three|uch\w*|tri)\b/
const paymentWord =
  /^(bank\w*|credit|kredit\w*|debit|debet\w*|payment|platezh\w*|platej\w*|tolov\w*|visa|mastercard|uzcard|uzkard|humo|xumo|unionpay|amex|maestro|plastik\w*)$/
/** Brands that mean nothing but a card. “Visa” alone may be a permit to enter a country. */
const cardBrand = /^(uzcard|uzkard|humo|xumo|mastercard|unionpay|amex|maestro)$/
/** What a card is for: “card to charge”, “карта получателя”, “qabul qiluvchi kartasi”. */
const purposeWord =
  /^(for|to|from|with|which|any|new|another|recipient\w*|sender\w*|payer\w*|charge\w*|dlya|na|s|so|iz|lyub\w*|nov\w*|drug\w*|spisan\w*|zachislen\w*|popolnen\w*|oplat\w*|perevod\w*|poluchatel\w*|otpravitel\w*|platelsh\w*|uchun|yangi|boshqa|oluvchi\w*|qiluvchi\w*|yuboruvchi\w*|qabul|otkazma)$/
const cardDigits =
  /\b(16|sixteen|shestnadtsat\w*|on olti)([ -]?(ta|ti|xonali|znachn\w*|tiznachn\w*|digit))*[ -](digits?|number|tsifr\w*|nomer\w*|raqam\w*|son\w*|xonali)\b/
const numberOnFront =
  /\b(long|embossed|digits?|numbers?|nomer\w*|tsifr\w*|raqam\w*|sonlar\w*)\b(?=.{0,40}\b(front|face|embossed|litsev\w*|old tomon\w*|yuz tomon\w*)\b)|\b(front|litsev\w*|old tomon\w*|yuz tomon\w*)\b.{0,40}\b(digits?|numbers?|nomer\w*|tsifr\w*|raqam\w*|son\w*)\b|\blong (card )?number\b/
const otherCardWord = new RegExp(
  `^(${[
    'gift\\w*|podaroch\\w*|sovga\\w*|sertifikat\\w*|voucher\\w*|vaucher\\w*|loyal\\w*|bonus\\w*|discount\\w*|diskont\\w*|skidoch\\w*|chegirma\\w*',
    'club|klub\\w*|member\\w*|azo|azolik\\w*|rewards?|miles|points?|postoyann\\w*|pokupatel\\w*|klient\\w*|xaridor\\w*|mijoz\\w*',
    'library|kutubxona\\w*|chitatel\\w*|bibliotek\\w*|bibliotechn\\w*|kitobxon\\w*|reader\\w*|student\\w*|studench\\w*|talaba\\w*|oquvchi\\w*|uchenich\\w*|school|campus',
    'sim|esim|iccid|transport\\w*|transit|travel|metro\\w*|bus|avtobus\\w*|proezd\\w*|atto|yol|yollanma|fuel|toplivn\\w*|benzin\\w*|yoqilgi\\w*|parking',
    'id|identity|identif\\w*|shaxs\\w*|guvohnoma\\w*|udostoveren\\w*|passport\\w*|pasport\\w*|residence|migrats\\w*|migrat\\w*|driver\\w*|driving|voditel\\w*|haydovchi\\w*|taxograf\\w*|tachograph\\w*',
    'medical|health\\w*|medits\\w*|tibbiy\\w*|ambulator\\w*|patient\\w*|patsient\\w*|bemor\\w*|insurance|strax\\w*|sugurta\\w*|polis\\w*|policy|vaccin\\w*',
    'business|visiting|vizit\\w*|tashrif\\w*|greeting|post|pochtov\\w*|otkryt\\w*|tabrik\\w*|score|report|game|gaming|igr\\w*|oyin\\w*|playing|memory|xotira|sd|microsd|video|graphics?|sound|network|setevaya',
    'access|key|propusk\\w*|dostup\\w*|kirish|pass|fitness|gym|abonement\\w*|phone|calling|scratch|skretch|green|tax|warranty|garanti\\w*|kafolat\\w*|kanban|flash|task|punch',
    'trading|tradeable|collect\\w*|kollekts\\w*|kolleksiya\\w*|deck|pokemon|tarot|baseball|hockey|football',
  ].join('|')})$`,
)
const cardIssuer =
  /^(librar\w*|kutubxona\w*|bibliotek\w*|chitatel\w*|kitobxon\w*|loyal\w*|bonus\w*|rewards?|members?|membership|klub\w*|club|transport\w*|transit|metro\w*|toplivn\w*|fuel|patients?|patsient\w*|bemor\w*|poliklinik\w*|students?|studen\w*|talaba\w*)$/
const requestWord =
  /\b(enter|type|send|write|give|provide|tell|reply|need|fill|vvedite|ukajite|napishite|prishlite|otpravte|soobshite|naberite|kiriting|yozing|yuboring|bering|ayting|tering|jonating|kerak|nujen|nujny|what is your)\b/
const warningWord =
  /\b(never|not|dont|don t|do not|nikogda|ne|nikomu|hech|xech|hargiz|emas|mang|bermang|aytmang|yubormang|kiritmang|yozmang|without|beware|scam\w*|fraud\w*|moshenn\w*|firibgar\w*)\b/
const inForm = /\b(v|in|on|using|through|cherez) (\w+ ){0,2}(forme|formu|form)\b|\b(shakl|forma)(ga|da|si\w*)\b/
const documentWord =
  /^((zagran)?pasport\w*|passports?|viza|vizov\w*|polis\w*|imei|iccid|vin|udostoveren\w*|guvohnoma\w*|licen[cs]es?|litsenz\w*|snils|jshshir|pinfl|sertifikat\w*|certificates?|diplom\w*|schetchik\w*|hisoblagich\w*|meters?)$/
const expiryWords =
  /^until:?$|\b(expir\w*|exp\.?( date)?|valid (thru|through|until|till|to)|good (thru|through|until|till)|srok\w*|deystvit\w* do|deystvuet do|goden do|godna do|muddat\w*|yaroqli\w*|amal qil\w*|month (and|&|or) year|mesyats i god|oy va yil|oyi va yili)\b/
const holderWords =
  /\bcard ?holder|\bname on (the |your )?card|\bholder'?s? name|\bderjatel\w*|\bvladel\w* kart|\bimya (na|vladeltsa) kart|\bkarta(ning)? egasi|\bkartadagi (ism|nom|familiya)/
const securityCodeWords =
  /\bsecurity code|\bverification value|\bkod bezopasnosti|\bxavfsizlik kodi|\bkod proverki|\b(3|three|tri|uch|uchta)[ -]?(digits?|raqam\w*|tsifr\w*|xona\w*|znak\w*|son\w*).{0,40}(back|orqa|oborot|obratn|revers)|\b(back|reverse|orqa|oborot\w*|obratn\w*)\b.{0,40}\b(3|three|tri|uch|uchta)[ -]?(digits?|numbers?|raqam\w*|tsifr\w*|xona\w*|son\w*|znak\w*)/
const paymentContext =
  /\b(pay|payment|payments|checkout|donat\w*|purchase|buy|billing|charge|top.?up|refund|payout|oplat\w*|platezh\w*|platej\w*|plata|spisat\w*|popoln\w*|perevod\w*|perevesti|pojertvov\w*|kupit|tolov\w*|tola\w*|xayriya\w*|ehson\w*|pul|otkaz\w*|toldirish|sotib|summa|total|jami|itogo|uzs|usd|som|sum|rub|book|booking|reserv\w*|bron\w*|guarantee|kafolat|subscri\w*|podpisk\w*|obuna)\b|[$€₽]/
const genericWord =
  /^(sixteen|shestnadtsat\w*|olti|xonali|znachn\w*|ta|enter|type|your|the|a|of|on|here|please|in|full|vvedite|ukajite|vash\w*|svo\w*|polnyy|kiriting|yozing|toliq|tering|sizning|bu|yerga|value|field|text|pole|maydon|or|and|yoki|va|ili|i|required|obyazatelno|majburiy|x+|mm|yy|yyyy|oo|gg|oy|yil|god|mesyats|month|year)$/
const otherThing =
  /^(orders?|buyurtma\w*|zakaz\w*|track\w*|trek\w*|parcel|phone\w*|mobile|tel|telefon\w*|account\w*|hisob\w*|xisob\w*|schet\w*|inn|stir|pinfl|jshshir|snils|tin|passport\w*|pasport\w*|key|kalit\w*|klyuch\w*|promo\w*|coupon\w*|kupon\w*|voucher\w*|vaucher\w*|polic\w*|polis\w*|contract\w*|dogovor\w*|shartnoma\w*|login|e|email|mail|pocht\w*|address|manzil\w*|adres\w*|iban|swift|mfo|bic|bik|licen[cs]e\w*|litsenz\w*|serial|seriyn\w*|seriya\w*|imei|vin|iccid|barcode|shtrix\w*|receipt|chek|kvitants\w*|invoice|ticket\w*|bilet\w*|chipta\w*|search\w*|qidir\w*|poisk\w*|iskat|find|amount|summa\w*|miqdor\w*|price|narx\w*|tsena|subscriber|abonent\w*|certificate|sertifikat\w*|guvohnoma\w*|udostoveren\w*|code|kod\w*|password|parol\w*|title|name|nom|nomi|nazvanie|ism\w*|imya|fio)$/

// prettier-ignore
const latinLetters: Readonly<Record<string, string>> = {
  а: 'a', б: 'b', в: 'v', г: 'g', ғ: 'g', д: 'd', е: 'e', ё: 'e', ж: 'j', з: 'z', и: 'i', й: 'y', к: 'k', қ: 'q', л: 'l', м: 'm', н: 'n', о: 'o',
  п: 'p', р: 'r', с: 's', т: 't', у: 'u', ў: 'o', ф: 'f', х: 'x', ҳ: 'h', ц: 'ts', ч: 'ch', ш: 'sh', щ: 'sh', ъ: '', ы: 'y', ь: '', э: 'e', ю: 'yu', я: 'ya',
  'ō': 'o', 'ğ': 'g', 'ş': 'sh', 'ı': 'i',
}
