/** The words and phrases by which texts are judged, as `normalizeText` writes them: with Latin letters, so each word stands once for all alphabets. */

export const cardWord = /^(cards?|cardnumber|cardno|kart(a\w*|y|e|u|oy|ami?|ax)?|kartoch\w*|plastik\w*)$/
export const joinedNumber = /^(card(number|no)|kartaraqam\w*|nomerkarty)$/
export const numberWord = /^(numbers?|no|num|nr|nbr|nomer\w*|raqam\w*|№|pan|digits?|tsifr\w*)$/
export const detailWord = /^(details?|data|info|information|dannye|dannyx|rekvizit\w*|malumot\w*)$/
export const countOfCards =
  /\b(number|quantity|amount) of (\w+ ){0,2}cards\b|\bhow many\b|\bskolko\b|\bkolichestvo\b|\bnechta\b|\b(karta|kartochka)(lar)?\w* (soni|miqdori)\b/
export const lastDigits =
  /\b(last|posledn\w+|oxirgi|songgi)\b.{0,12}\b(4|four|chetyre|tort\w*|3|three|uch\w*|tri)\b|\b(first|perv\w+|birinchi|dastlabki)\b.{0,12}\b(4|6|8|four|six|eight|chetyre|shest|vosem|tort\w*|olti\w*|sakkiz\w*)\b/
export const paymentWord =
  /^(bank\w*|credit|kredit\w*|debit|debet\w*|payment|platezh\w*|platej\w*|tolov\w*|visa|mastercard|uzcard|uzkard|humo|xumo|unionpay|amex|maestro|mc|plastik\w*)$/
/** Brands that mean nothing but a card. “Visa” alone may be a permit to enter a country. */
export const cardBrand = /^(uzcard|uzkard|humo|xumo|mastercard|unionpay|amex|maestro|mc)$/
/** What a card is for, and whose it is: “card to charge”, “карта, с которой списать”, “qabul qiluvchi kartasi”, “the customer's card”. */
export const purposeWord = new RegExp(
  `^(${[
    'for|to|from|with|which|what|whose|we|you|should|shall|will|do|does|is|are|be|it|its|my|our|any|new|another|same|use|used|pays?|paying|paid|receiv\\w*|recipient\\w*|sender\\w*|payer\\w*|charge\\w*|refund\\w*|payout\\w*|withdraw\\w*|money|funds',
    'dlya|na|s|so|iz|v|po|kuda|otkuda|kotor\\w*|kak(oy|uyu|aya)|chey|budet|budem|moy\\w*|mo(ya|yu|ey)|vash\\w*|nash\\w*|e[yo]+|ego|ee|lyub\\w*|nov\\w*|drug\\w*|spis\\w*|zachisl\\w*|popoln\\w*|oplat\\w*|oplach\\w*|plat\\w*|vyplat\\w*|vyvod\\w*|vyvest\\w*|vernut|vozvrat\\w*|perev\\w*|poluch\\w*|otprav\\w*|deneg|dengi|sredstv\\w*',
    'uchun|qaysi|qanday|qaysinisi|dan|ga|yangi|boshqa|tola\\w*|tolov\\w*|yechi\\w*|olin\\w*|olib|oluvchi\\w*|qil\\w*|yubor\\w*|qabul|otkaz\\w*|qaytar\\w*|tush\\w*|pul\\w*|mablag\\w*|men\\w*|bizga',
    'customers?|clients?|buyers?|klient\\w*|pokupatel\\w*|zakazchik\\w*|mijoz\\w*|xaridor\\w*',
  ].join('|')})$`,
)
/** A card that gets money: its number is the only thing that one can ask about it. */
export const payoutWord =
  /^(recipient\w*|payouts?|refund\w*|withdraw\w*|vyplat\w*|vyvod\w*|vyvest\w*|zachisl\w*|poluchatel\w*|popolnen\w*|vozvrat\w*|perev\w*|oluvchi\w*|otkaz\w*|qaytar\w*|tush\w*)$/
/** Whose card it is: of a customer it may be the shop's own card. */
export const customerWord = /^(customers?|clients?|buyers?|klient\w*|pokupatel\w*|zakazchik\w*|mijoz\w*|xaridor\w*)$/
export const cardDigits =
  /\b(16|sixteen|shestnadtsat\w*|on olti)([ -]?(ta|ti|xonali|znachn\w*|tiznachn\w*|digit))*[ -](digits?|number|tsifr\w*|nomer\w*|raqam\w*|son\w*|xonali)\b/
export const numberOnFront =
  /\b(long|embossed|digits?|numbers?|nomer\w*|tsifr\w*|raqam\w*|sonlar\w*)\b(?=.{0,40}\b(front|face|embossed|litsev\w*|old tomon\w*|yuz tomon\w*)\b)|\b(front|litsev\w*|old tomon\w*|yuz tomon\w*)\b.{0,40}\b(digits?|numbers?|nomer\w*|tsifr\w*|raqam\w*|son\w*)\b|\blong (card )?number\b/
export const otherCardWord = new RegExp(
  `^(${[
    'gift\\w*|podaroch\\w*|sovga\\w*|sertifikat\\w*|voucher\\w*|vaucher\\w*|loyal\\w*|bonus\\w*|discount\\w*|diskont\\w*|skidoch\\w*|chegirma\\w*',
    'club|klub\\w*|member\\w*|azo|azolik\\w*|rewards?|miles|points?|postoyann\\w*|doimiy|guests?|gost\\w*|mehmon\\w*|uchastnik\\w*|resident\\w*|rezident\\w*|city|museum\\w*|muze\\w*|tourist\\w*|turist\\w*|resort',
    'library|kutubxona\\w*|chitatel\\w*|bibliotek\\w*|bibliotechn\\w*|kitobxon\\w*|reader\\w*|student\\w*|studench\\w*|talaba\\w*|oquvchi\\w*|uchenik\\w*|uchenich\\w*|shkol\\w*|maktab\\w*|pitan\\w*|school|campus',
    'sim|esim|iccid|transport\\w*|transit|travel|metro\\w*|bus|avtobus\\w*|proezd\\w*|atto|yol|yollanma|fuel|toplivn\\w*|benzin\\w*|yoqilgi\\w*|parking',
    'id|identity|identif\\w*|shaxs\\w*|guvohnoma\\w*|udostoveren\\w*|passport\\w*|pasport\\w*|residence|migrats\\w*|migrat\\w*|driver\\w*|driving|voditel\\w*|haydovchi\\w*|taxograf\\w*|tachograph\\w*',
    'medical|health\\w*|medits\\w*|tibbiy\\w*|ambulator\\w*|patient\\w*|patsient\\w*|bemor\\w*|insurance|strax\\w*|sugurta\\w*|polis\\w*|policy|vaccin\\w*',
    'business|visiting|vizit\\w*|tashrif\\w*|greeting|post|pochtov\\w*|otkryt\\w*|tabrik\\w*|score|report|game|gaming|igr\\w*|oyin\\w*|playing|memory|xotira|sd|microsd|video|graphics?|sound|network|setevaya',
    'access|key|propusk\\w*|dostup\\w*|kirish|pass|fitness|gym|abonement\\w*|phone|calling|scratch|skretch|green|tax|warranty|garanti\\w*|kafolat\\w*|kanban|flash|task|punch|smart|dekoder\\w*|product|tovar\\w*|mahsulot\\w*|social|sotsial\\w*|ijtimoiy|staff|crew|employee\\w*|sotrudnik\\w*|xodim\\w*|press|union|profsoyuz\\w*|vote\\w*|izbiratel\\w*|saylov\\w*|uchet\\w*|inventar\\w*|locker|garderob\\w*|privivo\\w*|emlash|donor\\w*|immun\\w*|marshrut\\w*|texnolog\\w*|readers?|rider|fans?|bolelsh\\w*|muxlis\\w*',
    'trading|tradeable|collect\\w*|kollekts\\w*|kolleksiya\\w*|deck|pokemon|tarot|baseball|hockey|football',
  ].join('|')})$`,
)
export const cardIssuer =
  /^(librar\w*|kutubxona\w*|bibliotek\w*|chitatel\w*|kitobxon\w*|loyal\w*|bonus\w*|rewards?|members?|membership|klub\w*|club|diskont\w*|discount\w*|skid\w*|chegirma\w*|transport\w*|transit|metro\w*|toplivn\w*|fuel|patients?|patsient\w*|bemor\w*|poliklinik\w*|students?|studen\w*|talaba\w*)$/
/** A gift card that is bought is paid with another card. */
export const purchase = /\b(buy|purchase|kupit|pokupka|priobre\w*|sotib ol\w*)\b/
/** What is asked for beside the card of a club, a course or a clinic. */
export const clubDetail =
  /\b(membership|member (no|number|since)|club|klub\w*|sessions? left|zanyati\w*|trenirov\w*|mashgulot\w*|diagno[sz]\w*|tashxis\w*|abonement\w*|points|ball\w*|class|klass\w*|sinf\w*|kurs|gruppa|guruh\w*)\b/
export const requestWord =
  /\b(enter|type|send|write|give|provide|tell|reply|need|fill|vvedite|ukajite|napishite|prishlite|otpravte|soobshite|naberite|kiriting|yozing|ezing|yuboring|bering|ayting|tering|jonating|kerak|nujen|nujny|what is your)\b/
export const warningWord =
  /\b(never|not|dont|don t|do not|nikogda|ne|nikomu|hech|xech|hargiz|emas|mang|bermang|aytmang|yubormang|kiritmang|yozmang|without|beware|scam\w*|fraud\w*|moshenn\w*|firibgar\w*)\b/
export const inForm = /\b(v|in|on|using|through|cherez) (\w+ ){0,2}(forme|formu|form)\b|\b(shakl|forma)(ga|da|si\w*)\b/
export const documentWord =
  /^((zagran)?pasport\w*|passports?|viza|vizov\w*|polis\w*|imei|iccid|vin|udostoveren\w*|guvohnoma\w*|licen[cs]es?|litsenz\w*|snils|jshshir|pinfl|sertifikat\w*|certificates?|diplom\w*|schetchik\w*|hisoblagich\w*|meters?)$/
export const expiryWords =
  /^until:?$|\b(expir\w*|exp\.?( date)?|valid (thru|through|until|till|to)|good (thru|through|until|till)|srok\w*|deystvit\w* do|deystvuet do|goden do|godna do|muddat\w*|yaroqli\w*|amal qil\w*|(new|nov\w*|yangi) (date|data|sana\w*)|do kakogo (mesyatsa|goda)|qachongacha|month (and|&|or) year|mesyats i god|oy va yil|oyi va yili)\b/
export const pictureWords =
  /\b(photo\w*|picture\w*|scan\w*|snapshot|selfie|foto\w*|snim\w*|snyat\w*|izobrajen\w*|skan\w*|rasm\w*|surat\w*)\b/
export const sidesOfCard =
  /\b(front|back|both sides|two sides|litsev\w*|oborot\w*|(s|obe|dvux) (obe\w* |dvu\w* )?storon\w*|old|orqa|ikki(ta|la)? (tomon\w*|yuz\w*))\b/
export const expiredCard =
  /\b(card|kart\p{L}*)\b.{0,40}\b(expire[ds]?|expiring|run out|outdated|istek\p{L}*|istech\p{L}*|zakonchil\p{L}*|prosroch\p{L}*|tuga\p{L}*|otgan|eskir\p{L}*)\b|\b(expired|prosroch\p{L}*|eskirgan)\b.{0,20}\b(card|kart\p{L}*)\b/u
/** Inputs for the day, the month and the year alone. */
export const dayWord = /^(dd|day|дд|den|kun)$/
export const monthWord = /^(mm|oo|oy|month|mesyats)$/
export const yearWord = /^(yy|yyyy|gg|gggg|yil|year|god|yyyyy?)$/
/** A transfer from card to card, whose inputs only say “from” and “to”. */
export const cardTransfer = /\bcard to card\b|\bs kart\w* na kart\w*|\bkartadan kartaga\b|\bp2p\b/
/** What is written about a card and is not its number. */
export const cardProperty =
  /\b(type|kind|tip|vid|turi|issuer|emitent\w*|brand|design|dizayn\w*|status|xolat\w*|limit\w*|colou?r|tsvet|rang\w*|balance|balans\w*|currency|valyut\w*)\b/
export const holderWords =
  /\bcard ?holder|\bname on (the |your )?card|\bholder'?s? name|\bderjatel\w*|\bvladel\w* kart|\bimya (na|vladeltsa) kart|\bkarta(ning)? egasi|\bkartadagi (ism|nom|familiya)/
export const securityCodeWords =
  /\bsecurity code|\bverification (value|code)|\b(code|kod\w*|digits?|tsifr\w*|raqam\w*)\b.{0,30}\b(back|reverse|oborot\w*|obratn\w*|orqa\w*|signature|podpis\w*|imzo\w*)\b|\b(back|reverse|oborot\w*|obratn\w*|orqa\w*|signature|podpis\w*|imzo\w*)\b.{0,30}\b(code|kod\w*|digits?|tsifr\w*|raqam\w*)\b|\bkod bezopasnosti|\bxavfsizlik kodi|\bkod proverki|\b(3|three|tri|uch|uchta)[ -]?(digits?|raqam\w*|tsifr\w*|xona\w*|znak\w*|son\w*).{0,40}(back|orqa|oborot|obratn|revers)|\b(back|reverse|orqa|oborot\w*|obratn\w*)\b.{0,40}\b(3|three|tri|uch|uchta)[ -]?(digits?|numbers?|raqam\w*|tsifr\w*|xona\w*|son\w*|znak\w*)/
export const paymentContext =
  /\b(pay|payment|payments|checkout|donat\w*|purchase|buy|billing|charge|top.?up|refund|payout|oplat\w*|platezh\w*|platej\w*|plata|spisat\w*|popoln\w*|perevod\w*|perevesti|pojertvov\w*|kupit|tolov\w*|tola\w*|xayriya\w*|ehson\w*|pul|otkaz\w*|toldirish|sotib|summa|total|jami|itogo|uzs|usd|som|sum|rub|book|booking|reserv\w*|bron\w*|guarantee|kafolat|subscri\w*|podpisk\w*|obuna)\b|[$€₽]/
export const genericWord =
  /^(sixteen|shestnadtsat\w*|olti|xonali|znachn\w*|ta|enter|type|your|the|a|of|on|here|please|in|full|vvedite|ukajite|vash\w*|svo\w*|polnyy|kiriting|[ey]o?zing|eki|toliq|tering|sizning|bu|yerga|value|field|text|pole|maydon|or|and|yoki|va|ili|i|its|it|e[yo]+|ego|ee|uning|uni|ni|each|box|boxes|one|digit|required|obyazatelno|majburiy|x+|mm|yy|yyyy|oo|gg|oy|yil|god|mesyats|month|year)$/
export const otherThing =
  /^(orders?|buyurtma\w*|zakaz\w*|track\w*|trek\w*|parcel|phone\w*|mobile|tel|telefon\w*|account\w*|hisob\w*|xisob\w*|schet\w*|inn|stir|pinfl|jshshir|snils|tin|passport\w*|pasport\w*|key|kalit\w*|klyuch\w*|promo\w*|coupon\w*|kupon\w*|voucher\w*|vaucher\w*|polic\w*|polis\w*|contract\w*|dogovor\w*|shartnoma\w*|login|e|email|mail|pocht\w*|address|manzil\w*|adres\w*|iban|swift|mfo|bic|bik|licen[cs]e\w*|litsenz\w*|serial|seriyn\w*|seriya\w*|imei|vin|iccid|barcode|shtrix\w*|receipt|chek|kvitants\w*|invoice|ticket\w*|bilet\w*|chipta\w*|search\w*|qidir\w*|poisk\w*|iskat|find|amount|summa\w*|miqdor\w*|price|narx\w*|tsena|subscriber|abonent\w*|mid|tid|kcv|arn|rrn|merchants?|terminal\w*|torgov\w*|savdogar\w*|nickname|alias|certificate|sertifikat\w*|guvohnoma\w*|udostoveren\w*|code|kod\w*|password|parol\w*|title|name|nom|nomi|nazvanie|ism\w*|imya|fio)$/

// prettier-ignore
export const latinLetters: Readonly<Record<string, string>> = {
  а: 'a', б: 'b', в: 'v', г: 'g', ғ: 'g', д: 'd', е: 'e', ё: 'e', ж: 'j', з: 'z', и: 'i', й: 'y', к: 'k', қ: 'q', л: 'l', м: 'm', н: 'n', о: 'o',
  п: 'p', р: 'r', с: 's', т: 't', у: 'u', ў: 'o', ф: 'f', х: 'x', ҳ: 'h', ц: 'ts', ч: 'ch', ш: 'sh', щ: 'sh', ъ: '', ы: 'y', ь: '', э: 'e', ю: 'yu', я: 'ya',
  'ō': 'o', 'ğ': 'g', 'ş': 'sh', 'ı': 'i',
}
