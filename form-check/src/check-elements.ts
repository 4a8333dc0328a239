import { callsCardMethods, formatElement, isFormEmbed, isScript, type MarkupElement } from './element-kinds.ts'
import { makeFinding, type FormCheckFinding } from './finding.ts'
import { isCardInput, isConsentBox, isSadInput, type PageElement } from './page-elements.ts'
import { containsPassword } from './redact-secrets.ts'
import type { RuleId } from './rules.ts'

export interface PageContext {
  readonly path: string
  readonly half: FormCheckFinding['half']
  /** Null for a file: where it will be served is not known. */
  readonly origin: string | null
  /** The service's origin as given by the user; null: trust the page. */
  readonly formOrigin: string | null
}

/** Checks the rules about elements. The same code runs on the source and on what the browser rendered. */
export function checkElements(elements: readonly PageElement[], context: PageContext): FormCheckFinding[] {
  const cardInputs = elements.filter(isCardInput)
  const embeds = elements.filter(isFormEmbed)
  const takesCards = cardInputs.length > 0 || embeds.length > 0
  // The code of an SMS is also asked for by a login.
  const sadInputs = elements.filter((input) => isSadInput(input) && (takesCards || input.card?.data !== 'otp'))
  const sensitiveInputs = [...new Set([...cardInputs, ...sadInputs])]
  const formKeys = new Set([...sensitiveInputs, ...embeds].flatMap(({ forms }) => forms.map(({ key }) => key)))
  const inCardForms = elements.filter(({ forms }) => forms.some(({ key }) => formKeys.has(key)))
  const scripts = elements.filter(isScript)
  const findingsOf = (rule: RuleId, violations: readonly PageElement[]): FormCheckFinding[] =>
    violations.map((element) =>
      makeFinding(rule, context, element.location, formatElement(element), element.card?.text ?? element.text.slice(0, 200)),
    )

  const withName = sensitiveInputs.filter((input) => has(input, 'name'))
  const withAction = inCardForms.filter((element) => has(element, 'action') || has(element, 'formaction'))
  const withSubmit = [...new Set([...inCardForms, ...sensitiveInputs])].filter(hasSubmitAttribute)
  const foreignEmbeds = embeds.filter((embed) => hasForeignOrigin(embed, context))
  const ownCalls = scripts.filter(({ text }) => callsCardMethods(text))
  const tickedBoxes = elements.filter((element) => (element.isChecked || has(element, 'checked')) && isConsentBox(element, takesCards))
  const withPassword = elements.filter(
    (element) => (isScript(element) && containsPassword(element.text)) || Object.values(element.attributes).some(containsPassword),
  )
  return [
    ...findingsOf('card-input', cardInputs),
    ...findingsOf('sad-input', sadInputs),
    ...findingsOf('input-name', withName),
    ...findingsOf('form-action', withAction),
    ...findingsOf('submit-attribute', withSubmit),
    ...findingsOf('sdk-missing', embeds.length === 0 ? cardInputs.slice(0, 1) : []),
    ...findingsOf('form-origin', foreignEmbeds),
    ...findingsOf('own-call', ownCalls),
    ...findingsOf('consent-ticked', tickedBoxes),
    ...findingsOf('password-in-page', withPassword),
    ...(takesCards ? checkScripts(scripts, context, findingsOf) : []),
  ]
}

function checkScripts(
  scripts: readonly PageElement[],
  context: PageContext,
  findingsOf: (rule: RuleId, violations: readonly PageElement[]) => FormCheckFinding[],
): FormCheckFinding[] {
  const unpinned = scripts.filter((script) => !has(script, 'integrity') || !has(script, 'crossorigin'))
  const unpinnedSdk = unpinned.filter(isFormEmbed)
  const unpinnedThirdParty = unpinned.filter((script) => !isFormEmbed(script) && isThirdParty(script, context.origin))
  return [
    ...findingsOf('sdk-integrity', unpinnedSdk),
    ...findingsOf('script-integrity', unpinnedThirdParty),
    ...findingsOf('script-inventory', scripts),
  ]
}

/** Whether a script comes from another origin than its page. In a file every script with an absolute address counts. */
export function isThirdParty(element: MarkupElement, pageOrigin: string | null): boolean {
  const origin = originOf(element, pageOrigin)
  return origin !== undefined && origin !== (pageOrigin ?? unknownOrigin)
}

/** Whether the SDK or iframe is loaded from a place that is not the service: the shop itself, or an origin other than the given one. */
function hasForeignOrigin(embed: MarkupElement, { origin: pageOrigin, formOrigin }: PageContext): boolean {
  const origin = originOf(embed, pageOrigin)
  return formOrigin === null ? origin === (pageOrigin ?? unknownOrigin) : origin !== formOrigin
}

/** The origin that an element loads from. A relative address is on the page's own origin. */
function originOf({ attributes }: MarkupElement, pageOrigin: string | null): string | undefined {
  return URL.parse(attributes['src'] ?? '', pageOrigin ?? unknownOrigin)?.origin
}

/** Stands for the unknown origin of a file (RFC 2606 §2). */
const unknownOrigin = 'http://page.invalid'

/** Whether an attribute other than `name` and `action` would submit the input. */
function hasSubmitAttribute(element: PageElement): boolean {
  const isSubmitting = ['method', 'formmethod', 'dirname', 'data-remote'].some((name) => has(element, name))
  const isBound = has(element, 'form') && (isCardInput(element) || isSadInput(element))
  return (
    isSubmitting ||
    isBound ||
    Object.keys(element.attributes).some((name) => /^(data-)?hx-(post|get|put|patch)$|^up-submit$|^data-turbo-(method|action)$/.test(name))
  )
}

function has({ attributes }: MarkupElement, name: string): boolean {
  return Object.hasOwn(attributes, name)
}
