import { languages, type Ending, type HostedWords, type Language } from './words.ts'

export interface View {
  readonly root: HTMLElement
  readonly shop: HTMLElement
  readonly title: HTMLElement
  /** What holds the form. */
  readonly place: HTMLElement
  readonly said: HTMLElement
  readonly again: HTMLButtonElement
  readonly back: HTMLButtonElement
  readonly languages: Readonly<Record<Language, HTMLButtonElement>>
  readonly choice: HTMLElement
}

/** The page around the form; no text in it yet. */
export function makeView(): View {
  const choice = make('nav', 'languages')
  const button = (language: Language): HTMLButtonElement => {
    const made = make('button', 'language')
    made.type = 'button'
    made.lang = language
    made.textContent = names[language]
    choice.append(made)
    return made
  }
  const view = {
    ...{ root: make('main', 'page'), shop: make('p', 'shop'), title: make('h1', 'title') },
    ...{ place: make('div', 'place'), said: make('p', 'said'), again: make('button', 'main'), back: make('button', 'back') },
    languages: Object.fromEntries(languages.map((language) => [language, button(language)])) as Record<Language, HTMLButtonElement>,
    choice,
  }
  view.said.tabIndex = -1
  view.said.setAttribute('role', 'status')
  view.again.type = view.back.type = 'button'
  view.place.hidden = view.again.hidden = view.back.hidden = true
  const card = make('div', 'card')
  card.append(view.shop, view.title, view.place, view.said, view.again, view.back)
  view.root.append(card, choice)
  return view
}

export interface Told {
  readonly merchantName: string
  readonly host: string | null
  readonly ending: Ending | null
  readonly locale: Language
}

export function applyWords(view: View, words: HostedWords, { merchantName, host, ending, locale }: Told): void {
  view.shop.textContent = merchantName
  view.title.textContent = words.title
  view.said.textContent = ending === null ? '' : words.endings[ending](merchantName)
  view.said.hidden = ending === null
  view.again.textContent = words.again
  const toShop = words.backTo(host ?? merchantName)
  view.back.textContent = ending === null ? words.cancel(host ?? merchantName) : toShop
  view.choice.setAttribute('aria-label', words.language)
  for (const language of languages) view.languages[language].setAttribute('aria-pressed', String(language === locale))
}

function make<K extends keyof HTMLElementTagNameMap>(tag: K, name: string): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag)
  made.className = name
  return made
}

const names: Readonly<Record<Language, string>> = { uz: 'Oʻzbekcha', ru: 'Русский', en: 'English' }
