import type { Language } from '@tessera/contract/profile'

const en = {
  views: 'Views',
  mine: 'My views',
  mineCount: 'My views ({0})',
  save: 'Save view',
  saveTitle: 'Save these filters as a view',
  name: 'Name of the view',
  notSaved: 'Phones, order numbers and customers are not saved. Views are stored in this browser, for you alone.',
  confirm: 'Save',
  rename: 'Rename',
  renameView: 'Rename {0}',
  deleteView: 'Delete {0}',
  delete: 'Delete',
  empty: 'Give the view a name.',
  taken: 'There is a view with this name already.',
  full: '{0} views are saved, which is the most. Delete one to save this one.',
  cannotStore: 'This browser does not store views: it may be a private window.',
  none: { title: 'No views yet', text: 'Set the filters of a list, then choose Save view. The view opens the list with the same filters.' },
}

export type ViewMessages = typeof en

const ru: typeof en = {
  views: 'Подборки',
  mine: 'Мои подборки',
  mineCount: 'Мои подборки ({0})',
  save: 'Сохранить подборку',
  saveTitle: 'Сохранить эти фильтры как подборку',
  name: 'Название подборки',
  notSaved: 'Телефоны, номера заказов и клиенты не сохраняются. Подборки хранятся в этом браузере и видны только вам.',
  confirm: 'Сохранить',
  rename: 'Переименовать',
  renameView: 'Переименовать {0}',
  deleteView: 'Удалить {0}',
  delete: 'Удалить',
  empty: 'Дайте подборке название.',
  taken: 'Подборка с таким названием уже есть.',
  full: 'Сохранено подборок: {0}, больше нельзя. Чтобы сохранить эту, удалите одну из них.',
  cannotStore: 'Этот браузер не сохраняет подборки: возможно, это приватное окно.',
  none: {
    title: 'Подборок пока нет',
    text: 'Задайте фильтры списка и нажмите «Сохранить подборку». Она откроет список с теми же фильтрами.',
  },
}

const uz: typeof en = {
  views: 'Toʻplamlar',
  mine: 'Toʻplamlarim',
  mineCount: 'Toʻplamlarim ({0})',
  save: 'Toʻplamni saqlash',
  saveTitle: 'Bu filtrlarni toʻplam sifatida saqlash',
  name: 'Toʻplam nomi',
  notSaved: 'Telefonlar, buyurtma raqamlari va mijozlar saqlanmaydi. Toʻplamlar shu brauzerda, faqat siz uchun saqlanadi.',
  confirm: 'Saqlash',
  rename: 'Nomini oʻzgartirish',
  renameView: '{0} nomini oʻzgartirish',
  deleteView: '{0} toʻplamini oʻchirish',
  delete: 'Oʻchirish',
  empty: 'Toʻplamga nom bering.',
  taken: 'Bunday nomli toʻplam bor.',
  full: '{0} ta toʻplam saqlangan, bundan koʻp boʻlmaydi. Buni saqlash uchun bittasini oʻchiring.',
  cannotStore: 'Bu brauzer toʻplamlarni saqlamaydi: ehtimol, bu maxfiy oyna.',
  none: {
    title: 'Hozircha toʻplam yoʻq',
    text: 'Roʻyxat filtrlarini tanlang va «Toʻplamni saqlash»ni bosing. U roʻyxatni shu filtrlar bilan ochadi.',
  },
}

/** The texts of saved views, on every list that has filters. */
export const viewMessages: Readonly<Record<Language, ViewMessages>> = { en, ru, uz }
