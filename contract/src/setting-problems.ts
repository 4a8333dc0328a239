import type { Language } from './profile.ts'

/**
 * Why a setting or an administrative action was not accepted: a code with values, never a sentence. The command line prints it in English, and the dashboard shows it in
 * the user's language as `data` of the error `setting_refused`.
 */
export class SettingProblem {
  readonly code: SettingProblemCode
  readonly values: readonly (string | number)[]

  constructor(code: SettingProblemCode, ...values: readonly (string | number)[]) {
    this.code = code
    this.values = values
  }

  /** The problem as a sentence that says what is wrong, and what to write or do instead. */
  describe(language: Language): string {
    return settingProblems[this.code][language].replace(/\{(\d)\}/g, (_placeholder, index: string) =>
      String(this.values[Number(index)] ?? ''),
    )
  }
}

export type SettingProblemCode = keyof typeof settingProblems

const fieldShape = '[{"name":"order_id","title":{"en":"Order","ru":"Заказ","uz":"Buyurtma"},"required":true,"kind":"reference"}]'

/** {0}, {1} … are placeholders for the values of the problem. */
export const settingProblems = {
  merchant_unknown: {
    en: 'There is no such merchant: see tessera merchants list',
    ru: 'Такого мерчанта нет.',
    uz: 'Bunday merchant yoʻq.',
  },
  merchant_id_taken: {
    en: 'The id is already in use; try again.',
    ru: 'Этот идентификатор уже занят; повторите.',
    uz: 'Bu identifikator band; qayta urinib koʻring.',
  },
  merchant_blocked: { en: 'The merchant is already blocked.', ru: 'Мерчант уже заблокирован.', uz: 'Merchant allaqachon bloklangan.' },
  merchant_not_blocked: { en: 'The merchant is not blocked.', ru: 'Мерчант не заблокирован.', uz: 'Merchant bloklanmagan.' },
  merchant_id_wrong: {
    en: 'Type the id of your own merchant.',
    ru: 'Введите идентификатор своего мерчанта.',
    uz: 'Oʻz merchantingiz identifikatorini kiriting.',
  },
  changed_meanwhile: {
    en: 'Another user is changing this merchant at the same time; reload and try again.',
    ru: 'Эти настройки одновременно меняет кто-то ещё; обновите страницу и повторите.',
    uz: 'Bu sozlamalarni ayni paytda boshqa kimdir oʻzgartirmoqda; sahifani yangilab, qayta urinib koʻring.',
  },
  two_active_passwords: {
    en: 'Two passwords are already active: retire the old one first, with tessera merchants retire-password.',
    ru: 'Действуют уже два пароля: сначала отключите старый.',
    uz: 'Ikkita parol amalda: avval eskisini bekor qiling.',
  },
  last_active_password: {
    en: 'This is the only active password: create a new one first, with tessera merchants rotate-password, or block the merchant.',
    ru: 'Это единственный действующий пароль: сначала создайте новый.',
    uz: 'Bu yagona amaldagi parol: avval yangisini yarating.',
  },
  no_active_password: {
    en: 'The merchant has no active password {0}: see tessera merchants show {1}',
    ru: 'Действующего пароля {0} нет.',
    uz: 'Amaldagi {0}-parol yoʻq.',
  },
  name_missing: { en: 'A merchant must have a name.', ru: 'У мерчанта должно быть название.', uz: 'Merchantning nomi boʻlishi kerak.' },
  name_length: {
    en: 'A name has {0} to {1} characters and no control characters.',
    ru: 'В названии от {0} до {1} символов, без управляющих.',
    uz: 'Nomda {0} dan {1} tagacha belgi boʻladi, boshqaruv belgilarisiz.',
  },
  organization_length: {
    en: 'An organization has {0} to {1} characters and no control characters.',
    ru: 'В названии организации от {0} до {1} символов, без управляющих.',
    uz: 'Tashkilot nomida {0} dan {1} tagacha belgi boʻladi, boshqaruv belgilarisiz.',
  },
  address_length: {
    en: 'An address has {0} to {1} characters and no control characters.',
    ru: 'В адресе от {0} до {1} символов, без управляющих.',
    uz: 'Manzilda {0} dan {1} tagacha belgi boʻladi, boshqaruv belgilarisiz.',
  },
  brand_color_shape: {
    en: 'The color is written as #rrggbb, for example #0a7d5a.',
    ru: 'Цвет записывается как #rrggbb, например #0a7d5a.',
    uz: 'Rang #rrggbb koʻrinishida yoziladi, masalan #0a7d5a.',
  },
  logo_not_png: {
    en: 'The logo must be a PNG image that is not interlaced.',
    ru: 'Логотип должен быть изображением PNG без чересстрочной развёртки.',
    uz: 'Logotip PNG rasm boʻlishi kerak (interlaced emas).',
  },
  logo_too_large: {
    en: 'The logo may have at most {0} KiB: make it smaller, or use fewer colors.',
    ru: 'Логотип не больше {0} КиБ: уменьшите его или число цветов.',
    uz: 'Logotip {0} KiB dan oshmasligi kerak: uni kichraytiring yoki ranglarini kamaytiring.',
  },
  logo_sides: {
    en: 'Each side of the logo must have {0} to {1} pixels.',
    ru: 'Каждая сторона логотипа — от {0} до {1} пикселей.',
    uz: 'Logotipning har bir tomoni {0} dan {1} pikselgacha boʻlishi kerak.',
  },
  business_id_length: {
    en: 'A business id has {0} to {1} characters and no control characters.',
    ru: 'В бизнес-идентификаторе от {0} до {1} символов, без управляющих.',
    uz: 'Biznes identifikatorida {0} dan {1} tagacha belgi boʻladi, boshqaruv belgilarisiz.',
  },
  epos_shape: {
    en: 'An EPOS consists of a merchant id and a terminal id.',
    ru: 'EPOS — это идентификатор мерчанта и идентификатор терминала.',
    uz: 'EPOS merchant va terminal identifikatorlaridan iborat.',
  },
  epos_merchant_id_length: {
    en: 'The merchant id of an EPOS has {0} to {1} characters and no control characters.',
    ru: 'В идентификаторе мерчанта EPOS от {0} до {1} символов, без управляющих.',
    uz: 'EPOS merchant identifikatorida {0} dan {1} tagacha belgi boʻladi, boshqaruv belgilarisiz.',
  },
  epos_terminal_id_length: {
    en: 'The terminal id of an EPOS has {0} to {1} characters and no control characters.',
    ru: 'В идентификаторе терминала EPOS от {0} до {1} символов, без управляющих.',
    uz: 'EPOS terminal identifikatorida {0} dan {1} tagacha belgi boʻladi, boshqaruv belgilarisiz.',
  },
  strict_server_auth_shape: {
    en: 'Strict server auth is on or off.',
    ru: 'Строгая проверка сервера включена или выключена.',
    uz: 'Serverni qatʼiy tekshirish yoqilgan yoki oʻchirilgan boʻladi.',
  },
  require_form_sessions_shape: {
    en: 'Form sessions are required (on) or not required (off).',
    ru: 'Сессии формы обязательны (вкл.) или нет (выкл.).',
    uz: 'Forma sessiyalari majburiy (yoqilgan) yoki majburiy emas (oʻchirilgan).',
  },
  refund_unconfirmed_max_range: {
    en: 'The largest refund without confirmation is 0 to {0} tiyin.',
    ru: 'Возврат без подтверждения — от 0 до {0} тийинов.',
    uz: 'Tasdiqsiz qaytarish — 0 dan {0} tiyingacha.',
  },
  require_second_factor_shape: {
    en: 'A second factor is required (on) or not required (off).',
    ru: 'Второй фактор обязателен (вкл.) или нет (выкл.).',
    uz: 'Ikkinchi omil majburiy (yoqilgan) yoki majburiy emas (oʻchirilgan).',
  },
  origins_shape: {
    en: 'Origins are a list of at most {0}.',
    ru: 'Адреса — список, не больше {0}.',
    uz: 'Manzillar — koʻpi bilan {0} ta.',
  },
  origin_shape: {
    en: 'An origin is a scheme and a host, as a browser sends it: https://shop.example',
    ru: 'Адрес страницы — схема и имя, как шлёт браузер: https://shop.example',
    uz: 'Sahifa manzili — brauzer yuborgandek sxema va nom: https://shop.example',
  },
  origin_not_https: {
    en: 'An origin is https (http only for this machine, such as http://localhost:3000), not {0}//',
    ru: 'Нужен https (http только для этого компьютера, например http://localhost:3000), а не {0}//',
    uz: 'https kerak (http faqat shu kompyuter uchun, masalan http://localhost:3000), {0}// emas',
  },
  origin_with_credentials: {
    en: 'An origin has no user name and no password before its host.',
    ru: 'Перед именем не бывает логина и пароля.',
    uz: 'Nom oldida login va parol boʻlmaydi.',
  },
  origin_characters: {
    en: 'The host of an origin has letters, digits, hyphens and dots only. There are no wildcards: add each origin by itself, such as https://shop.example',
    ru: 'В имени бывают только латинские буквы, цифры, дефисы и точки. Шаблонов (*) нет: добавьте каждый адрес отдельно, например https://shop.example',
    uz: 'Nomda faqat lotin harflari, raqamlar, chiziqcha va nuqta boʻladi. Andoza (*) yoʻq: har bir manzilni alohida qoʻshing, masalan https://shop.example',
  },
  origin_not_exact: {
    en: 'An origin is only scheme, host and port: write {0}',
    ru: 'Только схема, имя и порт: напишите {0}',
    uz: 'Faqat sxema, nom va port: {0} deb yozing',
  },
  account_fields_shape: {
    en: `Account fields are a list of at most {0}. Example: ${fieldShape}`,
    ru: 'Поля счёта — список, не больше {0}.',
    uz: 'Hisob maydonlari — koʻpi bilan {0} ta.',
  },
  account_field_duplicate: {
    en: 'Two account fields are named "{0}".',
    ru: 'Два поля счёта с именем «{0}».',
    uz: 'Ikkita hisob maydoni bir xil nomlangan: «{0}».',
  },
  account_field_shape: {
    en: `An account field is an object. Example: ${fieldShape}`,
    ru: 'Поле счёта — объект с именем и названиями.',
    uz: 'Hisob maydoni — nomi va sarlavhalari bor obyekt.',
  },
  account_field_member_unknown: {
    en: `An account field has no member "{0}". Example: ${fieldShape}`,
    ru: 'У поля счёта нет члена «{0}».',
    uz: 'Hisob maydonida «{0}» aʼzosi yoʻq.',
  },
  account_field_name: {
    en: 'The name of an account field consists of letters, digits and _, does not begin with a digit, and has at most 64 characters.',
    ru: 'Имя поля счёта: латинские буквы, цифры и _, не с цифры, до 64 символов.',
    uz: 'Hisob maydoni nomi: lotin harflari, raqamlar va _, raqamdan boshlanmaydi, koʻpi bilan 64 belgi.',
  },
  account_field_required: {
    en: 'Account field "{0}": required is true or false.',
    ru: 'Поле счёта «{0}»: required — true или false.',
    uz: '«{0}» hisob maydoni: required — true yoki false.',
  },
  account_field_kind: {
    en: 'Account field "{0}": kind is text or reference.',
    ru: 'Поле счёта «{0}»: kind — text или reference.',
    uz: '«{0}» hisob maydoni: kind — text yoki reference.',
  },
  account_field_titles: {
    en: `Account field "{0}" needs a title in three languages. Example: ${fieldShape}`,
    ru: 'У поля счёта «{0}» должно быть название на трёх языках.',
    uz: '«{0}» hisob maydonining uch tilda sarlavhasi boʻlishi kerak.',
  },
  account_field_title_length: {
    en: 'The {2} title of "{3}" has {0} to {1} characters and no control characters.',
    ru: 'Название поля «{3}» ({2}): от {0} до {1} символов, без управляющих.',
    uz: '«{3}» maydonining sarlavhasi ({2}): {0} dan {1} tagacha belgi, boshqaruv belgilarisiz.',
  },
  min_amount_range: {
    en: "The minimum amount is a whole number of tiyin from 1 to {0} (1 so'm is 100 tiyin).",
    ru: 'Наименьшая сумма — целое число тийинов от 1 до {0} (1 сум — 100 тийинов).',
    uz: 'Eng kam summa — 1 dan {0} gacha butun son, tiyinda (1 soʻm — 100 tiyin).',
  },
  max_amount_range: {
    en: "The maximum amount is a whole number of tiyin from 1 to {0} (1 so'm is 100 tiyin).",
    ru: 'Наибольшая сумма — целое число тийинов от 1 до {0} (1 сум — 100 тийинов).',
    uz: 'Eng koʻp summa — 1 dan {0} gacha butun son, tiyinda (1 soʻm — 100 tiyin).',
  },
  amounts_crossed: {
    en: 'The minimum amount ({0} tiyin) would exceed the maximum ({1} tiyin): set both.',
    ru: 'Наименьшая сумма ({0} тийинов) больше наибольшей ({1} тийинов): укажите обе.',
    uz: 'Eng kam summa ({0} tiyin) eng koʻpidan ({1} tiyin) katta: ikkalasini ham yozing.',
  },
  limits_shape: {
    en: 'Limits are an object with the members {0}.',
    ru: 'Лимиты — объект из: {0}.',
    uz: 'Cheklovlar — quyidagilardan iborat obyekt: {0}.',
  },
  limit_unknown: {
    en: 'There is no limit "{0}". The limits are: {1}.',
    ru: 'Лимита «{0}» нет. Есть: {1}.',
    uz: '«{0}» cheklovi yoʻq. Borlari: {1}.',
  },
  limit_range: {
    en: 'The limit {0} is a whole number from 1 to {1}.',
    ru: 'Лимит {0} — целое число от 1 до {1}.',
    uz: '{0} cheklovi — 1 dan {1} gacha butun son.',
  },
  endpoint_login: {
    en: 'A login is 1 to 64 visible characters without a colon.',
    ru: 'Логин — от 1 до 64 видимых символов без двоеточия.',
    uz: 'Login — ikki nuqtasiz 1 dan 64 tagacha koʻrinadigan belgi.',
  },
  endpoint_password: {
    en: 'A password is 1 to 256 characters in one line.',
    ru: 'Пароль — от 1 до 256 символов в одной строке.',
    uz: 'Parol — bir qatorda 1 dan 256 tagacha belgi.',
  },
  endpoint_missing: { en: 'The merchant has no endpoint.', ru: 'У мерчанта нет адреса.', uz: 'Merchantning manzili yoʻq.' },
  url_shape: {
    en: 'A URL of at most {0} characters is required.',
    ru: 'Нужен URL, не длиннее {0} символов.',
    uz: 'Koʻpi bilan {0} belgili URL kerak.',
  },
  url_with_credentials: {
    en: 'A URL must not contain a user name or a password: everyone who sees the URL would see them.',
    ru: 'В URL не должно быть логина и пароля: их увидит каждый, кто видит URL.',
    uz: 'URL ichida login va parol boʻlmasin: URLni koʻrgan har kim ularni ham koʻradi.',
  },
  url_with_fragment: {
    en: 'A URL must not have a fragment (#…).',
    ru: 'URL с фрагментом (#…) вызвать нельзя.',
    uz: 'Fragmentli (#…) URLni chaqirib boʻlmaydi.',
  },
  url_not_https: { en: 'https:// is required.', ru: 'Нужен https://.', uz: 'https:// kerak.' },
  url_not_https_or_local: {
    en: 'https:// is required, or http:// to this machine.',
    ru: 'Нужен https:// или http:// к этому компьютеру.',
    uz: 'https:// yoki shu kompyuterga http:// kerak.',
  },
  url_not_public: {
    en: 'This address is not on the public internet.',
    ru: 'Это не публичный адрес интернета.',
    uz: 'Bu internetning ommaviy manzili emas.',
  },
  webhook_exists_or_full: {
    en: 'The merchant already has this endpoint, or {0} others.',
    ru: 'Такой адрес уже есть, или их уже {0}.',
    uz: 'Bunday manzil allaqachon bor yoki ular {0} ta boʻldi.',
  },
  webhook_unknown: { en: 'The merchant has no such endpoint.', ru: 'Такого адреса нет.', uz: 'Bunday manzil yoʻq.' },
  webhook_tampered: {
    en: 'The endpoint was changed outside the service, so it is not used: remove it by its id, and add it again.',
    ru: 'Адрес изменён в обход сервиса и не используется: удалите его по id и добавьте снова.',
    uz: 'Manzil xizmatdan tashqarida oʻzgartirilgan va ishlatilmaydi: uni id boʻyicha oʻchirib, qayta qoʻshing.',
  },
  webhook_ambiguous: {
    en: 'The merchant has several endpoints: select one with --url.',
    ru: 'Адресов несколько: укажите какой.',
    uz: 'Manzillar bir nechta: qaysi ekanini koʻrsating.',
  },
  webhook_changed_meanwhile: {
    en: 'Another user has changed it in the meantime; reload and try again.',
    ru: 'Его тем временем изменил кто-то ещё; обновите страницу.',
    uz: 'Uni shu orada boshqa kimdir oʻzgartirdi; sahifani yangilang.',
  },
  webhook_disabled: {
    en: 'The endpoint is disabled: enable it first.',
    ru: 'Адрес отключён: сначала включите его.',
    uz: 'Manzil oʻchirib qoʻyilgan: avval uni yoqing.',
  },
  webhook_tests_busy: {
    en: 'Other tests are in progress: wait until they finish.',
    ru: 'Идут другие проверки: дождитесь их завершения.',
    uz: 'Boshqa sinovlar ketmoqda: tugashini kuting.',
  },
  delivery_gone: {
    en: 'The event or its endpoint no longer exists, or it is being delivered right now.',
    ru: 'Событие или его адрес удалены, или оно доставляется прямо сейчас.',
    uz: 'Hodisa yoki manzili oʻchirilgan, yoki u ayni paytda yetkazilmoqda.',
  },
  sandbox_scenario_unknown: {
    en: 'A scenario is one of: {0}.',
    ru: 'Сценарий — один из: {0}.',
    uz: 'Stsenariy quyidagilardan biri: {0}.',
  },
  sandbox_step_unknown: {
    en: 'A step of {0} is one of: {1}.',
    ru: 'Шаг {0} — один из: {1}.',
    uz: '{0} qadami quyidagilardan biri: {1}.',
  },
  sandbox_limits_by_provider: {
    en: 'The provider has enabled the limits for every merchant; only the provider can disable them.',
    ru: 'Провайдер включил лимиты для всех мерчантов, и выключить их может только он.',
    uz: 'Provayder cheklovlarni barcha merchantlar uchun yoqqan, faqat u oʻchira oladi.',
  },
  sandbox_limits_busy: {
    en: 'Too many merchants are testing limits right now; try again later.',
    ru: 'Лимиты сейчас пробует слишком много мерчантов; повторите позже.',
    uz: 'Hozir cheklovlarni juda koʻp merchant sinamoqda; keyinroq urinib koʻring.',
  },
  sandbox_clock_range: {
    en: 'The time can be moved ahead by 0 to 400 days.',
    ru: 'Время сдвигается вперёд на 0–400 дней.',
    uz: 'Vaqt 0 dan 400 kungacha oldinga suriladi.',
  },
  sandbox_clock_shared: {
    en: 'Other merchants share this environment and its time; only the provider can move it.',
    ru: 'Эту среду и её время делят другие мерчанты: сдвинуть его может только провайдер.',
    uz: 'Bu muhit va uning vaqti boshqa merchantlar bilan umumiy: uni faqat provayder sura oladi.',
  },
} as const satisfies Readonly<Record<string, Readonly<Record<Language, string>>>>
