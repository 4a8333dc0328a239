import type { Language, Profile } from './profile.ts'

/** Who can mend it: the merchant's developer, the cardholder, the provider who runs the service, or time alone. */
export type Mender = 'developer' | 'cardholder' | 'operator' | 'wait'

/** Where on a request's road it is decided. The table below stands in this order, and so do the answers. */
export type Stage =
  'transport' | 'parse' | 'request' | 'method' | 'caller' | 'limits' | 'params' | 'idempotency' | 'fineLimits' | 'state' | 'network' | 'any'

export interface ErrorEntry {
  readonly code: number
  /** The code in the spec profile where it is another one. */
  readonly specCode?: number
  /** A stable snake_case word, one per cause. */
  readonly reason: string
  readonly stage: Stage
  readonly mend: Mender
  readonly text: Readonly<Record<Language, string>>
  /** What to do about it, for the errors page. */
  readonly hint: string
}

const parseText = { en: 'Parse error.', ru: 'Ошибка разбора JSON.', uz: 'JSON ni oʻqib boʻlmadi.' }
const requestText = { en: 'Invalid request.', ru: 'Неверный запрос.', uz: 'Notoʻgʻri soʻrov.' }
const accessText = { en: 'Access denied.', ru: 'Доступ запрещён.', uz: 'Ruxsat yoʻq.' }
const paramsText = { en: 'Invalid params.', ru: 'Неверные параметры.', uz: 'Parametrlar notoʻgʻri.' }
const numberText = { en: 'Invalid card number.', ru: 'Неверный номер карты.', uz: 'Karta raqami notoʻgʻri.' }
const expiryText = { en: 'Invalid card expiry.', ru: 'Неверный срок действия карты.', uz: 'Karta amal qilish muddati notoʻgʻri.' }
const tooManyText = { en: 'Too many attempts.', ru: 'Слишком много попыток.', uz: 'Urinishlar soni koʻp.' }
const faultText = { en: 'System error.', ru: 'Системная ошибка.', uz: 'Tizim xatosi.' }
const laterText = {
  en: 'The service cannot answer now. Try again later.',
  ru: 'Сервис сейчас не может ответить. Повторите позже.',
  uz: 'Xizmat hozir javob bera olmaydi. Keyinroq urinib koʻring.',
}
const cardNotFoundText = { en: 'Card not found.', ru: 'Карта не найдена.', uz: 'Karta topilmadi.' }
const tooSoonText = {
  en: 'It is too soon for another code.',
  ru: 'Новый код ещё нельзя запросить.',
  uz: 'Yangi kodni soʻrashga hali erta.',
}
const codeTooOldText = { en: 'The code is too old.', ru: 'Код устарел.', uz: 'Kod muddati tugagan.' }
const triesText = { en: 'The tries are used up.', ru: 'Попытки исчерпаны.', uz: 'Urinishlar tugadi.' }

const receiptText = { en: 'Receipt not found.', ru: 'Чек не найден.', uz: 'Chek topilmadi.' }
const receiptStateText = {
  en: 'The receipt is in another state.',
  ru: 'Чек в другом состоянии.',
  uz: 'Chek boshqa holatda.',
}
const accountText = { en: 'Wrong account field.', ru: 'Неверное поле счёта.', uz: 'Hisob maydoni notoʻgʻri.' }
const amountText = { en: 'Wrong amount.', ru: 'Неверная сумма.', uz: 'Summa notoʻgʻri.' }
const payText = { en: 'The payment was refused.', ru: 'Платёж отклонён.', uz: 'Toʻlov rad etildi.' }

/** Everything that the wire can say in `error`, in the order of precedence (wire §3, §6). */
export const errors = {
  notPost: {
    code: -32300,
    reason: 'not_post',
    stage: 'transport',
    mend: 'developer',
    text: { en: 'Only POST is answered here.', ru: 'Принимается только POST.', uz: 'Faqat POST qabul qilinadi.' },
    hint: 'Send the request as HTTP POST.',
  },
  emptyBody: {
    code: -32700,
    reason: 'empty_body',
    stage: 'parse',
    mend: 'developer',
    text: parseText,
    hint: 'Send the JSON-RPC request in the body of the POST.',
  },
  byteOrderMark: {
    code: -32700,
    reason: 'byte_order_mark',
    stage: 'parse',
    mend: 'developer',
    text: parseText,
    hint: 'Write the body as UTF-8 without a byte order mark (RFC 8259 §8.1).',
  },
  invalidUtf8: {
    code: -32700,
    reason: 'invalid_utf8',
    stage: 'parse',
    mend: 'developer',
    text: parseText,
    hint: 'Encode the body as UTF-8.',
  },
  loneSurrogate: {
    code: -32700,
    reason: 'lone_surrogate',
    stage: 'parse',
    mend: 'developer',
    text: parseText,
    hint: 'A \\u escape of a surrogate needs its other half: escape whole characters.',
  },
  invalidJson: {
    code: -32700,
    reason: 'invalid_json',
    stage: 'parse',
    mend: 'developer',
    text: parseText,
    hint: 'Send exactly one JSON text (RFC 8259), nothing before or after it.',
  },
  queryNotAllowed: {
    code: -32600,
    reason: 'query_not_allowed',
    stage: 'request',
    mend: 'developer',
    text: requestText,
    hint: 'Take the query string off the URL: URLs are written to logs along the way, and everything belongs in the body.',
  },
  notAnObject: {
    code: -32600,
    reason: 'not_an_object',
    stage: 'request',
    mend: 'developer',
    text: requestText,
    hint: 'A request is a JSON object with id, method and params (or an array of them at /api).',
  },
  duplicateKey: {
    code: -32600,
    reason: 'duplicate_key',
    stage: 'request',
    mend: 'developer',
    text: requestText,
    hint: 'Name each member once; `data` tells the second one.',
  },
  forbiddenMember: {
    code: -32600,
    reason: 'forbidden_member',
    stage: 'request',
    mend: 'developer',
    text: requestText,
    hint: 'Members named __proto__ or constructor are never taken.',
  },
  tooDeep: {
    code: -32600,
    reason: 'too_deep',
    stage: 'request',
    mend: 'developer',
    text: requestText,
    hint: 'Nest at most 16 levels.',
  },
  tooManyMembers: {
    code: -32600,
    reason: 'too_many_members',
    stage: 'request',
    mend: 'developer',
    text: requestText,
    hint: 'Send at most 256 members and elements in one request.',
  },
  batchNotHere: {
    code: -32600,
    reason: 'batch_not_here',
    stage: 'request',
    mend: 'developer',
    text: requestText,
    hint: 'Send batches to /api; /api/<method> takes one request.',
  },
  batchEmpty: {
    code: -32600,
    reason: 'batch_empty',
    stage: 'request',
    mend: 'developer',
    text: requestText,
    hint: 'A batch holds 1 to 20 requests.',
  },
  batchTooLong: {
    code: -32600,
    reason: 'batch_too_long',
    stage: 'request',
    mend: 'developer',
    text: requestText,
    hint: 'A batch holds 1 to 20 requests: send the rest in another one.',
  },
  idempotencyInBatch: {
    code: -32600,
    reason: 'idempotency_in_batch',
    stage: 'request',
    mend: 'developer',
    text: requestText,
    hint: 'An Idempotency-Key names one request: send it alone.',
  },
  idempotencyKeyInvalid: {
    code: -32600,
    reason: 'idempotency_key_invalid',
    stage: 'request',
    mend: 'developer',
    text: requestText,
    hint: 'Idempotency-Key is 1 to 255 visible ASCII characters, sent once.',
  },
  invalidRequestId: {
    code: -32600,
    reason: 'invalid_request_id',
    stage: 'request',
    mend: 'developer',
    text: requestText,
    hint: 'id is a string of at most 128 characters, an integer up to 2^53-1, or null.',
  },
  invalidVersion: {
    code: -32600,
    reason: 'invalid_version',
    stage: 'request',
    mend: 'developer',
    text: requestText,
    hint: 'Leave jsonrpc out or send "2.0".',
  },
  methodMissing: {
    code: -32600,
    reason: 'method_missing',
    stage: 'request',
    mend: 'developer',
    text: requestText,
    hint: 'Name the method in the body, as a string.',
  },
  pathMismatch: {
    code: -32600,
    reason: 'path_mismatch',
    stage: 'request',
    mend: 'developer',
    text: requestText,
    hint: 'At /api/<method> the body names the same method, letter for letter.',
  },
  methodNotFound: {
    code: -32601,
    reason: 'method_not_found',
    stage: 'method',
    mend: 'developer',
    text: { en: 'Method not found.', ru: 'Метод не найден.', uz: 'Metod topilmadi.' },
    hint: '`data` repeats the method; rpc.discover lists those that exist.',
  },
  credentialInBrowser: {
    code: -32504,
    reason: 'credential_in_browser',
    stage: 'caller',
    mend: 'developer',
    text: accessText,
    hint: 'The password came from a browser. Take it out of the page, change it, and send the merchant id alone.',
  },
  passwordLimit: {
    code: -31700,
    reason: 'password_limit',
    stage: 'caller',
    mend: 'wait',
    text: tooManyText,
    hint: 'Too many wrong passwords of this merchant came from this address: wait `retry_after` milliseconds. Other addresses are not held up.',
  },
  notFromDashboard: {
    code: -32504,
    reason: 'not_from_dashboard',
    stage: 'caller',
    mend: 'developer',
    text: accessText,
    hint: 'Only pages of the dashboard call here: same origin, application/json, the session cookie and its X-Tessera-CSRF header, no X-Auth. From a server, use /api.',
  },
  signedOut: {
    code: -32504,
    reason: 'signed_out',
    stage: 'caller',
    mend: 'wait',
    text: {
      en: 'Your session has ended. Sign in again.',
      ru: 'Сеанс завершён. Войдите снова.',
      uz: 'Seans tugadi. Qaytadan kiring.',
    },
    hint: 'A session of the dashboard ends after 15 minutes without a call, after 12 hours, and when somebody signs it out.',
  },
  passwordMustChange: {
    code: -32504,
    reason: 'password_must_change',
    stage: 'caller',
    mend: 'wait',
    text: { en: 'Set a password of your own first.', ru: 'Сначала задайте свой пароль.', uz: 'Avval oʻz parolingizni oʻrnating.' },
    hint: 'The password was issued for one sign-in: change it with dashboard.password.change.',
  },
  roleTooLow: {
    code: -32504,
    reason: 'role_too_low',
    stage: 'caller',
    mend: 'operator',
    text: {
      en: 'Your role does not allow this.',
      ru: 'Ваша роль этого не позволяет.',
      uz: 'Rolingiz bunga ruxsat bermaydi.',
    },
    hint: 'An owner of this merchant can give you another role, on the page Users.',
  },
  accessDenied: {
    code: -32504,
    reason: 'access_denied',
    stage: 'caller',
    mend: 'developer',
    text: accessText,
    hint: 'Send one X-Auth header: <merchant id> from a browser, <merchant id>:<password> from your server.',
  },
  merchantUnknown: {
    code: -32504,
    reason: 'merchant_unknown',
    stage: 'caller',
    mend: 'developer',
    text: accessText,
    hint: 'The merchant id in X-Auth is not known in this environment: compare it with the one you were issued.',
  },
  serverOnly: {
    code: -32504,
    reason: 'server_only',
    stage: 'caller',
    mend: 'developer',
    text: accessText,
    hint: 'This method is for your server: send X-Auth: <merchant id>:<password>, and never from a page.',
  },
  originNotAllowed: {
    code: -32504,
    reason: 'origin_not_allowed',
    stage: 'caller',
    mend: 'developer',
    text: accessText,
    hint: 'Register the origin of the page with the merchant.',
  },
  merchantBlocked: {
    code: -31601,
    reason: 'merchant_blocked',
    stage: 'caller',
    mend: 'operator',
    text: { en: 'The merchant is blocked.', ru: 'Мерчант заблокирован.', uz: 'Merchant bloklangan.' },
    hint: 'Ask the provider who runs the service why.',
  },
  addressLimit: {
    code: -31700,
    reason: 'address_limit',
    stage: 'limits',
    mend: 'wait',
    text: tooManyText,
    hint: 'Too many calls from this address: wait `retry_after` milliseconds.',
  },
  blockLimit: {
    code: -31700,
    reason: 'block_limit',
    stage: 'limits',
    mend: 'wait',
    text: tooManyText,
    hint: 'Too many calls from the neighbourhood of this address (/24, or /56 of IPv6): wait `retry_after` milliseconds.',
  },
  merchantLimit: {
    code: -31700,
    reason: 'merchant_limit',
    stage: 'limits',
    mend: 'wait',
    text: tooManyText,
    hint: 'Too many calls of this merchant: wait `retry_after` milliseconds.',
  },
  sensitiveAuthenticationData: {
    code: -32602,
    reason: 'sensitive_authentication_data',
    stage: 'params',
    mend: 'developer',
    text: paramsText,
    hint: 'Take the member that `data` names out of your form and your code: CVV, PIN and track are never sent (PCI DSS 3.3.1).',
  },
  panOutOfPlace: {
    code: -32602,
    reason: 'pan_out_of_place',
    stage: 'params',
    mend: 'developer',
    text: paramsText,
    hint: 'A card number stood outside card.number. Find where your code puts it and take it out.',
  },
  paramsNotObject: {
    code: -32602,
    reason: 'params_not_object',
    stage: 'params',
    mend: 'developer',
    text: paramsText,
    hint: 'params is an object with named members.',
  },
  memberMissing: {
    code: -32602,
    reason: 'member_missing',
    stage: 'params',
    mend: 'developer',
    text: paramsText,
    hint: 'Send the member that `data` names.',
  },
  memberInvalid: {
    code: -32602,
    reason: 'member_invalid',
    stage: 'params',
    mend: 'developer',
    text: paramsText,
    hint: 'The member that `data` names is of a wrong type or form: compare it with the page of the method.',
  },
  cardNumberFormat: {
    code: -32602,
    specCode: -31050,
    reason: 'card_number_format',
    stage: 'params',
    mend: 'cardholder',
    text: numberText,
    hint: 'A card number is 12 to 19 digits without blanks between them.',
  },
  cardNumberCheckDigit: {
    code: -31300,
    specCode: -31050,
    reason: 'card_number_check_digit',
    stage: 'params',
    mend: 'cardholder',
    text: numberText,
    hint: 'The check digit is wrong: a digit was mistyped.',
  },
  cardNumberNoRoute: {
    code: -31300,
    specCode: -31050,
    reason: 'card_number_no_route',
    stage: 'params',
    mend: 'cardholder',
    text: numberText,
    hint: 'No card network of this service issues numbers with this prefix: take another card.',
  },
  expireFormat: {
    code: -32602,
    reason: 'expire_format',
    stage: 'params',
    mend: 'developer',
    text: expiryText,
    hint: 'card.expire is four digits, month then year: MMYY.',
  },
  expireMonth: {
    code: -31300,
    reason: 'expire_month',
    stage: 'params',
    mend: 'cardholder',
    text: expiryText,
    hint: 'The month is 01 to 12.',
  },
  expirePast: {
    code: -31300,
    reason: 'expire_past',
    stage: 'params',
    mend: 'cardholder',
    text: expiryText,
    hint: 'The card is past its expiry: take another card.',
  },
  tokenShape: {
    code: -32500,
    reason: 'token_shape',
    stage: 'params',
    mend: 'developer',
    text: { en: 'This is not a card token.', ru: 'Это не токен карты.', uz: 'Bu karta tokeni emas.' },
    hint: 'Send the token exactly as cards.create gave it.',
  },
  amountInvalid: {
    code: -32602,
    reason: 'amount_invalid',
    stage: 'params',
    mend: 'developer',
    text: paramsText,
    hint: 'An amount is a positive whole number of tiyin.',
  },
  phoneInvalid: {
    code: -32602,
    reason: 'phone_invalid',
    stage: 'params',
    mend: 'developer',
    text: paramsText,
    hint: 'A phone is 9 to 15 digits, country code first.',
  },
  idempotencyMismatch: {
    code: -32600,
    reason: 'idempotency_mismatch',
    stage: 'idempotency',
    mend: 'developer',
    text: requestText,
    hint: 'This Idempotency-Key named another request within 24 hours: take a new key for a new request.',
  },
  panLimit: {
    code: -31700,
    reason: 'pan_limit',
    stage: 'fineLimits',
    mend: 'wait',
    text: tooManyText,
    hint: 'This card number was made into tokens too often: wait `retry_after` milliseconds, and keep the token that you have.',
  },
  distinctPanLimit: {
    code: -31700,
    reason: 'distinct_pan_limit',
    stage: 'fineLimits',
    mend: 'wait',
    text: tooManyText,
    hint: 'Too many different card numbers came from this address: wait `retry_after` milliseconds. A number that was taken before is still taken.',
  },
  tokenLimit: {
    code: -31700,
    reason: 'token_limit',
    stage: 'fineLimits',
    mend: 'wait',
    text: tooManyText,
    hint: 'Too many calls with this token: wait `retry_after` milliseconds.',
  },
  phoneLimit: {
    code: -31700,
    reason: 'phone_limit',
    stage: 'fineLimits',
    mend: 'wait',
    text: tooManyText,
    hint: 'Too many messages were sent to this phone: wait `retry_after` milliseconds.',
  },
  originNotRegistered: {
    code: -32504,
    reason: 'origin_not_registered',
    stage: 'state',
    mend: 'developer',
    text: accessText,
    hint: 'The merchant has not registered this origin: add it with tessera merchants set <merchant> --origins, or ask the provider to.',
  },
  consentUnknown: {
    code: -32602,
    reason: 'consent_unknown',
    stage: 'state',
    mend: 'developer',
    text: paramsText,
    hint: 'This service has issued no text with this version, language and hash, so nobody can have read it here: send the consent as the hosted form makes it, or none, and the card is kept as agreed to by your own word.',
  },
  sessionRequired: {
    code: -32504,
    reason: 'session_required',
    stage: 'state',
    mend: 'developer',
    text: accessText,
    hint: 'This merchant takes cards with a form session only: ask for one with form.sessions.create from your server, and give it to the form.',
  },
  sessionOrigin: {
    code: -32504,
    reason: 'session_origin',
    stage: 'state',
    mend: 'developer',
    text: accessText,
    hint: 'The form session was made for a page of another origin than the one that sends the card, or its origin is registered no more: give form.sessions.create the location.origin of the page that holds the form.',
  },
  sessionUnknown: {
    code: -32504,
    reason: 'session_unknown',
    stage: 'state',
    mend: 'developer',
    text: accessText,
    hint: 'No form session of this merchant has this text. Test and production have sessions of their own.',
  },
  sessionEnded: {
    code: -32504,
    reason: 'session_ended',
    stage: 'state',
    mend: 'developer',
    text: accessText,
    hint: 'The form session is over after 15 minutes: ask for another one with form.sessions.create.',
  },
  sessionUsedUp: {
    code: -31700,
    reason: 'session_used_up',
    stage: 'state',
    mend: 'developer',
    text: tooManyText,
    hint: 'As many cards were sent with this form session as it takes: ask for another one with form.sessions.create.',
  },
  signInRefused: {
    code: -32504,
    reason: 'sign_in_refused',
    stage: 'state',
    mend: 'wait',
    text: {
      en: 'The phone, the password or the code is wrong.',
      ru: 'Неверный телефон, пароль или код.',
      uz: 'Telefon, parol yoki kod notoʻgʻri.',
    },
    hint: 'After 10 wrong tries a login is closed for 30 minutes, and answers the same. A new password: tessera dashboard users reset-password.',
  },
  passwordWrong: {
    code: -32602,
    reason: 'password_wrong',
    stage: 'state',
    mend: 'wait',
    text: { en: 'The password is wrong.', ru: 'Неверный пароль.', uz: 'Parol notoʻgʻri.' },
    hint: 'Your present password confirms a change; a wrong one counts as a try to sign in.',
  },
  passwordWeak: {
    code: -32602,
    reason: 'password_weak',
    stage: 'state',
    mend: 'wait',
    text: {
      en: 'A password has 12 to 128 characters and is not the one before.',
      ru: 'Пароль — от 12 до 128 символов и не прежний.',
      uz: 'Parol 12 dan 128 tagacha belgi va avvalgisidan boshqa boʻladi.',
    },
    hint: 'Choose another: 12 to 128 characters, other than the one before and than the phone.',
  },
  settingRefused: {
    code: -32602,
    reason: 'setting_refused',
    stage: 'state',
    mend: 'developer',
    text: { en: 'This cannot be set so.', ru: 'Так настроить нельзя.', uz: 'Bunday sozlab boʻlmaydi.' },
    hint: '`data` is a sentence that says what is wrong with the value, and what to write instead.',
  },
  twoPasswordsLive: {
    code: -32602,
    reason: 'two_passwords_live',
    stage: 'state',
    mend: 'developer',
    text: {
      en: 'Two passwords are live already: retire the old one first.',
      ru: 'Действуют уже два пароля: сначала отключите старый.',
      uz: 'Ikkita parol amal qilyapti: avval eskisini bekor qiling.',
    },
    hint: 'A rotation is: make a second password, give it to every server of yours, retire the first.',
  },
  lastPassword: {
    code: -32602,
    reason: 'last_password',
    stage: 'state',
    mend: 'developer',
    text: {
      en: 'This is the only live password: make a new one first.',
      ru: 'Это единственный действующий пароль: сначала создайте новый.',
      uz: 'Bu yagona amaldagi parol: avval yangisini yarating.',
    },
    hint: 'Without a password no server of the merchant could call. An operator may block the merchant instead.',
  },
  totpWrong: {
    code: -32602,
    reason: 'totp_wrong',
    stage: 'state',
    mend: 'wait',
    text: { en: 'The code is wrong.', ru: 'Неверный код.', uz: 'Kod notoʻgʻri.' },
    hint: 'Six digits as the authenticator shows them now; each is good once. Begin anew if the secret was lost.',
  },
  phoneTaken: {
    code: -32602,
    reason: 'phone_taken',
    stage: 'state',
    mend: 'wait',
    text: {
      en: 'This phone has a login already.',
      ru: 'У этого телефона уже есть вход.',
      uz: 'Bu telefon bilan kirish allaqachon bor.',
    },
    hint: 'One phone is one login of one merchant.',
  },
  userNotFound: {
    code: -32602,
    reason: 'user_not_found',
    stage: 'state',
    mend: 'wait',
    text: { en: 'There is no such user.', ru: 'Такого пользователя нет.', uz: 'Bunday foydalanuvchi yoʻq.' },
    hint: 'No user of this merchant has this id: look at dashboard.users.list.',
  },
  lastOwner: {
    code: -32602,
    reason: 'last_owner',
    stage: 'state',
    mend: 'wait',
    text: {
      en: 'A merchant keeps at least one owner, and nobody blocks himself.',
      ru: 'У мерчанта остаётся хотя бы один владелец; себя не блокируют.',
      uz: 'Merchantda kamida bitta ega qoladi; hech kim oʻzini bloklamaydi.',
    },
    hint: 'Make another user an owner first.',
  },
  cardNotFound: {
    code: -31400,
    reason: 'card_not_found',
    stage: 'state',
    mend: 'developer',
    text: cardNotFoundText,
    hint: 'No card of this merchant has this token in this environment.',
  },
  cardDeleted: {
    code: -31400,
    reason: 'card_deleted',
    stage: 'state',
    mend: 'developer',
    text: cardNotFoundText,
    hint: 'The card was removed: ask the cardholder for it again.',
  },
  cardEnded: {
    code: -31400,
    reason: 'card_ended',
    stage: 'state',
    mend: 'developer',
    text: cardNotFoundText,
    hint: 'The token is past its life (30 minutes unverified, 24 hours for save:false, or past the expiry): ask for the card again.',
  },
  receiptNotFound: {
    code: -31602,
    reason: 'receipt_not_found',
    stage: 'state',
    mend: 'developer',
    text: receiptText,
    hint: 'No receipt of this merchant has this id in this environment.',
  },
  receiptPaid: {
    code: -31602,
    reason: 'receipt_paid',
    stage: 'state',
    mend: 'developer',
    text: receiptStateText,
    hint: 'The receipt is paid or held already: ask receipts.get.',
  },
  receiptInProgress: {
    code: -31602,
    reason: 'receipt_in_progress',
    stage: 'state',
    mend: 'wait',
    text: receiptStateText,
    hint: 'A payment of this receipt is under way or being settled: ask receipts.check a little later.',
  },
  receiptCancelled: {
    code: -31602,
    reason: 'receipt_cancelled',
    stage: 'state',
    mend: 'developer',
    text: receiptStateText,
    hint: 'The receipt was cancelled: create another one.',
  },
  receiptNotHeld: {
    code: -31602,
    reason: 'receipt_not_held',
    stage: 'state',
    mend: 'developer',
    text: receiptStateText,
    hint: 'Only a held receipt (state 5) can be confirmed.',
  },
  receiptNotPaid: {
    code: -31602,
    reason: 'receipt_not_paid',
    stage: 'state',
    mend: 'developer',
    text: receiptStateText,
    hint: 'Fiscal data belong to a paid receipt (state 4).',
  },
  accountFieldMissing: {
    code: -31610,
    reason: 'account_field_missing',
    stage: 'state',
    mend: 'developer',
    text: accountText,
    hint: 'Send the account field that `data` names.',
  },
  accountFieldUnknown: {
    code: -31610,
    reason: 'account_field_unknown',
    stage: 'state',
    mend: 'developer',
    text: accountText,
    hint: 'The merchant has no account field of the name in `data`.',
  },
  amountBelowLimit: {
    code: -31611,
    reason: 'amount_below_limit',
    stage: 'state',
    mend: 'cardholder',
    text: amountText,
    hint: 'The amount is below what the merchant takes.',
  },
  amountAboveLimit: {
    code: -31612,
    reason: 'amount_above_limit',
    stage: 'state',
    mend: 'cardholder',
    text: amountText,
    hint: 'The amount is above what the merchant takes.',
  },
  amountAboveHold: {
    code: -31612,
    reason: 'amount_above_hold',
    stage: 'state',
    mend: 'developer',
    text: amountText,
    hint: 'Not more can be taken than is held.',
  },
  cardNotVerified: {
    code: -31630,
    reason: 'card_not_verified',
    stage: 'state',
    mend: 'developer',
    text: payText,
    hint: 'Verify the card first: cards.get_verify_code, cards.verify.',
  },
  cardInUse: {
    code: -31630,
    reason: 'card_in_use',
    stage: 'state',
    mend: 'wait',
    text: payText,
    hint: 'A one-time token is locked while a payment with it is open.',
  },
  merchantRefused: {
    code: -31623,
    reason: 'merchant_refused',
    stage: 'state',
    mend: 'developer',
    text: { en: 'The merchant refused the payment.', ru: 'Мерчант отклонил платёж.', uz: 'Merchant toʻlovni rad etdi.' },
    hint: "`data` is the error that the merchant's own endpoint answered.",
  },
  cannotCancel: {
    code: -31800,
    reason: 'cannot_cancel',
    stage: 'state',
    mend: 'developer',
    text: { en: 'The receipt cannot be cancelled.', ru: 'Чек нельзя отменить.', uz: 'Chekni bekor qilib boʻlmaydi.' },
    hint: 'Ask receipts.check: it is cancelled already, or its money is on the way back.',
  },
  codeNotRequested: {
    code: -31101,
    reason: 'code_not_requested',
    stage: 'state',
    mend: 'developer',
    text: codeTooOldText,
    hint: 'Call cards.get_verify_code first.',
  },
  codeTooOld: {
    code: -31101,
    reason: 'code_too_old',
    stage: 'state',
    mend: 'cardholder',
    text: codeTooOldText,
    hint: 'Ask for another code with cards.get_verify_code.',
  },
  triesUsedUp: {
    code: -31102,
    reason: 'tries_used_up',
    stage: 'state',
    mend: 'cardholder',
    text: triesText,
    hint: 'Ask for another code with cards.get_verify_code.',
  },
  cardDayTriesUsedUp: {
    code: -31102,
    reason: 'card_day_tries_used_up',
    stage: 'state',
    mend: 'wait',
    text: triesText,
    hint: 'Too many codes were tried for this card today: wait `retry_after` milliseconds.',
  },
  wrongCodeLimit: {
    code: -31700,
    reason: 'wrong_code_limit',
    stage: 'state',
    mend: 'wait',
    text: tooManyText,
    hint: 'So many wrong codes were tried at this service that somebody is guessing; no code is looked at for `retry_after` milliseconds.',
  },
  wrongCode: {
    code: -31103,
    reason: 'wrong_code',
    stage: 'state',
    mend: 'cardholder',
    text: { en: 'The code is wrong.', ru: 'Неверный код.', uz: 'Kod notoʻgʻri.' },
    hint: 'Ask the cardholder to type the code again.',
  },
  resendTooSoon: {
    code: -31110,
    reason: 'resend_too_soon',
    stage: 'state',
    mend: 'wait',
    text: tooSoonText,
    hint: 'Wait `retry_after` milliseconds (also `wait` of the last answer) before asking again.',
  },
  sendLimitCard: {
    code: -31110,
    reason: 'send_limit_card',
    stage: 'state',
    mend: 'wait',
    text: tooSoonText,
    hint: 'Too many codes were asked for this card: wait `retry_after` milliseconds.',
  },
  sendLimitPhone: {
    code: -31110,
    reason: 'send_limit_phone',
    stage: 'state',
    mend: 'wait',
    text: tooSoonText,
    hint: 'Too many codes were sent to this phone: wait `retry_after` milliseconds.',
  },
  smsNotSent: {
    code: -31110,
    reason: 'sms_not_sent',
    stage: 'network',
    mend: 'wait',
    text: { en: 'The code was not sent.', ru: 'Код не отправлен.', uz: 'Kod yuborilmadi.' },
    hint: 'The SMS gateway refused or did not answer: ask again after `retry_after` milliseconds.',
  },
  smsNotConnected: {
    code: -31301,
    reason: 'sms_not_connected',
    stage: 'network',
    mend: 'cardholder',
    text: {
      en: 'SMS notification is not connected for this card.',
      ru: 'К карте не подключено SMS-информирование.',
      uz: 'Kartaga SMS-xabarnoma ulanmagan.',
    },
    hint: 'The cardholder connects SMS notification at the issuing bank, or takes another card.',
  },
  cardExpired: {
    code: -31301,
    reason: 'card_expired',
    stage: 'network',
    mend: 'cardholder',
    text: { en: 'The card has expired.', ru: 'Срок действия карты истёк.', uz: 'Kartaning amal qilish muddati tugagan.' },
    hint: 'Take another card.',
  },
  cardBlocked: {
    code: -31301,
    reason: 'card_blocked',
    stage: 'network',
    mend: 'cardholder',
    text: { en: 'The card is blocked.', ru: 'Карта заблокирована.', uz: 'Karta bloklangan.' },
    hint: 'The cardholder asks the issuing bank, or takes another card.',
  },
  systemError: {
    code: -32400,
    reason: 'system_error',
    stage: 'network',
    mend: 'operator',
    text: faultText,
    hint: 'The card network failed in a way it does not explain. `data` is the id to tell the provider.',
  },
  networkTimeout: {
    code: -31002,
    reason: 'network_timeout',
    stage: 'network',
    mend: 'wait',
    text: {
      en: 'The card network did not answer.',
      ru: 'Платёжная сеть не ответила.',
      uz: 'Karta tarmogʻi javob bermadi.',
    },
    hint: 'Nothing was taken: try again a little later.',
  },
  paySmsNotConnected: {
    code: -31630,
    reason: 'sms_not_connected',
    stage: 'network',
    mend: 'cardholder',
    text: payText,
    hint: 'The cardholder connects SMS notification at the issuing bank, or takes another card.',
  },
  payCardExpired: {
    code: -31630,
    reason: 'card_expired',
    stage: 'network',
    mend: 'cardholder',
    text: payText,
    hint: 'The card has expired: take another one.',
  },
  payCardBlocked: {
    code: -31630,
    reason: 'card_blocked',
    stage: 'network',
    mend: 'cardholder',
    text: payText,
    hint: 'The card is blocked: the cardholder asks the issuing bank, or takes another card.',
  },
  paySystemError: {
    code: -31630,
    reason: 'system_error',
    stage: 'network',
    mend: 'operator',
    text: payText,
    hint: 'The card network failed in a way it does not explain; nothing was taken.',
  },
  payNetworkTimeout: {
    code: -31630,
    reason: 'network_timeout',
    stage: 'network',
    mend: 'wait',
    text: payText,
    hint: 'The card network answered too late and took nothing: try again.',
  },
  insufficientFunds: {
    code: -31630,
    reason: 'insufficient_funds',
    stage: 'network',
    mend: 'cardholder',
    text: payText,
    hint: 'There is not enough money on the card.',
  },
  declined: {
    code: -31630,
    reason: 'declined',
    stage: 'network',
    mend: 'cardholder',
    text: payText,
    hint: 'The issuer refused without a reason that we know.',
  },
  debitFailed: {
    code: -31640,
    reason: 'debit_failed',
    stage: 'network',
    mend: 'wait',
    text: { en: 'The debit failed; nothing was taken.', ru: 'Списание не удалось, деньги не сняты.', uz: 'Pul yechilmadi.' },
    hint: 'Nothing was taken: try again.',
  },
  merchantNoAnswer: {
    code: -31002,
    reason: 'merchant_no_answer',
    stage: 'network',
    mend: 'wait',
    text: { en: 'The merchant did not answer.', ru: 'Мерчант не ответил.', uz: 'Merchant javob bermadi.' },
    hint: "The merchant's own endpoint did not answer whether it takes the payment, or not in the way of the protocol: nothing was taken. `tessera merchants endpoint test` shows what it says.",
  },
  merchantClosing: {
    code: -31002,
    reason: 'merchant_closing',
    stage: 'network',
    mend: 'wait',
    text: { en: 'The merchant did not answer.', ru: 'Мерчант не ответил.', uz: 'Merchant javob bermadi.' },
    hint: "The card was debited, and the merchant's own endpoint has not said yet that it knows. It is asked again by itself: ask receipts.check until the state is 4, or 21 where the money goes back.",
  },
  paymentUnknown: {
    code: -31002,
    reason: 'payment_unknown',
    stage: 'network',
    mend: 'wait',
    text: { en: 'The card network did not answer.', ru: 'Платёжная сеть не ответила.', uz: 'Karta tarmogʻi javob bermadi.' },
    hint: 'The receipt is in state 20 and is settled by itself: ask receipts.check, and do not pay it another way meanwhile.',
  },
  internalError: {
    code: -32400,
    reason: 'internal_error',
    stage: 'any',
    mend: 'operator',
    text: faultText,
    hint: 'Our fault. `data` is the id under which the log has it: tell it to the provider.',
  },
  overloaded: {
    code: -32400,
    reason: 'overloaded',
    stage: 'any',
    mend: 'wait',
    text: laterText,
    hint: 'Nothing was done: try again after `retry_after` milliseconds.',
  },
  connectionBusy: {
    code: -32400,
    reason: 'connection_busy',
    stage: 'any',
    mend: 'wait',
    text: laterText,
    hint: 'Nothing was done: too many requests on one connection wait for their replies. Take some replies first, or open another connection.',
  },
  addressBusy: {
    code: -32400,
    reason: 'address_busy',
    stage: 'any',
    mend: 'wait',
    text: laterText,
    hint: 'Nothing was done: too many calls from one address are being answered at once. Send fewer at a time; try again after `retry_after` milliseconds.',
  },
  draining: {
    code: -32400,
    reason: 'draining',
    stage: 'any',
    mend: 'wait',
    text: laterText,
    hint: 'The service is stopping and nothing was done: try again after `retry_after` milliseconds.',
  },
  batchTimeOver: {
    code: -32400,
    reason: 'batch_time_over',
    stage: 'any',
    mend: 'wait',
    text: laterText,
    hint: 'The calls before it in the batch took 15 seconds, and nothing of this one was done: send it again, in a shorter batch or alone.',
  },
  storeFull: {
    code: -32400,
    reason: 'store_full',
    stage: 'any',
    mend: 'operator',
    text: laterText,
    hint: 'No room to write; nothing was done, reading goes on. The provider makes room; try again after `retry_after` milliseconds.',
  },
  storeUnavailable: {
    code: -32400,
    reason: 'store_unavailable',
    stage: 'any',
    mend: 'wait',
    text: laterText,
    hint: 'The database did not answer and nothing was done: try again after `retry_after` milliseconds.',
  },
  outcomeUnknown: {
    code: -32400,
    reason: 'outcome_unknown',
    stage: 'any',
    mend: 'wait',
    text: laterText,
    hint: 'The database was lost while committing, so it may or may not be done: ask again after `retry_after` milliseconds.',
  },
} as const satisfies Record<string, ErrorEntry>

export type ErrorName = keyof typeof errors

/** Looks an entry up as the plain shape, optional members included. */
export function errorEntry(name: ErrorName): ErrorEntry {
  return errors[name]
}

/** The `error` member of a response. `reason` and `retry_after` are ours; old clients ignore them. */
export interface ErrorBody {
  code: number
  message: string
  /** A string; an object only with `merchant_refused`: the merchant's own error. */
  data?: string | object
  origin?: string
  reason: string
  retry_after?: number
}

export interface RpcErrorOptions {
  /** A member's path, a method's name or an id; never a value that somebody sent, unless it was checked to be harmless. */
  readonly data?: string | object
  readonly retryAfterMs?: number
  /** For the log, never for the caller. */
  readonly cause?: unknown
}

/** An outcome that the wire has a word for. Throw it anywhere inside; the one door out renders it. */
export class RpcError extends Error {
  readonly entry: ErrorName
  readonly data: string | object | undefined
  readonly retryAfterMs: number | undefined

  constructor(entry: ErrorName, options: RpcErrorOptions = {}) {
    super(entry, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'RpcError'
    this.entry = entry
    this.data = options.data
    this.retryAfterMs = options.retryAfterMs
  }
}

/** Renders an error for its caller. `origin` is the method, where one is known. */
export function renderError(error: RpcError, to: { profile: Profile; language: Language; origin: string | null }): ErrorBody {
  const entry = errorEntry(error.entry)
  return {
    code: to.profile === 'spec' ? (entry.specCode ?? entry.code) : entry.code,
    message: entry.text[to.language],
    ...(error.data === undefined ? {} : { data: error.data }),
    ...(to.origin === null ? {} : { origin: to.origin }),
    reason: entry.reason,
    ...(error.retryAfterMs === undefined ? {} : { retry_after: Math.max(1, Math.ceil(error.retryAfterMs)) }),
  }
}
