import type { Language } from '@tessera/contract/profile'

/** One text in every language, in the order of `languageOrder`. Side by side, so that no translation is forgotten. */
type Translations = readonly [uz: string, ru: string, en: string]

const languageOrder: readonly Language[] = ['uz', 'ru', 'en']

/** In the document: what is shown before a card is sent. */
const documentTranslations = {
  number: ['Karta raqami', 'Номер карты', 'Card number'],
  expiry: ['Amal qilish muddati', 'Срок действия', 'Expiry date'],
  expiryShort: ['Muddati', 'Срок', 'Expiry'],
  expiryShape: ['OO/YY', 'ММ/ГГ', 'MM/YY'],
  testMode: ['Sinov muhiti: pul yechilmaydi', 'Тестовая среда: деньги не списываются', 'Test environment: nothing is charged'],
  submit: ['Davom etish', 'Продолжить', 'Continue'],
  busy: ['Iltimos, kuting…', 'Подождите…', 'One moment…'],
  cancel: ['Kutishni toʻxtatish', 'Отменить ожидание', 'Stop waiting'],
  poweredBy: ['Xizmat koʻrsatuvchi:', 'Работает на', 'Powered by'],
  terms: ['Shartlar', 'Условия', 'Terms'],
  privacy: ['Maxfiylik', 'Конфиденциальность', 'Privacy'],
  goesTo: [
    'Himoyalangan: karta maʼlumotlarini {1} emas, {0} oladi.',
    'Защищено: данные карты получает {0}, а не {1}.',
    'Secured: your card details go to {0}, not to {1}.',
  ],
  opens: ['yangi varaqda ochiladi', 'откроется в новой вкладке', 'opens in a new tab'],
  number_missing: ['Karta raqamini kiriting.', 'Введите номер карты.', 'Enter the card number.'],
  card_number_format: [
    'Karta raqami notoʻgʻri. Raqamlarni tekshiring.',
    'Неверный номер карты. Проверьте цифры.',
    'This card number is not valid. Check the digits.',
  ],
  expiry_missing: ['Amal qilish muddatini kiriting.', 'Введите срок действия.', 'Enter the expiry date.'],
  expire_format: [
    'Kartadagi oy va yilni kiriting, masalan 03/27.',
    'Введите месяц и год с карты, например 03/27.',
    'Enter the month and year of the card, for example 03/27.',
  ],
  expire_past: [
    'Karta muddati tugagan. Boshqa karta kiriting.',
    'Срок действия карты истёк. Используйте другую карту.',
    'This card has expired. Use another card.',
  ],
  service_error: [
    'Xizmat hozir ishlamayapti. Pul yechilmadi. Birozdan keyin qayta urining.',
    'Сервис временно недоступен. Деньги не списаны. Попробуйте чуть позже.',
    'The service is not available right now. Nothing was charged. Try again in a moment.',
  ],
  offline: [
    'Aloqa yoʻq. Internetni tekshirib, qayta urining.',
    'Нет связи. Проверьте интернет и попробуйте ещё раз.',
    'There is no connection. Check your internet and try again.',
  ],
  stopped: [
    'Kutishni toʻxtatdingiz. Pul yechilmadi. Qayta urining.',
    'Ожидание отменено. Деньги не списаны. Попробуйте ещё раз.',
    'You stopped waiting. Nothing was charged. Try again.',
  ],
} satisfies Record<string, Translations>

/** In the deferred script, in every language. */
const deferredTranslations = {
  code: ['SMSdagi kod', 'Код из SMS', 'Code from the SMS'],
  codeSent: ['Kod shu raqamga yuborildi:', 'Мы отправили код на номер', 'We sent a code to'],
  codeLetters: ['Harf va raqamlar. Katta-kichik harf farqsiz.', 'Буквы и цифры. Регистр не важен.', 'Letters and digits. Case is ignored.'],
  phoneAloud: ['{0}, {1} ta yashirilgan raqam, {2}', '{0}, скрыто цифр: {1}, {2}', '{0}, {1} hidden digits, {2}'],
  noSms: ['SMS kelmadimi?', 'SMS не пришло?', 'Didn’t get the SMS?'],
  noSmsPhone: [
    'Bankda boshqa telefon raqami koʻrsatilgan boʻlishi mumkin. Yuqoridagi raqam sizniki boʻlmasa, uni bank ilovasida yoki filialida yangilang.',
    'В банке может быть указан другой номер телефона. Если номер выше не ваш, смените его в приложении или отделении банка.',
    'Your bank may have a different phone number. If the number above is not yours, change it in your bank’s app or at a branch.',
  ],
  noSmsService: [
    'SMS-xabarnoma xizmati oʻchirilgan boʻlishi mumkin. Uni bank ilovasida yoki bankomatda yoqing.',
    'SMS-информирование может быть отключено. Подключите его в приложении банка или в банкомате.',
    'SMS notifications may be off for this card. Turn them on in your bank’s app or at an ATM.',
  ],
  noSmsCredit: [
    'Telefon hisobida pul tugagan yoki aloqa yoʻq boʻlishi mumkin. Hisobni toʻldiring yoki telefonni oʻchirib yoqing.',
    'На счёте телефона могли закончиться деньги, или нет связи. Пополните счёт или перезагрузите телефон.',
    'The phone may be out of credit or have no signal. Top it up or restart it.',
  ],
  noSmsThen: [
    'Soʻng yangi kod soʻrang yoki kartani almashtiring.',
    'Затем запросите новый код или смените карту.',
    'Then request a new code or change the card.',
  ],
  verify: ['Tasdiqlash', 'Подтвердить', 'Confirm'],
  resend: ['Yangi kod yuborish', 'Отправить новый код', 'Send a new code'],
  resendIn: ['Yangi kodgacha', 'Новый код через', 'New code in'],
  back: ['Kartani almashtirish', 'Сменить карту', 'Change card'],
  done: ['Kartangiz tasdiqlandi', 'Карта подтверждена', 'Your card is confirmed'],
  savedCards: ['Saqlangan kartalar', 'Сохранённые карты', 'Saved cards'],
  addCard: ['Yangi karta', 'Новая карта', 'Add a card'],
  endingIn: ['oxirgi raqamlari {0}', 'последние цифры {0}', 'ending in {0}'],
  expired: ['Muddati tugagan', 'Срок истёк', 'Expired'],
  remove: ['Oʻchirish', 'Удалить', 'Remove'],
  removeAsk: ['{0} oʻchirilsinmi?', 'Удалить {0}?', 'Remove {0}?'],
  keep: ['Qoldirish', 'Оставить', 'Keep'],
  removed: ['Karta roʻyxatdan olib tashlandi.', 'Карта убрана из списка.', 'The card is no longer in the list.'],
  picked: ['Karta tanlandi', 'Карта выбрана', 'Card selected'],
  slow: [
    'Bank odatdagidan sekin javob bermoqda. Pul yechilmadi.',
    'Банк отвечает дольше обычного. Деньги не списаны.',
    'The bank is taking longer than usual. Nothing was charged.',
  ],
  code_missing: [
    'SMSdagi {0} ta raqamni kiriting.',
    'Введите код из SMS полностью. Цифр в нём: {0}.',
    'Enter the {0} digits from the SMS.',
  ],
  code_missing_letters: [
    'SMSdagi {0} ta harf va raqamni kiriting.',
    'Введите код из SMS полностью. Букв и цифр в нём: {0}.',
    'Enter the {0} letters and digits from the SMS.',
  ],
  card_number_no_route: [
    'Bunday kartalar bu yerda qabul qilinmaydi. Boshqa karta kiriting.',
    'Карты этого типа здесь не принимаются. Используйте другую карту.',
    'Cards of this kind are not accepted here. Use another card.',
  ],
  sms_not_connected: [
    'Kartaga SMS-xabarnoma ulanmagan. Uni bankda ulang yoki boshqa karta kiriting.',
    'К карте не подключено SMS-информирование. Подключите его в банке или используйте другую карту.',
    'SMS notifications are not enabled for this card. Enable them at your bank, or use another card.',
  ],
  card_expired: [
    'Bank karta muddati tugaganini bildirdi. Boshqa karta kiriting.',
    'Банк сообщает, что срок действия карты истёк. Используйте другую карту.',
    'Your bank reports that this card has expired. Use another card.',
  ],
  card_blocked: [
    'Bank bu kartani bloklagan. Bankka murojaat qiling yoki boshqa karta kiriting.',
    'Банк заблокировал карту. Обратитесь в банк или используйте другую карту.',
    'Your bank has blocked this card. Contact your bank, or use another card.',
  ],
  wrong_code: [
    'Kod notoʻgʻri. SMSni tekshirib, qayta kiriting.',
    'Неверный код. Проверьте SMS и попробуйте ещё раз.',
    'This code is incorrect. Check the SMS and try again.',
  ],
  tries_used_up: [
    'Kod notoʻgʻri, urinishlar tugadi. Yangi kod soʻrang.',
    'Неверный код, и попытки закончились. Запросите новый код.',
    'This code is incorrect, and no attempts are left. Request a new code.',
  ],
  code_expired: [
    'Kod muddati tugagan. Yangi kod soʻrang.',
    'Срок действия кода истёк. Запросите новый код.',
    'This code has expired. Request a new code.',
  ],
  verification_stopped: [
    'Notoʻgʻri kodlar juda koʻp. {0} daqiqadan keyin qayta urining yoki boshqa karta kiriting.',
    'Слишком много неверных кодов. Попробуйте через {0} мин или используйте другую карту.',
    'Too many incorrect codes. Try again in {0} min, or use another card.',
  ],
  holder_mismatch: [
    'Kartaga bogʻlangan telefon raqami sizniki ekani tasdiqlanmadi. Bankda oʻz raqamingizni bogʻlang yoki boshqa karta kiriting.',
    'Не удалось подтвердить, что телефон карты ваш. Привяжите свой номер в банке или используйте другую карту.',
    'The phone of this card is not confirmed as yours. Register your own number at your bank, or use another card.',
  ],
  sms_not_sent: [
    'SMS yuborilmadi. Birozdan keyin qayta urining.',
    'Не удалось отправить SMS. Попробуйте чуть позже.',
    'The SMS was not sent. Try again in a moment.',
  ],
  resend_too_soon: [
    'Yangi kod soʻrashga hali erta. Birozdan keyin qayta urining.',
    'Запрашивать новый код ещё рано. Попробуйте чуть позже.',
    'It is too early to request a new code. Try again in a moment.',
  ],
  too_many: [
    'Urinishlar juda koʻp. Keyinroq qayta urining yoki boshqa karta kiriting.',
    'Слишком много попыток. Попробуйте позже или используйте другую карту.',
    'Too many attempts. Try again later or use another card.',
  ],
  system_error: [
    'Bankda xatolik yuz berdi. Pul yechilmadi. Qayta urining yoki boshqa karta kiriting.',
    'В банке произошла ошибка. Деньги не списаны. Попробуйте ещё раз или используйте другую карту.',
    'Something failed at the bank. Nothing was charged. Try again, or use another card.',
  ],
  network_timeout: [
    'Bank javob bermadi. Pul yechilmadi. Qayta urining.',
    'Банк не ответил. Деньги не списаны. Попробуйте ещё раз.',
    'The bank did not respond. Nothing was charged. Try again.',
  ],
  shop: [
    'Doʻkon hozir karta qabul qila olmaydi. Doʻkonga xabar bering yoki boshqa usulda toʻlang.',
    'Магазин сейчас не может принимать карты. Сообщите ему об этом или оплатите другим способом.',
    'The shop cannot take cards right now. Tell the shop, or pay another way.',
  ],
  session_ended: [
    'Sahifa eskirgan. Uni yangilab, qayta urining.',
    'Страница устарела. Обновите её и попробуйте ещё раз.',
    'This page has expired. Reload it and try again.',
  ],
  session_used_up: [
    'Urinishlar tugadi. Doʻkonga qaytib, qaytadan boshlang.',
    'Попытки закончились. Вернитесь в магазин и начните заново.',
    'No attempts are left. Go back to the shop and start again.',
  ],
  session_done: [
    'Bu toʻlov sahifasi allaqachon yakunlangan. Doʻkonga qaytib, buyurtmani tekshiring.',
    'Эта страница оплаты уже использована. Вернитесь в магазин и проверьте заказ.',
    'This payment page was already completed. Go back to the shop and check your order.',
  ],
  session_unknown: [
    'Bu sahifa endi yaroqsiz. Doʻkonga qaytib, qaytadan boshlang.',
    'Эта страница больше не действует. Вернитесь в магазин и начните заново.',
    'This page is no longer valid. Go back to the shop and start again.',
  ],
  card_not_found: [
    'Karta oʻchirilgan. Uni qayta kiriting.',
    'Карта удалена. Введите её снова.',
    'This card has been removed. Enter it again.',
  ],
} satisfies Record<string, Translations>

export type DocumentTexts = Readonly<Record<keyof typeof documentTranslations, string>>
export type DeferredTexts = Readonly<Record<keyof typeof deferredTranslations, string>>

/** Every text of the form, in one language. Until the deferred script is there, its texts are missing. */
export type FormTexts = DocumentTexts & { readonly [Name in keyof DeferredTexts]?: string }

export function documentTextsIn(language: Language): DocumentTexts {
  return pickLanguage(documentTranslations, language)
}

export function deferredTextsIn(language: Language): DeferredTexts {
  return pickLanguage(deferredTranslations, language)
}

function pickLanguage<Name extends string>(table: Readonly<Record<Name, Translations>>, language: Language): Record<Name, string> {
  const index = languageOrder.indexOf(language)
  const texts = Object.entries<Translations>(table).map(([name, translations]) => [name, translations[index]])
  return Object.fromEntries(texts) as Record<Name, string>
}
