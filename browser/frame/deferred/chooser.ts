import type { ApiCallError } from '../api-call.ts'
import type { FormCore } from '../form-core.ts'
import { fetchSavedCards, type SavedCardOffer, type SavedCardList } from '../saved-cards.ts'

import { createChooserView, drawSign, renderRows } from './chooser-view.ts'
import { askToRemove, chooseSavedCard, noSavedCards, offerSavedCards, withoutSavedCard, type SavedCardChoice } from './saved-card-choice.ts'

/** The saved cards of the session, in the first step: the cardholder picks one, asks to remove one, or adds another with the fields. */
export interface Chooser {
  readonly offer: (cards: readonly SavedCardOffer[]) => void
  /** Shows the list in place of the fields, when there is a card that can be picked. */
  readonly open: () => void
  /** Reports the chosen card to the service, and its id to the page. */
  readonly pick: (signal: AbortSignal) => Promise<void>
  readonly renderTexts: () => void
}

export function createChooser(core: FormCore, showPicked: (number: string) => void): Chooser {
  const { state, settings } = core
  const { root: form, card, number, expiry, consent } = core.view
  const view = createChooserView()
  let choice = noSavedCards

  const list: SavedCardList = {
    get chosen() {
      return choice.chosen
    },
    focus: () => (view.rows.querySelector<HTMLElement>('input:checked') ?? view.add).focus(),
    close: () => show(null),
    reserve: () => {
      if (state.step !== 'card') return
      // The fields and the consent are there, and the list is not, while this is measured.
      form.classList.remove('choosing')
      form.style.minHeight = ''
      consent.row.hidden = state.options.save !== 'ask'
      const { height } = form.getBoundingClientRect()
      consent.row.hidden = true
      form.classList.add('choosing')
      form.style.minHeight = `${height}px`
    },
  }

  function offer(cards: readonly SavedCardOffer[]): void {
    choice = offerSavedCards(cards, choice)
    render()
    view.root.hidden = cards.length === 0
    if (cards.length > 0 && !view.root.isConnected) card.prepend(view.root)
    if (state.step !== 'card') return
    if (state.list !== null && choice.chosen === null) show(null)
    if (state.list === null && state.running === null && number.input.value + expiry.input.value === '') open()
  }

  function open(): void {
    if (choice.chosen !== null) show(list)
  }

  /** Shows the list, or with null the fields. The focus stays with what takes the place of the focused element. */
  function show(next: SavedCardList | null): void {
    const hadFocus = card.contains(document.activeElement)
    state.list = next
    form.classList.toggle('choosing', next !== null)
    if (state.step === 'card') core.placeFooter('card')
    next?.reserve()
    if (hadFocus) core.focusFirst()
    core.postChange()
  }

  function change(next: SavedCardChoice): void {
    choice = next
    render()
    core.postChange()
  }

  function ask(id: string | null): void {
    if (state.running !== null) return
    const asked = choice.removing
    change(askToRemove(choice, id))
    const row = view.rows.children[choice.cards.findIndex((saved) => saved.id === (id ?? asked))]
    row?.querySelector<HTMLElement>('.keep, .remove')?.focus()
  }

  function remove(id: string): void {
    void core.run(async (signal) => {
      await choose(id, 'remove', signal)
      change(withoutSavedCard(choice, id))
      view.status.textContent = state.texts.removed ?? ''
      core.post({ type: 'remove', id })
      view.root.hidden = choice.cards.length === 0
      if (choice.chosen === null) show(null)
      core.focusFirst()
    })
  }

  async function pick(signal: AbortSignal): Promise<void> {
    const picked = choice.cards.find(({ id }) => id === choice.chosen)
    if (picked === undefined) return
    await choose(picked.id, 'pick', signal)
    showPicked(picked.number)
    state.list = null
    core.post({ type: 'pick', id: picked.id })
  }

  async function choose(id: string, action: 'pick' | 'remove', signal: AbortSignal): Promise<void> {
    const { session } = state.options
    try {
      await core.call('form.sessions.choose', { session, id, action, form: settings.form }, signal)
    } catch (err) {
      // The card was removed, or has expired, since the list was made.
      if (session !== undefined && /^card_/.test((err as ApiCallError).reason))
        void fetchSavedCards(core.call, session).then((cards) => offer(cards ?? choice.cards))
      throw err
    }
  }

  function render(): void {
    const choose = (id: string): void => {
      if (state.running === null) choice = chooseSavedCard(choice, id)
      else render()
    }
    renderRows(view, choice, state.texts, { choose, ask, remove })
  }

  function renderTexts(): void {
    const { savedCards = '', addCard = '' } = state.texts
    view.legend.textContent = savedCards
    view.toList.replaceChildren(drawSign(arrowPath), savedCards)
    view.add.replaceChildren(drawSign(plusPath), addCard)
    render()
  }

  view.add.addEventListener('click', () => {
    if (state.running !== null) return
    show(null)
    number.input.focus()
  })
  view.toList.addEventListener('click', () => {
    if (state.running !== null) return
    show(list)
    list.focus()
  })
  return { offer, open, pick, renderTexts }
}

const plusPath = 'M9 3v12M3 9h12'
const arrowPath = 'M11 3 5 9l6 6'
