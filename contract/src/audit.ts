import type { RefundReason } from './receipt-status.ts'
import type { Language } from './profile.ts'

type Label = Readonly<Record<Language, string>>

/** Every action of the audit, by its object, with its label in the dashboard. A new action needs a line here and one in the changelog. */
// prettier-ignore
export const auditActions = {
  'card.created':                    { en: 'Card created', ru: 'Карта создана', uz: 'Karta yaratildi' },
  'card.verified':                   { en: 'Card verified', ru: 'Карта подтверждена', uz: 'Karta tasdiqlandi' },
  'card.expired':                    { en: 'Card expired', ru: 'Срок карты истёк', uz: 'Karta muddati oʻtdi' },
  'card.resealed':                   { en: 'Sealed under a newer key', ru: 'Перешифрована новым ключом', uz: 'Yangi kalit bilan shifrlandi' },
  'card.removed':                    { en: 'Card removed', ru: 'Карта удалена', uz: 'Karta oʻchirildi' },
  'card.ended':                      { en: 'Card ended', ru: 'Хранение карты завершено', uz: 'Kartani saqlash tugadi' },
  'code.requested':                  { en: 'SMS code requested', ru: 'Запрошен SMS-код', uz: 'SMS kod soʻraldi' },
  'code.dispatched':                 { en: 'SMS code dispatched', ru: 'Отправка SMS-кода', uz: 'SMS kod yuborish' },
  'code.attempted':                  { en: 'SMS code entered', ru: 'Введён SMS-код', uz: 'SMS kod kiritildi' },
  'receipt.created':                 { en: 'Receipt created', ru: 'Чек создан', uz: 'Chek yaratildi' },
  'receipt.sent':                    { en: 'Receipt sent by SMS', ru: 'Чек отправлен по SMS', uz: 'Chek SMS orqali yuborildi' },
  'receipt.operation_started':       { en: 'Payment started', ru: 'Оплата начата', uz: 'Toʻlov boshlandi' },
  'receipt.merchant_agreed':         { en: 'Your endpoint accepted the payment', ru: 'Ваш сервер принял оплату', uz: 'Serveringiz toʻlovni qabul qildi' },
  'receipt.awaiting_merchant':       { en: 'Your endpoint is being notified', ru: 'Уведомляем ваш сервер', uz: 'Serveringizga xabar berilmoqda' },
  'receipt.paid':                    { en: 'Paid', ru: 'Оплачен', uz: 'Toʻlandi' },
  'receipt.held':                    { en: 'Money held', ru: 'Деньги захолдированы', uz: 'Pulga xold qoʻyildi' },
  'receipt.payment_failed':          { en: 'Payment failed', ru: 'Оплата не прошла', uz: 'Toʻlov oʻtmadi' },
  'receipt.unknown':                 { en: 'Outcome unknown', ru: 'Результат неизвестен', uz: 'Natija nomaʼlum' },
  'receipt.reconcile_attempted':     { en: 'Payment reconciled with the network', ru: 'Сверка с сетью', uz: 'Tarmoq bilan solishtirildi' },
  'receipt.return_pending':          { en: 'Money being returned', ru: 'Деньги возвращаются', uz: 'Pul qaytarilmoqda' },
  'receipt.cancelled':               { en: 'Cancelled', ru: 'Отменён', uz: 'Bekor qilindi' },
  'receipt.merchant_cancel_sent':    { en: 'Your endpoint was notified of the cancellation', ru: 'Ваш сервер уведомлён об отмене', uz: 'Serveringiz bekor qilishdan xabardor qilindi' },
  'receipt.fiscal_data_set':         { en: 'Fiscal data set', ru: 'Переданы фискальные данные', uz: 'Fiskal maʼlumotlar kiritildi' },
  'receipt.flagged':                 { en: 'Flagged for manual review', ru: 'Требует ручной проверки', uz: 'Qoʻlda tekshirish kerak' },
  'receipt.resolved':                { en: 'Unknown outcome resolved by an operator', ru: 'Неизвестный результат разрешён оператором', uz: 'Nomaʼlum natija operator tomonidan hal qilindi' },
  'receipts.reconciled':             { en: 'Daily file of a card network compared', ru: 'Сверен дневной файл платёжной сети', uz: 'Toʻlov tarmogʻining kunlik fayli solishtirildi' },
  'merchant.created':                { en: 'Merchant created', ru: 'Мерчант создан', uz: 'Merchant yaratildi' },
  'merchant.row_signed':             { en: 'Merchant row signed', ru: 'Запись мерчанта подписана', uz: 'Merchant yozuvi imzolandi' },
  'merchant.changed':                { en: 'Settings changed', ru: 'Настройки изменены', uz: 'Sozlamalar oʻzgartirildi' },
  'merchant.blocked':                { en: 'Merchant blocked', ru: 'Мерчант заблокирован', uz: 'Merchant bloklandi' },
  'merchant.unblocked':              { en: 'Merchant unblocked', ru: 'Мерчант разблокирован', uz: 'Merchant blokdan chiqarildi' },
  'merchant.password_rotated':       { en: 'API password issued', ru: 'Выдан пароль API', uz: 'API paroli berildi' },
  'merchant.password_retired':       { en: 'API password retired', ru: 'Пароль API отключён', uz: 'API paroli bekor qilindi' },
  'dashboard.signed_in':             { en: 'Signed in', ru: 'Вход', uz: 'Tizimga kirildi' },
  'dashboard.sign_in_refused':       { en: 'Sign-in rejected', ru: 'Вход отклонён', uz: 'Kirish rad etildi' },
  'dashboard.signed_out':            { en: 'Signed out', ru: 'Выход', uz: 'Tizimdan chiqildi' },
  'dashboard.signed_out_everywhere': { en: 'Signed out everywhere', ru: 'Выход везде', uz: 'Barcha qurilmalardan chiqildi' },
  'dashboard.session_ended':         { en: 'Session ended', ru: 'Сеанс завершён', uz: 'Seans tugatildi' },
  'dashboard_user.created':          { en: 'User created', ru: 'Пользователь создан', uz: 'Foydalanuvchi yaratildi' },
  'dashboard_user.role_changed':     { en: 'Role changed', ru: 'Роль изменена', uz: 'Roli oʻzgartirildi' },
  'dashboard_user.blocked':          { en: 'User blocked', ru: 'Пользователь заблокирован', uz: 'Foydalanuvchi bloklandi' },
  'dashboard_user.unblocked':        { en: 'User unblocked', ru: 'Пользователь разблокирован', uz: 'Foydalanuvchi blokdan chiqarildi' },
  'dashboard_user.renamed':          { en: 'User renamed', ru: 'Пользователь переименован', uz: 'Foydalanuvchi nomi oʻzgartirildi' },
  'dashboard_user.deleted':          { en: 'User deleted', ru: 'Пользователь удалён', uz: 'Foydalanuvchi oʻchirildi' },
  'dashboard_user.password_reset':   { en: 'Password reset', ru: 'Пароль сброшен', uz: 'Parol tiklandi' },
  'dashboard_user.password_changed': { en: 'Password changed', ru: 'Пароль изменён', uz: 'Parol oʻzgartirildi' },
  'dashboard_user.totp_enabled':     { en: 'Second factor turned on', ru: 'Второй фактор включён', uz: 'Ikkinchi omil yoqildi' },
  'dashboard.confirmed':             { en: 'Identity confirmed', ru: 'Личность подтверждена', uz: 'Shaxs tasdiqlandi' },
  'dashboard.confirmation_refused':  { en: 'Confirmation rejected', ru: 'Подтверждение отклонено', uz: 'Tasdiqlash rad etildi' },
  'dashboard_user.passkey_added':    { en: 'Passkey added', ru: 'Добавлен ключ доступа', uz: 'Kirish kaliti qoʻshildi' },
  'dashboard_user.passkey_renamed':  { en: 'Passkey renamed', ru: 'Ключ доступа переименован', uz: 'Kirish kaliti nomi oʻzgartirildi' },
  'dashboard_user.passkey_removed':  { en: 'Passkey removed', ru: 'Ключ доступа удалён', uz: 'Kirish kaliti oʻchirildi' },
  'dashboard_user.recovery_codes_created': { en: 'Recovery codes created', ru: 'Созданы резервные коды', uz: 'Zaxira kodlar yaratildi' },
  'dashboard_user.passkey_ended':    { en: 'Passkey ended', ru: 'Ключ доступа прекращён', uz: 'Kirish kaliti tugatildi' },
  'dashboard_user.recovery_code_ended': { en: 'Recovery code ended', ru: 'Резервный код прекращён', uz: 'Zaxira kod tugatildi' },
  'dashboard_user.recovery_code_used': { en: 'Recovery code used', ru: 'Использован резервный код', uz: 'Zaxira kod ishlatildi' },
  'dashboard_user.totp_disabled':    { en: 'Second factor turned off', ru: 'Второй фактор выключен', uz: 'Ikkinchi omil oʻchirildi' },
  'form_session.created':            { en: 'Form session created', ru: 'Создана сессия формы', uz: 'Forma sessiyasi yaratildi' },
  'form_session.attempted':          { en: 'Form session used for a card', ru: 'Сессия формы использована для карты', uz: 'Forma sessiyasi karta uchun ishlatildi' },
  'form_session.cancelled':          { en: 'Form session cancelled', ru: 'Сессия формы отменена', uz: 'Forma sessiyasi bekor qilindi' },
  'form_session.picked':             { en: 'Saved card picked in the form', ru: 'В форме выбрана сохранённая карта', uz: 'Formada saqlangan karta tanlandi' },
  'form_session.removal_asked':      { en: 'Removal of a saved card requested in the form', ru: 'В форме запрошено удаление сохранённой карты', uz: 'Formada saqlangan kartani oʻchirish soʻraldi' },
  'webhook.added':                   { en: 'Webhook added', ru: 'Вебхук добавлен', uz: 'Vebxuk qoʻshildi' },
  'webhook.changed':                 { en: 'Webhook changed', ru: 'Вебхук изменён', uz: 'Vebxuk oʻzgartirildi' },
  'webhook.removed':                 { en: 'Webhook removed', ru: 'Вебхук удалён', uz: 'Vebxuk oʻchirildi' },
  'webhook.secret_rotated':          { en: 'Webhook secret rotated', ru: 'Секрет вебхука сменён', uz: 'Vebxuk maxfiy kaliti almashtirildi' },
  'webhook.tested':                  { en: 'Webhook tested', ru: 'Вебхук проверен', uz: 'Vebxuk sinab koʻrildi' },
  'event.replayed':                  { en: 'Event replayed', ru: 'Событие отправлено ещё раз', uz: 'Hodisa qayta yuborildi' },
  'webhook.failed_replayed':         { en: 'Failed events sent again', ru: 'Недоставленные события отправлены ещё раз', uz: 'Yetkazilmagan hodisalar qayta yuborildi' },
  'page.checked':                    { en: 'Page checked', ru: 'Страница проверена', uz: 'Sahifa tekshirildi' },
  'script.authorized':               { en: 'Script authorized', ru: 'Скрипт разрешён', uz: 'Skript tasdiqlandi' },
  'script.refused':                  { en: 'Script not allowed', ru: 'Скрипт запрещён', uz: 'Skript taqiqlandi' },
  'key.rotated':                     { en: 'Key rotated', ru: 'Ключ сменён', uz: 'Kalit almashtirildi' },
  'key.resealed':                    { en: 'Cards of a key resealed', ru: 'Карты ключа перешифрованы', uz: 'Kalit kartalari qayta shifrlandi' },
  'key.rewrapped':                   { en: 'Keys wrapped by another KEK', ru: 'Ключи перешифрованы другим KEK', uz: 'Kalitlar boshqa KEK bilan oʻraldi' },
  'key.verified':                    { en: 'Key store verified', ru: 'Хранилище ключей проверено', uz: 'Kalitlar ombori tekshirildi' },
  'key.destroyed':                   { en: 'Key destroyed', ru: 'Ключ уничтожен', uz: 'Kalit yoʻq qilindi' },
  'sms.looked_up':                   { en: 'SMS to a phone looked up', ru: 'Просмотрены SMS на номер', uz: 'Raqamga SMSlar koʻrildi' },
  'sms.tested':                      { en: 'Test SMS sent', ru: 'Отправлено пробное SMS', uz: 'Sinov SMS yuborildi' },
  'shares.created':                  { en: 'Custodian shares of a KEK created', ru: 'Созданы доли KEK для хранителей', uz: 'KEK ulushlari saqlovchilar uchun yaratildi' },
  'share.taken':                     { en: 'Share taken by a custodian', ru: 'Хранитель получил долю', uz: 'Saqlovchi ulushini oldi' },
  'share.entered':                   { en: 'Share entered by a custodian', ru: 'Хранитель ввёл долю', uz: 'Saqlovchi ulushini kiritdi' },
  'kek.handed_over':                 { en: 'KEK handed over to a node', ru: 'KEK передан узлу', uz: 'KEK tugunga berildi' },
  'node.enrolled':                   { en: 'Node enrolled by custodians', ru: 'Узел зарегистрирован хранителями', uz: 'Tugun saqlovchilar tomonidan roʻyxatga olindi' },
  'node.revoked':                    { en: 'Node revoked', ru: 'Узел отозван', uz: 'Tugun bekor qilindi' },
  'kek.opened':                      { en: 'KEK opened by its custodians', ru: 'KEK открыт хранителями', uz: 'KEK saqlovchilar tomonidan ochildi' },
  'rows.signed':                     { en: 'Rows of an older version signed', ru: 'Записи прежней версии подписаны', uz: 'Avvalgi versiya yozuvlari imzolandi' },
  'database.backed_up':              { en: 'Database backed up', ru: 'Создана резервная копия базы данных', uz: 'Maʼlumotlar bazasi zaxiralandi' },
  'keys.backed_up':                  { en: 'Key store backed up', ru: 'Создана резервная копия хранилища ключей', uz: 'Kalitlar ombori zaxiralandi' },
  'clock.refused':                   { en: 'Clock refused: nothing ends by time', ru: 'Часы не приняты: сроки не истекают', uz: 'Soat qabul qilinmadi: muddatlar tugamaydi' },
  'clock.confirmed':                 { en: 'Clock confirmed', ru: 'Часы подтверждены', uz: 'Soat tasdiqlandi' },
  'database.restored':               { en: 'Restored database accepted', ru: 'Принята восстановленная база данных', uz: 'Tiklangan maʼlumotlar bazasi qabul qilindi' },
  'database.primary_chosen':         { en: 'Database primary chosen', ru: 'Выбран основной сервер базы данных', uz: 'Maʼlumotlar bazasining asosiy serveri tanlandi' },
  'audit.chain_keyed':               { en: 'Audit chains keyed from here on', ru: 'Цепочки аудита отсюда защищены ключом', uz: 'Audit zanjirlari shu yerdan kalit bilan himoyalangan' },
  'audit.fault_found':               { en: 'Audit entries missing or changed', ru: 'Записи аудита отсутствуют или изменены', uz: 'Audit yozuvlari yoʻq yoki oʻzgartirilgan' },
  'row.refused':                     { en: 'Stored row refused: changed outside the service', ru: 'Запись отклонена: изменена в обход сервиса', uz: 'Yozuv rad etildi: xizmatdan tashqarida oʻzgartirilgan' },
  'sandbox.changed':                 { en: 'Sandbox control set', ru: 'Настройка песочницы изменена', uz: 'Sinov muhiti sozlamasi oʻzgartirildi' },
  'sandbox.limits_changed':          { en: 'Rate limits simulated', ru: 'Лимиты песочницы изменены', uz: 'Sinov muhiti limitlari oʻzgartirildi' },
  'sandbox.clock_moved':             { en: 'Clock moved', ru: 'Время сдвинуто', uz: 'Vaqt surildi' },
  'sandbox.restored':                { en: 'Sandbox controls reset', ru: 'Настройки песочницы сброшены', uz: 'Sinov muhiti sozlamalari tiklandi' },
  'sandbox.reset':                   { en: 'Sandbox emptied', ru: 'Песочница очищена', uz: 'Sinov muhiti tozalandi' },
} as const satisfies Readonly<Record<string, Label>>

export type AuditAction = keyof typeof auditActions

/**
 * The outcomes of audit entries, with their labels in the dashboard. Besides these an outcome may be a session id, the names of changed settings, a
 * scenario of the sandbox with its step, `ahead <ms> ms`, `http_<status>` or `error_<code>`.
 */
// prettier-ignore
export const auditOutcomes = {
  done:                  { en: 'done', ru: 'выполнено', uz: 'bajarildi' },
  requested:             { en: 'requested', ru: 'запрошено', uz: 'soʻraldi' },
  stored:                { en: 'stored', ru: 'сохранено', uz: 'saqlandi' },
  refused:               { en: 'refused', ru: 'отклонено', uz: 'rad etildi' },
  unknown:               { en: 'outcome unknown', ru: 'результат неизвестен', uz: 'natija nomaʼlum' },
  created:               { en: 'created', ru: 'создано', uz: 'yaratildi' },
  cancelled:             { en: 'cancelled', ru: 'отменено', uz: 'bekor qilindi' },
  nothing:               { en: 'no change', ru: 'без изменений', uz: 'oʻzgarish yoʻq' },
  // Cards and codes.
  saved:                 { en: 'saved card', ru: 'с сохранением', uz: 'saqlanadigan karta' },
  one_time:              { en: 'one-time card', ru: 'одноразовая', uz: 'bir martalik karta' },
  removed:               { en: 'removed', ru: 'удалена', uz: 'oʻchirildi' },
  reset:                 { en: 'removed with the test data', ru: 'удалена с тестовыми данными', uz: 'sinov maʼlumotlari bilan oʻchirildi' },
  resealed:              { en: 'sealed under a newer key', ru: 'перешифрована новым ключом', uz: 'yangi kalit bilan shifrlandi' },
  shredded:              { en: 'card number destroyed', ru: 'номер карты уничтожен', uz: 'karta raqami yoʻq qilindi' },
  tampered:              { en: 'changed outside the service', ru: 'изменено в обход сервиса', uz: 'xizmatdan tashqarida oʻzgartirilgan' },
  sent:                  { en: 'sent', ru: 'отправлено', uz: 'yuborildi' },
  sms_not_sent:          { en: 'rejected by the SMS gateway', ru: 'отклонено SMS-шлюзом', uz: 'SMS shlyuz rad etdi' },
  send_limit_phone:      { en: 'SMS limit of this phone reached', ru: 'превышен лимит SMS на номер', uz: 'telefon uchun SMS cheklovi tugadi' },
  send_refused:          { en: 'SMS stopped by a limit', ru: 'SMS остановлено лимитом', uz: 'SMS cheklov bilan toʻxtatildi' },
  correct_code:          { en: 'correct code', ru: 'верный код', uz: 'kod toʻgʻri' },
  wrong_code:            { en: 'wrong code', ru: 'неверный код', uz: 'kod notoʻgʻri' },
  code_expired:          { en: 'code expired', ru: 'код истёк', uz: 'kod muddati oʻtgan' },
  tries_used_up:         { en: 'no attempts left', ru: 'попыток не осталось', uz: 'urinishlar tugadi' },
  code_not_requested:    { en: 'no code was requested', ru: 'код не запрашивался', uz: 'kod soʻralmagan' },
  sms_not_connected:     { en: 'SMS notification not connected', ru: 'SMS-информирование не подключено', uz: 'SMS xabarnoma ulanmagan' },
  card_expired:          { en: 'card expired', ru: 'срок карты истёк', uz: 'karta muddati oʻtgan' },
  holder_mismatch:       { en: "phone not confirmed as the cardholder's", ru: 'телефон не подтверждён как принадлежащий владельцу', uz: 'telefon karta egasiniki ekani tasdiqlanmadi' },
  verification_stopped:  { en: 'stopped after wrong codes', ru: 'остановлено после неверных кодов', uz: 'notoʻgʻri kodlardan keyin toʻxtatildi' },
  card_blocked:          { en: 'card blocked', ru: 'карта заблокирована', uz: 'karta bloklangan' },
  system_error:          { en: 'error at the card network', ru: 'ошибка платёжной сети', uz: 'toʻlov tarmogʻida xato' },
  network_timeout:       { en: 'no reply from the card network in time', ru: 'платёжная сеть не ответила вовремя', uz: 'toʻlov tarmogʻi vaqtida javob bermadi' },
  network_unavailable:   { en: 'the card network does not respond and was not called', ru: 'платёжная сеть не отвечает и не запрашивалась', uz: 'toʻlov tarmogʻi javob bermayapti, soʻrov yuborilmadi' },
  gateway_unavailable:   { en: 'the SMS gateway does not respond and was not called', ru: 'SMS-шлюз не отвечает и не запрашивался', uz: 'SMS shlyuz javob bermayapti, soʻrov yuborilmadi' },
  // Receipts.
  debit:                 { en: 'direct payment', ru: 'оплата сразу', uz: 'darhol toʻlov' },
  hold:                  { en: 'hold', ru: 'холд', uz: 'xold' },
  authorize:             { en: 'authorization', ru: 'авторизация', uz: 'avtorizatsiya' },
  capture:               { en: 'capture', ru: 'подтверждение списания', uz: 'yechishni tasdiqlash' },
  captured:              { en: 'captured', ru: 'холд списан', uz: 'xold yechildi' },
  refund:                { en: 'refund', ru: 'возврат', uz: 'pulni qaytarish' },
  cancel_hold:           { en: 'hold released', ru: 'отмена холда', uz: 'xoldni bekor qilish' },
  reverse:               { en: 'reversal', ru: 'отмена операции', uz: 'amalni bekor qilish' },
  reversed:              { en: 'reversed', ru: 'авторизация отменена', uz: 'avtorizatsiya bekor qilindi' },
  approved:              { en: 'approved', ru: 'одобрено', uz: 'maʼqullandi' },
  declined:              { en: 'declined', ru: 'отклонено', uz: 'rad etildi' },
  insufficient_funds:    { en: 'insufficient funds', ru: 'недостаточно средств', uz: 'mablagʻ yetarli emas' },
  card_limit:            { en: 'card limit exceeded', ru: 'превышен лимит карты', uz: 'karta limiti oshdi' },
  debit_failed:          { en: 'debit failed', ru: 'списание не удалось', uz: 'pul yechilmadi' },
  card_gone:             { en: 'one-time card already used', ru: 'одноразовая карта уже использована', uz: 'bir martalik karta ishlatilgan' },
  paid:                  { en: 'debited, by the statement of the network', ru: 'списано по выписке сети', uz: 'tarmoq koʻchirmasiga koʻra yechilgan' },
  not_paid:              { en: 'not debited, by the statement of the network', ru: 'не списано по выписке сети', uz: 'tarmoq koʻchirmasiga koʻra yechilmagan' },
  unpaid:                { en: 'before payment', ru: 'до оплаты', uz: 'toʻlovdan oldin' },
  expired:               { en: 'expired', ru: 'срок истёк', uz: 'muddati oʻtdi' },
  hold_expired:          { en: 'hold expired', ru: 'срок холда истёк', uz: 'xold muddati oʻtdi' },
  repeated:              { en: 'requested again', ru: 'запрошено повторно', uz: 'qayta soʻraldi' },
  leased:                { en: 'in progress', ru: 'выполняется', uz: 'bajarilmoqda' },
  reply_lost:            { en: 'reply lost in a restart', ru: 'ответ потерян при перезапуске', uz: 'javob qayta ishga tushishda yoʻqoldi' },
  never_seen:            { en: 'not seen by the card network', ru: 'сеть не получила запрос', uz: 'tarmoq soʻrovni olmagan' },
  no_inquiry:            { en: 'the card network has no status inquiry', ru: 'сеть не поддерживает запрос статуса', uz: 'tarmoq holat soʻrovini qoʻllab-quvvatlamaydi' },
  still_unknown:         { en: 'still unknown', ru: 'всё ещё неизвестно', uz: 'hali ham nomaʼlum' },
  flagged:               { en: 'flagged for manual review', ru: 'передано на ручную проверку', uz: 'qoʻlda tekshirishga berildi' },
  rescheduled:           { en: 'due again, after the clock was corrected', ru: 'снова в очереди после исправления часов', uz: 'soat tuzatilgach yana navbatda' },
  // The merchant's endpoint and webhooks.
  agreed:                { en: 'accepted by your endpoint', ru: 'принято вашим сервером', uz: 'serveringiz qabul qildi' },
  performed:             { en: 'confirmed by your endpoint', ru: 'подтверждено вашим сервером', uz: 'serveringiz tasdiqladi' },
  merchant_refused:      { en: 'refused by your endpoint', ru: 'отклонено вашим сервером', uz: 'serveringiz rad etdi' },
  merchant_no_answer:    { en: 'no reply from your endpoint', ru: 'ваш сервер не ответил', uz: 'serveringiz javob bermadi' },
  given_up:              { en: 'abandoned after a restart, without a reply from your endpoint', ru: 'проверка прервана перезапуском, ответа вашего сервера нет', uz: 'qayta ishga tushishda uzilgan, serveringizdan javob yoʻq' },
  not_called:            { en: 'your endpoint does not respond and was not called', ru: 'ваш сервер не отвечает и не вызывался', uz: 'serveringiz javob bermayapti, chaqirilmadi' },
  delivered:             { en: 'delivered', ru: 'доставлено', uz: 'yetkazildi' },
  late:                  { en: 'no reply in time', ru: 'нет ответа вовремя', uz: 'vaqtida javob yoʻq' },
  unreachable:           { en: 'not reachable', ru: 'недоступен', uz: 'ulanib boʻlmadi' },
  forbidden_address:     { en: 'address not allowed', ru: 'адрес запрещён', uz: 'manzil taqiqlangan' },
  forbidden_url:         { en: 'URL not allowed', ru: 'URL запрещён', uz: 'URL taqiqlangan' },
  not_signed:            { en: 'could not be signed', ru: 'не удалось подписать', uz: 'imzolab boʻlmadi' },
  endpoint_removed:      { en: 'endpoint removed', ru: 'адрес удалён', uz: 'manzil oʻchirilgan' },
  endpoint_disabled:     { en: 'endpoint disabled', ru: 'адрес отключён', uz: 'manzil oʻchirib qoʻyilgan' },
  stopped:               { en: 'interrupted by a restart', ru: 'прервано перезапуском', uz: 'qayta ishga tushish uzib qoʻydi' },
  broken:                { en: 'the call failed', ru: 'вызов не удался', uz: 'chaqiruv amalga oshmadi' },
  too_long:              { en: 'reply too long', ru: 'слишком длинный ответ', uz: 'javob juda uzun' },
  not_a_reply:           { en: 'reply not understood', ru: 'ответ не распознан', uz: 'javobni tanib boʻlmadi' },
  unexpected_result:     { en: 'unexpected reply', ru: 'неожиданный ответ', uz: 'kutilmagan javob' },
  // Faults of the audit itself.
  edited:                { en: 'an entry was changed', ru: 'запись изменена', uz: 'yozuv oʻzgartirilgan' },
  gap:                   { en: 'entries are missing', ru: 'записи отсутствуют', uz: 'yozuvlar yoʻq' },
  cut:                   { en: 'entries at the end are missing', ru: 'записи в конце отсутствуют', uz: 'oxiridagi yozuvlar yoʻq' },
  rewritten:             { en: 'the chain was rewritten', ru: 'цепочка переписана', uz: 'zanjir qayta yozilgan' },
  unkeyed:               { en: 'an entry without a key', ru: 'запись без ключа', uz: 'kalitsiz yozuv' },
  unknown_key:           { en: 'an entry under an unknown key', ru: 'запись под неизвестным ключом', uz: 'nomaʼlum kalit ostidagi yozuv' },
  // The clock.
  jumped:                { en: 'the clock jumped', ru: 'часы перескочили', uz: 'soat sakrab ketdi' },
  behind:                { en: 'the clock stands behind the audit', ru: 'часы отстают от аудита', uz: 'soat auditdan orqada' },
  // Users, pages and the sandbox.
  owner:                 { en: 'owner', ru: 'владелец', uz: 'egasi' },
  developer:             { en: 'developer', ru: 'разработчик', uz: 'dasturchi' },
  support:               { en: 'support', ru: 'поддержка', uz: 'qoʻllab-quvvatlash' },
  read:                  { en: 'read only', ru: 'только чтение', uz: 'faqat oʻqish' },
  issued:                { en: 'new password issued', ru: 'выдан новый пароль', uz: 'yangi parol berildi' },
  all:                   { en: 'all sessions', ru: 'все сессии', uz: 'barcha sessiyalar' },
  locked:                { en: 'too many attempts', ru: 'слишком много попыток', uz: 'urinishlar juda koʻp' },
  phone_unknown:         { en: 'no login with this phone', ru: 'нет входа с этим телефоном', uz: 'bunday telefonli kirish yoʻq' },
  password:              { en: 'wrong password', ru: 'неверный пароль', uz: 'parol notoʻgʻri' },
  blocked:               { en: 'user blocked', ru: 'пользователь заблокирован', uz: 'foydalanuvchi bloklangan' },
  code:                  { en: 'wrong code of the second factor', ru: 'неверный код второго фактора', uz: 'ikkinchi omil kodi notoʻgʻri' },
  passkey:               { en: 'passkey not accepted', ru: 'ключ доступа не принят', uz: 'kirish kaliti qabul qilinmadi' },
  by_password:           { en: 'by the password', ru: 'паролем', uz: 'parol bilan' },
  by_totp:               { en: 'by a code of the authenticator', ru: 'кодом из приложения', uz: 'ilova kodi bilan' },
  by_recovery_code:      { en: 'by a recovery code', ru: 'резервным кодом', uz: 'zaxira kod bilan' },
  by_passkey:            { en: 'by a passkey', ru: 'ключом доступа', uz: 'kirish kaliti bilan' },
  by_synced_passkey:     { en: 'by a synced passkey', ru: 'синхронизируемым ключом доступа', uz: 'sinxronlanadigan kirish kaliti bilan' },
  clean:                 { en: 'no violations', ru: 'нарушений нет', uz: 'buzilish yoʻq' },
  violations_found:      { en: 'violations found', ru: 'найдены нарушения', uz: 'buzilishlar topildi' },
  ask:                   { en: 'the cardholder may save the card', ru: 'держатель может сохранить карту', uz: 'karta egasi kartani saqlashi mumkin' },
  on:                    { en: 'on', ru: 'включено', uz: 'yoqilgan' },
  off:                   { en: 'off', ru: 'выключено', uz: 'oʻchirilgan' },
  partial:               { en: 'in part; run it again', ru: 'частично; повторите', uz: 'qisman; takrorlang' },
  // The settings of a merchant that changed.
  state:                 { en: 'state', ru: 'состояние', uz: 'holat' },
  name:                  { en: 'name', ru: 'название', uz: 'nomi' },
  organization:          { en: 'organization', ru: 'организация', uz: 'tashkilot' },
  address:               { en: 'address', ru: 'адрес', uz: 'manzil' },
  credentials:           { en: 'API passwords', ru: 'пароли API', uz: 'API parollari' },
  origins:               { en: 'page origins', ru: 'адреса страниц', uz: 'sahifa manzillari' },
  account_fields:        { en: 'account fields', ru: 'поля счёта', uz: 'hisob maydonlari' },
  min_amount:            { en: 'smallest amount', ru: 'наименьшая сумма', uz: 'eng kichik summa' },
  max_amount:            { en: 'largest amount', ru: 'наибольшая сумма', uz: 'eng katta summa' },
  limits:                { en: 'limits', ru: 'лимиты', uz: 'cheklovlar' },
  strict_server_auth:    { en: 'password required from servers', ru: 'пароль обязателен для серверов', uz: 'serverlar uchun parol majburiy' },
  require_form_sessions: { en: 'form sessions required', ru: 'сессии формы обязательны', uz: 'forma sessiyalari majburiy' },
  refund_unconfirmed_max: { en: 'refunds without confirmation', ru: 'возвраты без подтверждения', uz: 'tasdiqsiz qaytarish' },
  require_second_factor: { en: 'second factor required', ru: 'второй фактор обязателен', uz: 'ikkinchi omil majburiy' },
  endpoint:              { en: 'endpoint', ru: 'сервер мерчанта', uz: 'merchant serveri' },
  brand_color:           { en: 'color of the hosted page', ru: 'цвет платёжной страницы', uz: 'toʻlov sahifasi rangi' },
  logo:                  { en: 'logo', ru: 'логотип', uz: 'logotip' },
  business_id:           { en: 'business id', ru: 'бизнес-идентификатор', uz: 'biznes identifikatori' },
  epos:                  { en: 'EPOS ids', ru: 'идентификаторы EPOS', uz: 'EPOS identifikatorlari' },
} as const satisfies Readonly<Record<string, Label>>

export type AuditOutcome = keyof typeof auditOutcomes

/** What an entry says that was changed, besides the settings of a merchant, whose names are outcomes. */
// prettier-ignore
export const auditChangeNames = {
  role:              { en: 'role', ru: 'роль', uz: 'rol' },
  second_factor:     { en: 'second factor', ru: 'второй фактор', uz: 'ikkinchi omil' },
  event_types:       { en: 'event types', ru: 'типы событий', uz: 'hodisa turlari' },
  webhook_state:     { en: 'state', ru: 'состояние', uz: 'holati' },
  url:               { en: 'webhook URL', ru: 'адрес вебхука', uz: 'vebxuk manzili' },
  endpoint_password: { en: 'password of the endpoint', ru: 'пароль сервера мерчанта', uz: 'merchant serveri paroli' },
  reason:            { en: 'reason', ru: 'причина', uz: 'sabab' },
  note:              { en: 'note', ru: 'комментарий', uz: 'izoh' },
} as const satisfies Readonly<Record<string, Label>>

export type AuditChangeName = keyof typeof auditChangeNames

/** Why a user refunded, voided or cancelled: values of the change `reason`. */
// prettier-ignore
export const auditReasons = {
  requested_by_customer: { en: 'the customer asked for it', ru: 'по просьбе клиента', uz: 'mijoz soʻradi' },
  duplicate:             { en: 'paid twice', ru: 'двойная оплата', uz: 'ikki marta toʻlangan' },
  not_delivered:         { en: 'not delivered', ru: 'товар или услуга не предоставлены', uz: 'tovar yoki xizmat berilmadi' },
  wrong_amount:          { en: 'wrong amount', ru: 'неверная сумма', uz: 'summa notoʻgʻri' },
  fraud:                 { en: 'suspected fraud', ru: 'подозрение на мошенничество', uz: 'firibgarlik gumoni' },
  other:                 { en: 'another reason', ru: 'другая причина', uz: 'boshqa sabab' },
} as const satisfies Readonly<Record<RefundReason, Label>>

/**
 * Actions under their names of the first version. Stored entries are never rewritten, since the action is part of each entry's hash; readers
 * show and count them under the present name.
 */
// prettier-ignore
const formerActions: Readonly<Record<string, AuditAction>> = {
  'code.asked':               'code.requested',
  'code.settled':             'code.dispatched',
  'code.tried':               'code.attempted',
  'receipt.asked':            'receipt.operation_started',
  'receipt.cleared':          'receipt.merchant_agreed',
  'receipt.closing':          'receipt.awaiting_merchant',
  'receipt.refused':          'receipt.payment_failed',
  'receipt.looked':           'receipt.reconcile_attempted',
  'receipt.returning':        'receipt.return_pending',
  'receipt.withdrawn':        'receipt.merchant_cancel_sent',
  'receipt.fiscal':           'receipt.fiscal_data_set',
  'receipt.set_aside':        'receipt.flagged',
  'merchant.sealed':          'merchant.row_signed',
  'dashboard_user.role_set':  'dashboard_user.role_changed',
  'dashboard_user.totp_on':   'dashboard_user.totp_enabled',
  'dashboard_user.totp_off':  'dashboard_user.totp_disabled',
  'script.authorised':        'script.authorized',
  'key.rotate':               'key.rotated',
  'key.destroy':              'key.destroyed',
  'sandbox.limits':           'sandbox.limits_changed',
  'sandbox.clock':            'sandbox.clock_moved',
}

/**
 * Outcomes under their names of the first version, by the present name of the action. Stored entries are never rewritten, since the outcome is part of
 * each entry's hash; readers show them under the present name.
 */
// prettier-ignore
const formerOutcomes: Readonly<Record<string, AuditOutcome>> = {
  'card.created save':                   'saved',
  'card.created once':                   'one_time',
  'card.verified right_code':            'correct_code',
  'card.expired kept':                   'stored',
  'code.requested asked':                'requested',
  'receipt.sent asked':                  'requested',
  'receipt.operation_started authorise': 'authorize',
  'receipt.paid closed':                 'performed',
  'receipt.unknown lost':                'reply_lost',
  'receipt.unknown waiting':             'still_unknown',
  'receipt.return_pending lapsed':       'hold_expired',
  'receipt.return_pending again':        'repeated',
  'receipt.fiscal_data_set kept':        'stored',
  'page.checked broken':                 'violations_found',
  'key.rotated asked':                   'requested',
  'key.destroyed asked':                 'requested',
  'sandbox.reset asked':                 'requested',
  'sandbox.reset partly':                'partial',
}

/** The present name of a stored action; an unknown one as it is. */
export function currentAuditAction(stored: string): string {
  return presentName(formerActions, stored, stored)
}

/** The present name of a stored outcome; an unknown one as it is. `action` is the present name of the entry's action. */
export function currentAuditOutcome(action: string, stored: string): string {
  return presentName(formerOutcomes, `${action} ${stored}`, stored)
}

function presentName(formerNames: Readonly<Record<string, string>>, key: string, stored: string): string {
  return Object.hasOwn(formerNames, key) ? (formerNames[key] ?? stored) : stored
}
