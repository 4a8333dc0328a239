import type { Language } from '@tessera/contract/profile'

// Loaded with the first export, one file per language. {0} and {1} are placeholders for `formatMessage`.
const en = {
  label: 'Exports',
  rows: '{0} rows',
  rowsOf: '{0} rows, of at most {1}',
  beginning: 'Beginning…',
  waiting: 'The service does not respond. It is asked again, and the file goes on where it was.',
  keepOpen: 'You can go on working in the dashboard. The file is made in this tab: closing or reloading it ends the export.',
  done: 'Rows in the file: {0}',
  saved: 'saved',
  missing: '{0} changes of the last moments may be missing: export again in a minute.',
  stopped: 'Stopped. There is no file.',
  failed: 'The export failed. Begin it again.',
  signedOut: 'Your session ended before the file was complete. Sign in and begin it again.',
  interrupted: 'This page was loaded again before the file was complete. Begin the export again.',
  stop: 'Stop',
  download: 'Download',
  dismiss: 'Remove from the list',
}

export type ExportMessages = typeof en

const ru: ExportMessages = {
  label: 'Выгрузки',
  rows: 'Строк: {0}',
  rowsOf: 'Строк: {0}, всего не больше {1}',
  beginning: 'Начинаем…',
  waiting: 'Сервис не отвечает. Запрос повторяется, файл продолжится с того же места.',
  keepOpen: 'Можно продолжать работу в кабинете. Файл создаётся в этой вкладке: если её закрыть или обновить, выгрузка прервётся.',
  done: 'Строк в файле: {0}',
  saved: 'сохранён',
  missing: 'Могут отсутствовать изменения последних мгновений ({0}): выгрузите ещё раз через минуту.',
  stopped: 'Остановлено. Файла нет.',
  failed: 'Выгрузка не удалась. Начните её заново.',
  signedOut: 'Сеанс завершился раньше, чем файл был готов. Войдите и начните заново.',
  interrupted: 'Страница была обновлена раньше, чем файл был готов. Начните выгрузку заново.',
  stop: 'Остановить',
  download: 'Скачать',
  dismiss: 'Убрать из списка',
}

const uz: ExportMessages = {
  label: 'Eksportlar',
  rows: 'Qatorlar: {0}',
  rowsOf: 'Qatorlar: {0}, koʻpi bilan {1}',
  beginning: 'Boshlanmoqda…',
  waiting: 'Xizmat javob bermayapti. Soʻrov takrorlanadi, fayl toʻxtagan joyidan davom etadi.',
  keepOpen: 'Kabinetda ishlashni davom ettirish mumkin. Fayl shu varaqda tayyorlanadi: uni yopish yoki yangilash eksportni toʻxtatadi.',
  done: 'Fayldagi qatorlar: {0}',
  saved: 'saqlandi',
  missing: 'Oxirgi lahzalardagi oʻzgarishlar ({0}) boʻlmasligi mumkin: bir daqiqadan keyin qayta eksport qiling.',
  stopped: 'Toʻxtatildi. Fayl yoʻq.',
  failed: 'Eksport bajarilmadi. Uni qaytadan boshlang.',
  signedOut: 'Fayl tayyor boʻlguncha seans tugadi. Kiring va qaytadan boshlang.',
  interrupted: 'Fayl tayyor boʻlguncha sahifa yangilandi. Eksportni qaytadan boshlang.',
  stop: 'Toʻxtatish',
  download: 'Yuklab olish',
  dismiss: 'Roʻyxatdan olib tashlash',
}

/** The texts of the panel of exports. */
export const exportMessages: Readonly<Record<Language, ExportMessages>> = { en, ru, uz }
