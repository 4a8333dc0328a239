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
      'Issues tokens that only one merchant can use and that cannot be reversed into the card number.',
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
      'Stores card numbers encrypted and only as long as they are needed; rejects CVV and PIN and never stores them.',
      'May store token, masked number, expiry, verify and recurrent; never the full number, CVV, PIN or SMS code.',
    ],
    ru: [
      'Что хранится',
      'Хранит номера карт зашифрованными и только пока они нужны; CVV и PIN отклоняет и не хранит.',
      'Хранит token, маску, expire, verify и recurrent; никогда номер, CVV, PIN и код из SMS.',
    ],
    uz: [
      'Nima saqlanadi',
      'Karta raqamlarini shifrlangan holda, kerak boʻlguncha saqlaydi; CVV va PINni rad etadi, saqlamaydi.',
      'Token, maskalangan raqam, muddat, verify va recurrentni saqlaydi; raqam, CVV, PIN va SMS kodini hech qachon.',
    ],
  },
  {
    requirement: '3.5–3.7',
    en: [
      'Keys',
      'Encrypts in two layers, rotates and destroys keys, restricts access to them.',
      'Protects its tokens as secrets: decryption requires the token.',
    ],
    ru: [
      'Ключи',
      'Шифрует в два слоя, меняет и уничтожает ключи, ограничивает доступ к ним.',
      'Хранит токены в секрете: для расшифровки нужен токен.',
    ],
    uz: [
      'Kalitlar',
      'Ikki qatlamda shifrlaydi, kalitlarni almashtiradi va yoʻq qiladi, ularga kirishni cheklaydi.',
      'Tokenlarni maxfiy saqlaydi: shifrni ochish uchun token kerak.',
    ],
  },
  {
    requirement: '4.2.1',
    en: ['Transport', 'Accepts cards and calls over TLS only.', 'Serves its pages over https and calls the service over TLS.'],
    ru: ['Передача', 'Принимает карты и вызовы по TLS.', 'Отдаёт свои страницы по https и вызывает сервис по TLS.'],
    uz: ['Uzatish', 'Karta va chaqiruvlarni TLS orqali qabul qiladi.', 'Sahifalarini https orqali beradi, xizmatni TLS orqali chaqiradi.'],
  },
  {
    requirement: 'Specification, forms',
    en: [
      'The card form',
      'Provides the form as an iframe, with its label, terms and privacy policy.',
      'Accepts cards through that form only; has no card inputs of its own, and no name or action attributes around it.',
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
      'Maintains an inventory with hashes of the scripts inside its iframe; publishes the hash of its SDK.',
      'Authorizes each script of its own page, assures its integrity, and documents why it is needed.',
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
      'Monitors its own documents; provides the page check.',
      'Checks its page and its headers for changes at least once a week.',
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
      'Provides roles, lockout, a second factor and session limits in the dashboard.',
      'Decides who has a login, assigns the least privileged role, blocks users who leave.',
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
      'Stores only a keyed hash; supports rotation with an overlap; rejects the password from a browser.',
      'Stores it on servers only, never in pages, apps or repositories; changes it when it was exposed.',
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
      'Maintains an audit log chained by hashes, and logs without card data.',
      'Reviews its audit log, and writes no card data to its own logs.',
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
      'Acknowledges its responsibilities in writing; provides its compliance status and this table on request.',
      'Maintains the agreement, and reviews the provider’s compliance status at least once a year.',
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
      'Notifies affected merchants and responds to the incident.',
      'Has an incident response plan, notifies the provider at once, changes its password.',
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
      'Shows the text in its form, and stores what was agreed to: the text, the time and the source.',
      'Obtains consent before a card is stored, discloses how card data is processed, removes the card on request.',
    ],
    ru: [
      'Согласие и раскрытие',
      'Показывает текст в форме и хранит, на что согласились: текст, время и источник.',
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
      'Stores its part of the data as local law requires.',
      'Stores its customers’ data as and where local law requires.',
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
