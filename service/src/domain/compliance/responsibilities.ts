import type { Language } from '@tessera/contract/profile'

/** One line of the responsibility matrix; '' when a party has no part in it. */
export interface Responsibility {
  /** A requirement of PCI DSS 4.0.1 or of the service's specification. */
  readonly requirement: string
  readonly topic: string
  readonly provider: string
  readonly merchant: string
}

type Line = readonly [topic: string, provider: string, merchant: string]

/** The responsibilities of provider and merchant (PCI DSS 12.8.5, 12.9.2), in one language. */
export function listResponsibilities(language: Language): Responsibility[] {
  return lines.map(({ requirement, ...texts }) => {
    const [topic, provider, merchant] = texts[language]
    return { requirement: nameRequirement(requirement, language), topic, provider: provider, merchant }
  })
}

/** PCI DSS numbers need no translation; names of other sources do. */
function nameRequirement(requirement: string, language: Language): string {
  return Object.entries(names[language]).reduce((text, [name, translated]) => text.replace(name, translated), requirement)
}

const names: Readonly<Record<Language, Readonly<Record<string, string>>>> = {
  en: {},
  ru: { Specification: 'Спецификация', forms: 'формы', 'Local law': 'Местный закон' },
  uz: { Specification: 'Spetsifikatsiya', forms: 'formalar', 'Local law': 'Mahalliy qonun' },
}

const lines: readonly (Readonly<Record<Language, Line>> & { readonly requirement: string })[] = [
  {
    requirement: 'Specification 3–4',
    en: [
      'Tokens',
      'Makes a token for one merchant alone; it cannot be turned back into the number.',
      'Uses the token for every card operation.',
    ],
    ru: [
      'Токены',
      'Делает токен только для одного мерчанта; обратно в номер он не превращается.',
      'Использует токен в каждой операции с картой.',
    ],
    uz: [
      'Tokenlar',
      'Tokenni faqat bitta merchant uchun yaratadi; u raqamga qaytmaydi.',
      'Kartaga oid har bir amalda tokendan foydalanadi.',
    ],
  },
  {
    requirement: '3.2.1, 3.3.1',
    en: [
      'What is stored',
      'Keeps card numbers sealed and for as long as they are needed; refuses CVV and PIN, and keeps none.',
      'Keeps token, mask, expiry, verify and recurrent; never the number, CVV, PIN or SMS code.',
    ],
    ru: [
      'Что хранится',
      'Хранит номера карт запечатанными и только пока нужны; CVV и PIN отклоняет и не хранит.',
      'Хранит token, маску, expire, verify и recurrent; никогда номер, CVV, PIN и код из SMS.',
    ],
    uz: [
      'Nima saqlanadi',
      'Karta raqamlarini muhrlangan holda, kerak boʻlgunicha saqlaydi; CVV va PINni rad etadi, saqlamaydi.',
      'Token, niqob, muddat, verify va recurrentni saqlaydi; raqam, CVV, PIN va SMS kodini hech qachon.',
    ],
  },
  {
    requirement: '3.5–3.7',
    en: [
      'Keys',
      'Seals in two layers, rotates and destroys keys, controls who holds them.',
      'Guards its tokens as secrets: a seal opens by the token.',
    ],
    ru: [
      'Ключи',
      'Запечатывает в два слоя, меняет и уничтожает ключи, следит, у кого они.',
      'Бережёт токены как секреты: печать открывается токеном.',
    ],
    uz: [
      'Kalitlar',
      'Ikki qatlamda muhrlaydi, kalitlarni almashtiradi va yoʻq qiladi.',
      'Tokenlarni sir kabi asraydi: muhr token bilan ochiladi.',
    ],
  },
  {
    requirement: '4.2.1',
    en: ['Transport', 'Takes cards and calls over TLS.', 'Serves its pages by https and calls the service over TLS.'],
    ru: ['Передача', 'Принимает карты и вызовы по TLS.', 'Отдаёт свои страницы по https и вызывает сервис по TLS.'],
    uz: ['Uzatish', 'Karta va chaqiruvlarni TLS orqali qabul qiladi.', 'Sahifalarini https orqali beradi, xizmatni TLS orqali chaqiradi.'],
  },
  {
    requirement: 'Specification, forms',
    en: [
      'The card form',
      'Provides the form as an iframe, with its label, terms and privacy policy.',
      'Takes cards by that form alone; has no card inputs, no name and no action of its own around it.',
    ],
    ru: [
      'Форма карты',
      'Даёт форму в iframe с подписью, условиями и политикой конфиденциальности.',
      'Принимает карты только этой формой; своих полей карты, name и action вокруг неё нет.',
    ],
    uz: [
      'Karta formasi',
      'Formani iframe koʻrinishida, yorligʻi, shartlari va maxfiylik siyosati bilan beradi.',
      'Kartani faqat shu forma orqali oladi; oʻz karta maydonlari, name va action boʻlmaydi.',
    ],
  },
  {
    requirement: '6.4.3',
    en: [
      'Scripts of the payment page',
      'Keeps the scripts inside its iframe listed and hashed; publishes the hash of its SDK.',
      'Authorises each script of its own page, keeps its integrity, and lists it with the reason.',
    ],
    ru: [
      'Скрипты платёжной страницы',
      'Скрипты внутри iframe перечислены и хешированы; хеш SDK опубликован.',
      'Разрешает каждый скрипт своей страницы, следит за целостностью, ведёт список с причинами.',
    ],
    uz: [
      'Toʻlov sahifasi skriptlari',
      'Iframe ichidagi skriptlar roʻyxatda va xeshlangan; SDK xeshi eʼlon qilinadi.',
      'Oʻz sahifasining har bir skriptini tasdiqlaydi, butunligini saqlaydi, sababi bilan roʻyxatga oladi.',
    ],
  },
  {
    requirement: '11.6.1',
    en: [
      'Changes of the payment page',
      'Watches its own documents; offers the page check.',
      'Looks for changes of its page and its headers at least once a week.',
    ],
    ru: [
      'Изменения платёжной страницы',
      'Следит за своими документами; даёт проверку страницы.',
      'Не реже раза в неделю ищет изменения своей страницы и её заголовков.',
    ],
    uz: [
      'Toʻlov sahifasidagi oʻzgarishlar',
      'Oʻz hujjatlarini kuzatadi; sahifa tekshiruvini beradi.',
      'Sahifasi va sarlavhalaridagi oʻzgarishlarni kamida haftada bir tekshiradi.',
    ],
  },
  {
    requirement: '7, 8.2–8.5',
    en: [
      'People',
      'Gives roles, lockout, second factor and session limits in the dashboard.',
      'Decides who has a login, gives the least role, blocks who leaves.',
    ],
    ru: [
      'Люди',
      'Даёт роли, блокировку, второй фактор и сроки сессий в кабинете.',
      'Решает, у кого есть вход, даёт наименьшую роль, блокирует ушедших.',
    ],
    uz: [
      'Odamlar',
      'Kabinetda rollar, bloklash, ikkinchi omil va sessiya muddatini taʼminlaydi.',
      'Kimda kirish borligini hal qiladi, eng kichik rolni beradi, ketganlarni bloklaydi.',
    ],
  },
  {
    requirement: '8.6',
    en: [
      'The API password',
      'Keeps only a keyed hash; lets it be changed with an overlap; refuses it from a browser.',
      'Keeps it on servers, out of pages, apps and repositories; changes it when it was seen.',
    ],
    ru: [
      'Пароль API',
      'Хранит только хеш с ключом; даёт менять с перекрытием; из браузера не принимает.',
      'Держит на серверах, вне страниц, приложений и репозиториев; меняет, если он был виден.',
    ],
    uz: [
      'API paroli',
      'Faqat kalitli xeshini saqlaydi; toʻxtovsiz almashtiradi; brauzerdan qabul qilmaydi.',
      'Serverda saqlaydi, sahifa, ilova va repozitoriyda emas; koʻrinib qolsa, almashtiradi.',
    ],
  },
  {
    requirement: '10',
    en: [
      'Logs',
      'Keeps an audit that is chained by hash, and logs without card data.',
      'Looks at its Audit, and keeps card data out of its own logs.',
    ],
    ru: [
      'Журналы',
      'Ведёт аудит, сцепленный хешами, и журналы без данных карт.',
      'Смотрит свой аудит и не пускает данные карт в свои журналы.',
    ],
    uz: [
      'Jurnallar',
      'Xesh bilan bogʻlangan audit va karta maʼlumotisiz jurnal yuritadi.',
      'Auditini koʻrib boradi, oʻz jurnaliga karta maʼlumotini yozmaydi.',
    ],
  },
  {
    requirement: '11.3, 11.4',
    en: ['Scans and tests', 'Scans and tests the service.', 'Has its own public pages scanned (ASV, every three months).'],
    ru: ['Сканирование и тесты', 'Сканирует и испытывает сервис.', 'Сканирует свои публичные страницы (ASV, раз в три месяца).'],
    uz: ['Skanlash va sinovlar', 'Xizmatni skanlaydi va sinaydi.', 'Oʻz ochiq sahifalarini skanlatadi (ASV, har uch oyda).'],
  },
  {
    requirement: '12.8, 12.9',
    en: [
      'Between the two',
      'Acknowledges its part in writing, and tells its own status and this table when asked.',
      'Keeps the agreement, and looks at the provider’s status at least once a year.',
    ],
    ru: [
      'Между сторонами',
      'Письменно признаёт свою часть; по запросу сообщает свой статус и эту таблицу.',
      'Хранит соглашение и не реже раза в год проверяет статус провайдера.',
    ],
    uz: [
      'Ikki tomon orasida',
      'Oʻz qismini yozma tan oladi; soʻralganda maqomi va shu jadvalni beradi.',
      'Kelishuvni saqlaydi, provayder maqomini yilda kamida bir marta tekshiradi.',
    ],
  },
  {
    requirement: '12.10',
    en: [
      'Incidents',
      'Tells its merchants what concerns them, and answers.',
      'Has a plan, tells the provider at once, changes its password.',
    ],
    ru: ['Инциденты', 'Сообщает мерчантам, что их касается, и реагирует.', 'Имеет план, сразу сообщает провайдеру, меняет пароль.'],
    uz: [
      'Hodisalar',
      'Merchantlarga tegishlisini xabar qiladi va chora koʻradi.',
      'Rejasi bor, provayderga darhol aytadi, parolini almashtiradi.',
    ],
  },
  {
    requirement: 'Specification 7',
    en: [
      'Consent and disclosure',
      'Shows the text in its form, and keeps what was agreed to with the words, the moment and who says so.',
      'Asks before a card is kept, tells how card data is processed, removes the card when asked to.',
    ],
    ru: [
      'Согласие и раскрытие',
      'Показывает текст в форме и хранит, на что согласились: слова, время и кто это сообщил.',
      'Спрашивает до сохранения карты, объясняет обработку данных, удаляет карту по просьбе.',
    ],
    uz: [
      'Rozilik va maʼlumot berish',
      'Matnni formada koʻrsatadi, nimaga rozi boʻlinganini matni, vaqti va kim aytgani bilan saqlaydi.',
      'Karta saqlanishidan oldin soʻraydi, maʼlumot qanday ishlanishini aytadi, soʻralsa kartani oʻchiradi.',
    ],
  },
  {
    requirement: 'Local law',
    en: [
      'Personal data',
      'Keeps its part of the data as local law asks.',
      'Keeps its customers’ data as local law asks, in the place that it asks for.',
    ],
    ru: [
      'Персональные данные',
      'Хранит свою часть данных по местному закону.',
      'Хранит данные клиентов по местному закону и там, где он требует.',
    ],
    uz: [
      'Shaxsiy maʼlumotlar',
      'Maʼlumotlarning oʻz qismini mahalliy qonunga koʻra saqlaydi.',
      'Mijozlar maʼlumotini mahalliy qonun talab qilgan joyda va tartibda saqlaydi.',
    ],
  },
]
