import { makeFinding, type Finding, type Place } from './finding.ts'
import type { RuleId } from './rules.ts'
import { holdsPassword } from './secrets.ts'
import { callsCards, isCardInput, isConsentBox, isDoor, isSadInput, isScript, showElement, type Marked } from './words.ts'

/** An element of a page, from its source or from the browser. */
export interface PageElement extends Marked {
  readonly place: Place
  /** Of a script what it says; of a box its label. */
  readonly text: string
  readonly checked: boolean
  /** The forms that it stands in or belongs to, itself if it is one. */
  readonly forms: readonly { readonly key: string; readonly attributes: Readonly<Record<string, string>> }[]
}

export interface PageFacts {
  readonly path: string
  readonly half: Finding['half']
  /** Null for a file: nobody knows where it will stand. */
  readonly origin: string | null
  /** The service's, where somebody said it; null takes it from the page. */
  readonly formOrigin: string | null
}

/** The rules that can be read off elements, the same for the source and for the browser. */
export function judgeElements(elements: readonly PageElement[], facts: PageFacts): Finding[] {
  const cards = elements.filter(isCardInput)
  const doors = elements.filter(isDoor)
  const takesCards = cards.length > 0 || doors.length > 0
  const sads = elements.filter((one) => isSadInput(one) && (takesCards || !/one-time-code/.test(one.attributes['autocomplete'] ?? '')))
  const typed = [...new Set([...cards, ...sads])]
  const holders = new Set([...typed, ...doors].flatMap(({ forms }) => forms.map(({ key }) => key)))
  const held = elements.filter(({ forms }) => forms.some(({ key }) => holders.has(key)))
  const scripts = elements.filter(isScript)
  const tell = (rule: RuleId, found: readonly PageElement[]): Finding[] =>
    found.map((one) => makeFinding(rule, facts, one.place, showElement(one)))
  return [
    ...tell('card-input', cards),
    ...tell('sad-input', sads),
    ...tell(
      'input-name',
      typed.filter((one) => has(one, 'name')),
    ),
    ...tell(
      'form-action',
      held.filter((one) => has(one, 'action') || has(one, 'formaction')),
    ),
    ...tell('submit-attribute', [...new Set([...held, ...typed])].filter(submits)),
    ...tell('sdk-missing', doors.length === 0 ? cards.slice(0, 1) : []),
    ...tell(
      'form-origin',
      doors.filter((door) => isForeignDoor(door, facts)),
    ),
    ...tell(
      'own-call',
      scripts.filter(({ text }) => callsCards(text)),
    ),
    ...tell(
      'consent-ticked',
      elements.filter((one) => (one.checked || has(one, 'checked')) && isConsentBox(one, one.text)),
    ),
    ...tell(
      'password-in-page',
      elements.filter((one) => (isScript(one) && holdsPassword(one.text)) || Object.values(one.attributes).some(holdsPassword)),
    ),
    ...(takesCards ? judgeScripts(scripts, facts, tell) : []),
  ]
}

function judgeScripts(
  scripts: readonly PageElement[],
  facts: PageFacts,
  tell: (rule: RuleId, found: readonly PageElement[]) => Finding[],
): Finding[] {
  const isPinned = (one: PageElement): boolean => has(one, 'integrity') && has(one, 'crossorigin')
  return [
    ...tell(
      'sdk-integrity',
      scripts.filter((one) => isDoor(one) && !isPinned(one)),
    ),
    ...tell(
      'script-integrity',
      scripts.filter((one) => !isDoor(one) && isThirdParty(one, facts.origin) && !isPinned(one)),
    ),
    ...tell('script-inventory', scripts),
  ]
}

/** Whether a script comes from another origin than its page; of a file whose place nobody knows, whether it names one. */
export function isThirdParty(one: Marked, origin: string | null): boolean {
  const from = originOf(one, origin)
  return from !== undefined && from !== (origin ?? unknownOrigin)
}

/** The service's script or frame from where the service is not: from the shop itself, or from another origin than was said. */
function isForeignDoor(door: Marked, { origin, formOrigin }: PageFacts): boolean {
  const at = originOf(door, origin)
  return formOrigin === null ? at === (origin ?? unknownOrigin) : at !== formOrigin
}

/** Where an element loads from; what names no origin is on its page's. */
function originOf({ attributes }: Marked, origin: string | null): string | undefined {
  return URL.parse(attributes['src'] ?? '', origin ?? unknownOrigin)?.origin
}

/** Stands for that of a file (RFC 2606 §2). */
const unknownOrigin = 'http://page.invalid'

/** What sends an input somewhere besides `name` and `action`. */
function submits(one: PageElement): boolean {
  const own = ['method', 'formmethod', 'dirname', 'data-remote'].some((name) => has(one, name))
  const isBound = has(one, 'form') && (isCardInput(one) || isSadInput(one))
  return (
    own ||
    isBound ||
    Object.keys(one.attributes).some((name) => /^(data-)?hx-(post|get|put|patch)$|^up-submit$|^data-turbo-(method|action)$/.test(name))
  )
}

function has({ attributes }: Marked, name: string): boolean {
  return Object.hasOwn(attributes, name)
}
