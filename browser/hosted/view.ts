import type { Language } from '@tessera/contract/profile'

import { formatAmount } from '../bridge/amount.ts'

import { createIcon } from './icons.ts'
import { pageLanguages, type EndReason, type HostedTexts } from './texts.ts'

export interface HostedView {
  readonly root: HTMLElement
  /** Says that no money moves; only in the test environment. */
  readonly ribbon: HTMLElement
  readonly shop: HTMLElement
  readonly title: HTMLElement
  readonly amount: HTMLElement
  readonly order: HTMLElement
  readonly host: HTMLElement
  /** The element that holds the form. */
  readonly formContainer: HTMLElement
  /** The page's own end: a sign, what happened, and what to do. */
  readonly ending: HTMLElement
  readonly endingIcon: HTMLElement
  readonly endingTitle: HTMLElement
  readonly message: HTMLElement
  readonly retry: HTMLButtonElement
  readonly back: HTMLButtonElement
  readonly languages: Readonly<Record<Language, HTMLButtonElement>>
  readonly languageList: HTMLElement
  /** A link to the provider, while there is no form, which has its own. */
  readonly poweredBy: HTMLAnchorElement
}

/** Creates the page around the form, without texts. */
export function createHostedView({ logo, isTest }: { readonly logo: string; readonly isTest: boolean }): HostedView {
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
    root: create('div', 'page'),
    ribbon: create('aside', 'ribbon'),
    shop: create('p', 'shop'),
    title: create('h1', 'title'),
    amount: create('p', 'amount'),
    order: create('p', 'order'),
    host: create('p', 'host'),
    formContainer: create('div', 'form'),
    ending: create('section', 'ending'),
    endingIcon: create('div', 'sign'),
    endingTitle: create('h2'),
    message: create('p', 'message'),
    retry: create('button', 'main'),
    back: create('button', 'back'),
    languages: Object.fromEntries(pageLanguages.map((language) => [language, createLanguageButton(language)])) as Record<
      Language,
      HTMLButtonElement
    >,
    languageList,
    poweredBy: create('a', 'powered'),
  }
  Object.assign(view.poweredBy, { target: '_blank', rel: 'noreferrer' })
  view.ending.tabIndex = -1
  view.ending.setAttribute('role', 'status')
  view.retry.type = view.back.type = 'button'
  view.ribbon.hidden = !isTest
  view.formContainer.hidden = view.ending.hidden = view.retry.hidden = view.back.hidden = true
  view.ending.append(view.endingIcon, view.endingTitle, view.message)
  const summary = group(
    'header',
    'summary',
    group('div', 'who', createMark(logo, view.shop), group('div', 'names', view.shop, view.host)),
    view.title,
    view.amount,
    view.order,
  )
  const panel = group(
    'main',
    'panel',
    view.formContainer,
    view.ending,
    group('div', 'actions', view.retry, view.back),
    languageList,
    view.poweredBy,
  )
  view.root.append(view.ribbon, group('div', 'columns', summary, panel))
  return view
}

/** The merchant's logo, or the first letter of its name, which stands beside it. */
function createMark(logo: string, shop: HTMLElement): HTMLElement {
  const letter = create('span', 'mark letter')
  letter.setAttribute('aria-hidden', 'true')
  const showLetter = (): void => void (letter.textContent = Array.from(shop.textContent)[0]?.toUpperCase() ?? '')
  if (logo === '') {
    queueMicrotask(showLetter)
    return letter
  }
  const image = create('img', 'mark')
  image.alt = ''
  image.addEventListener('error', () => {
    showLetter()
    image.replaceWith(letter)
  })
  image.src = logo
  return image
}

/** What the texts of the page depend on. */
export interface HostedPageState {
  readonly merchantName: string
  readonly providerName: string
  readonly providerUrl: string
  /** The host of the merchant's site; null while it is not known. */
  readonly host: string | null
  readonly amountTiyin: number | null
  readonly order: string | null
  readonly hasSavedCards: boolean
  readonly endReason: EndReason | null
  readonly locale: Language
}

export function renderHostedTexts(view: HostedView, texts: HostedTexts, state: HostedPageState): void {
  const { merchantName, host, amountTiyin, order, endReason, locale } = state
  const isDone = endReason === 'done' || endReason === 'picked'
  const destination = host ?? merchantName
  view.ribbon.textContent = texts.test
  view.shop.textContent = merchantName
  show(view.title, host === null ? '' : titleOf(texts, state))
  // Until the session is known, nobody can say whether this is a payment: what happened is the title then.
  view.endingTitle.setAttribute('aria-level', host === null ? '1' : '2')
  show(view.amount, amountTiyin === null ? '' : formatAmount(amountTiyin, locale))
  show(view.order, order === null ? '' : texts.order(order))
  show(view.host, host ?? '')
  view.ending.hidden = endReason === null
  if (endReason !== null) {
    const { title, text } = texts.endings[endReason]
    view.endingIcon.replaceChildren(createIcon(endReason))
    view.endingTitle.textContent = title
    view.message.textContent = text(isDone ? destination : merchantName)
  }
  view.retry.textContent = texts.retry
  view.back.textContent = endReason === null ? texts.cancel(destination) : texts.backTo(destination)
  view.back.classList.toggle('main', endReason !== null && endReason !== 'offline')
  const { poweredBy } = view
  const poweredByText = `${texts.poweredBy} ${state.providerName}`
  poweredBy.hidden = endReason === null
  poweredBy.textContent = poweredByText
  poweredBy.setAttribute('aria-label', `${poweredByText} (${texts.opens})`)
  poweredBy.href = state.providerUrl.startsWith('/') ? `${state.providerUrl}?locale=${locale}` : state.providerUrl
  view.languageList.setAttribute('aria-label', texts.language)
  for (const language of pageLanguages) view.languages[language].setAttribute('aria-pressed', String(language === locale))
}

/** The title of the document: what happened or what the cardholder does, and the merchant. */
export function documentTitleOf(texts: HostedTexts, state: HostedPageState): string {
  const { host, endReason, merchantName } = state
  const title = host !== null ? titleOf(texts, state) : endReason === null ? null : texts.endings[endReason].title
  return title === null ? merchantName : `${title} · ${merchantName}`
}

/** What the cardholder does on this page. */
function titleOf(texts: HostedTexts, { amountTiyin, hasSavedCards }: Pick<HostedPageState, 'amountTiyin' | 'hasSavedCards'>): string {
  return amountTiyin !== null ? texts.payTitle : hasSavedCards ? texts.chooseTitle : texts.addTitle
}

function show(element: HTMLElement, text: string): void {
  element.textContent = text
  element.hidden = text === ''
}

function group<K extends keyof HTMLElementTagNameMap>(tag: K, className: string, ...children: HTMLElement[]): HTMLElementTagNameMap[K] {
  const element = create(tag, className)
  element.append(...children)
  return element
}

function create<K extends keyof HTMLElementTagNameMap>(tag: K, className = ''): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag)
  element.className = className
  return element
}

const languageNames: Readonly<Record<Language, string>> = { uz: 'Oʻzbekcha', ru: 'Русский', en: 'English' }
