import type { Language } from '@tessera/contract/profile'
import { rules, specificationParts, type RuleId } from '@tessera/form-check/rules'

/** A rule with its texts in one language. */
export interface RuleDescription {
  readonly rule: RuleId
  readonly severity: 'error' | 'warning'
  readonly text: string
  readonly advice: string
  readonly source: string
}

/** Describes the rules with these ids: errors first, then in the order of the guide. */
export function describeRules(ids: ReadonlySet<RuleId>, language: Language): RuleDescription[] {
  const broken = (Object.keys(rules) as RuleId[]).filter((id) => ids.has(id))
  return [...broken.filter((id) => severityOf(id) === 'error'), ...broken.filter((id) => severityOf(id) === 'warning')].map((rule) => {
    const { text, advice, source } = rules[rule]
    const [description, todo] = words[language]?.[rule] ?? [text, advice]
    return { rule, severity: severityOf(rule), text: description, advice: todo, source: localizeSource(source, language) }
  })
}

/** The source of a rule with the parts of the specification named in a language. The names of standards are the same in each. */
function localizeSource(source: string, language: Language): string {
  const names = sourceNames[language]
  if (names === undefined) return source
  return Object.entries(specificationParts).reduce((text, [part, name]) => text.replace(name, names[part as SpecificationPart]), source)
}

type SpecificationPart = keyof typeof specificationParts

/** English is the language of the rules themselves. */
const sourceNames: Readonly<Partial<Record<Language, Readonly<Record<SpecificationPart, string>>>>> = {
  ru: {
    cardForms: 'Спецификация, требования к формам ввода карты',
    service: 'Спецификация, что делает сервис',
    authentication: 'Спецификация, аутентификация',
  },
  uz: {
    cardForms: 'Spetsifikatsiya, karta kiritish formalariga talablar',
    service: 'Spetsifikatsiya, xizmat nima qiladi',
    authentication: 'Spetsifikatsiya, autentifikatsiya',
  },
}

export function severityOf(rule: RuleId): 'error' | 'warning' {
  return rules[rule].severity === 'error' ? 'error' : 'warning'
}

type SourceRule = {
  [R in RuleId]: (typeof rules)[R]['seenBy'] extends 'browser' ? never : R
}[RuleId]

/** Text and advice for every rule that a page's source can break. The English texts are in form-check. */
type Words = Readonly<Record<Exclude<SourceRule, 'script-inventory'>, readonly [text: string, advice: string]>>

const ru: Words = {
  'card-input': ['На странице нет своих полей для карты.', 'Уберите поле: карта вводится только в iframe или SDK сервиса.'],
  'sad-input': [
    'Страница не спрашивает CVV, PIN и код из SMS.',
    'Уберите поле: CVV и PIN сервису не нужны, а код из SMS вводится в его форму.',
  ],
  'input-name': ['У полей для карты нет атрибута name.', 'Уберите атрибут name, а затем и само поле.'],
  'form-action': [
    'У формы вокруг карты нет action, а у кнопок и полей в ней — formaction.',
    'Уберите action и formaction: токен приходит вашему скрипту, а не отправкой формы.',
  ],
  'submit-attribute': [
    'Ничто другое такую форму не отправляет: ни method, ни formmethod, ни hx-post и подобные.',
    'Уберите атрибут или вынесите из формы остальное.',
  ],
  'sdk-missing': [
    'Страница с картой использует SDK или iframe сервиса.',
    'Подключите <адрес формы>/sdk/v1/tessera.js или вставьте iframe <адрес формы>/form/v1.',
  ],
  'form-origin': [
    'SDK и iframe загружены с адреса самого сервиса, а не магазина.',
    'Загружайте их с адреса сервиса: на адресе магазина ввод виден всем его скриптам.',
  ],
  'own-call': [
    'Скрипты страницы сами не вызывают cards.create, cards.get_verify_code и cards.verify.',
    'Оставьте эти вызовы форме сервиса: у того, кто их делает, в руках карта или код.',
  ],
  'consent-ticked': [
    'Согласие на сохранение карты не отмечено заранее.',
    'Уберите checked и скрипт, который ставит отметку. save: «ask» показывает свой флажок.',
  ],
  'password-in-page': ['Пароля мерчанта нет в коде страницы.', 'Оставьте только id мерчанта и смените пароль на странице «Настройки».'],
  'sdk-integrity': [
    'У скрипта SDK есть integrity и crossorigin.',
    'Загружайте <адрес формы>/sdk/<версия>/tessera.js с integrity и crossorigin="anonymous"; готовый фрагмент — на странице «Начало работы».',
  ],
  'script-integrity': [
    'У скриптов с других адресов есть integrity и crossorigin.',
    'Добавьте integrity и crossorigin="anonymous", отдавайте скрипт сами или уберите его со страницы с картой.',
  ],
  'csp-missing': [
    'Content-Security-Policy страницы говорит, какие скрипты и фреймы она загружает.',
    'Отправляйте Content-Security-Policy, где в script-src и frame-src назван адрес формы.',
  ],
  'csp-blocks-form': ['Эта политика пропускает скрипт и фрейм сервиса.', 'Добавьте адрес формы в script-src и frame-src.'],
  'csp-weak': [
    'Политика ограничивает скрипты: без ‘unsafe-inline’ без nonce или хеша, ‘unsafe-eval’, * и голых схем.',
    'Перечислите в script-src адреса, nonce или хеши.',
  ],
}

const uz: Words = {
  'card-input': [
    'Sahifada oʻzining karta maydonlari yoʻq.',
    'Maydonni olib tashlang: karta faqat xizmatning iframe yoki SDKsiga kiritiladi.',
  ],
  'sad-input': [
    'Sahifa CVV, PIN va SMS kodini soʻramaydi.',
    'Maydonni olib tashlang: xizmatga CVV va PIN kerak emas, SMS kodi uning formasiga kiritiladi.',
  ],
  'input-name': ['Karta maydonlarida name atributi yoʻq.', 'name atributini, soʻng maydonning oʻzini olib tashlang.'],
  'form-action': [
    'Karta atrofidagi formada action, undagi tugma va maydonlarda formaction yoʻq.',
    'action va formactionni olib tashlang: token forma yuborilishi bilan emas, skriptingizga keladi.',
  ],
  'submit-attribute': [
    'Bunday formani boshqa hech narsa yubormaydi: method, formmethod, hx-post va shu kabilar yoʻq.',
    'Atributni olib tashlang yoki qolgan maydonlarni formadan chiqaring.',
  ],
  'sdk-missing': [
    'Karta oladigan sahifa xizmatning SDK yoki iframe’idan foydalanadi.',
    '<forma manzili>/sdk/v1/tessera.js ni ulang yoki <forma manzili>/form/v1 iframe’ini qoʻying.',
  ],
  'form-origin': [
    'SDK va iframe doʻkondan emas, xizmatning oʻz manzilidan yuklanadi.',
    'Ikkalasini xizmatdan yuklang: doʻkon manzilida kiritilganini uning barcha skriptlari oʻqiydi.',
  ],
  'own-call': [
    'Sahifa skriptlari cards.create, cards.get_verify_code va cards.verify ni oʻzi chaqirmaydi.',
    'Bu chaqiruvlarni xizmat formasiga qoldiring: ularni qilganning qoʻlida karta yoki kod boʻladi.',
  ],
  'consent-ticked': [
    'Kartani saqlashga rozilik oldindan belgilanmagan.',
    'checked atributini va uni belgilaydigan skriptni olib tashlang. save: ‘ask’ oʻz katakchasini koʻrsatadi.',
  ],
  'password-in-page': ['Merchant paroli sahifa kodida yoʻq.', 'Faqat merchant id qolsin va parolni “Sozlamalar” sahifasida almashtiring.'],
  'sdk-integrity': [
    'SDK skriptida integrity va crossorigin bor.',
    '<forma manzili>/sdk/<versiya>/tessera.js ni integrity va crossorigin="anonymous" bilan yuklang; tayyor parcha “Ish boshlash” sahifasida.',
  ],
  'script-integrity': [
    'Boshqa manzildagi skriptda integrity va crossorigin bor.',
    'integrity va crossorigin="anonymous" qoʻshing, skriptni oʻzingiz bering yoki karta sahifasidan olib tashlang.',
  ],
  'csp-missing': [
    'Sahifa qaysi skript va freymlarni yuklashini Content-Security-Policy aytadi.',
    'script-src va frame-src da forma manzili koʻrsatilgan Content-Security-Policy yuboring.',
  ],
  'csp-blocks-form': ['Bu siyosat xizmat skripti va freymini oʻtkazadi.', 'Forma manzilini script-src va frame-src ga qoʻshing.'],
  'csp-weak': [
    'Siyosat skriptlarni cheklaydi: nonce yoki xeshsiz ‘unsafe-inline’, ‘unsafe-eval’, * va quruq sxema yoʻq.',
    'script-src da manzillar, nonce yoki xeshlarni sanab bering.',
  ],
}

const words: Readonly<Partial<Record<Language, Readonly<Partial<Record<RuleId, readonly [string, string]>>>>>> = { ru, uz }
