import type { Language } from '@tessera/contract/profile'

import { pageLanguages, type EndReason, type HostedTexts } from './texts.ts'

export interface HostedView {
  readonly root: HTMLElement
  readonly shop: HTMLElement
  readonly title: HTMLElement
  /** The element that holds the form. */
  readonly formContainer: HTMLElement
  readonly message: HTMLElement
  readonly retry: HTMLButtonElement
  readonly back: HTMLButtonElement
  readonly languages: Readonly<Record<Language, HTMLButtonElement>>
  readonly languageList: HTMLElement
}

/** Creates the page around the form, without texts. */
export function createHostedView(): HostedView {
  const languageList = create('nav', 'languages')
  const createLanguageButton = (language: Language): HTMLButtonElement => {
    const button = create('button', 'language')
    button.type = 'button'
    button.lang = language
    button.textContent = languageNames[language]
    languageList.append(button)
    return button
  }
  const view = {
    root: create('main', 'page'),
    shop: create('p', 'shop'),
    title: create('h1', 'title'),
    formContainer: create('div', 'form'),
    message: create('p', 'message'),
    retry: create('button', 'main'),
    back: create('button', 'back'),
    languages: Object.fromEntries(pageLanguages.map((language) => [language, createLanguageButton(language)])) as Record<
      Language,
      HTMLButtonElement
    >,
    languageList,
  }
  view.message.tabIndex = -1
  view.message.setAttribute('role', 'status')
  view.retry.type = view.back.type = 'button'
  view.formContainer.hidden = view.retry.hidden = view.back.hidden = true
  const card = create('div', 'card')
  card.append(view.shop, view.title, view.formContainer, view.message, view.retry, view.back)
  view.root.append(card, languageList)
  return view
}

/** What the texts of the page depend on. */
export interface HostedPageState {
  readonly merchantName: string
  /** The host of the merchant's site; null while it is not known. */
  readonly host: string | null
  readonly endReason: EndReason | null
  readonly locale: Language
}

export function renderHostedTexts(view: HostedView, texts: HostedTexts, { merchantName, host, endReason, locale }: HostedPageState): void {
  const destination = host ?? merchantName
  view.shop.textContent = merchantName
  view.title.textContent = texts.title
  view.message.textContent = endReason === null ? '' : texts.endings[endReason](merchantName)
  view.message.hidden = endReason === null
  view.retry.textContent = texts.retry
  view.back.textContent = endReason === null ? texts.cancel(destination) : texts.backTo(destination)
  view.languageList.setAttribute('aria-label', texts.language)
  for (const language of pageLanguages) view.languages[language].setAttribute('aria-pressed', String(language === locale))
}

function create<K extends keyof HTMLElementTagNameMap>(tag: K, className: string): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag)
  element.className = className
  return element
}

const languageNames: Readonly<Record<Language, string>> = { uz: 'Oʻzbekcha', ru: 'Русский', en: 'English' }
