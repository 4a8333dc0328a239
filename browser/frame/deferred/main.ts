import type { FormCore } from '../form-core.ts'
import type { DeferredForm, DeferredGlobal } from '../load-deferred.ts'
import { deferredTextsIn } from '../texts.ts'

import { createBrandView } from './brands.ts'
import { createChooser } from './chooser.ts'
import { createCodeStep } from './code-step.ts'
import { describeReason } from './reasons.ts'

// The deferred script of the form: the saved cards, the steps after the card, every other reason, and what only decorates. The document's script loads it after the
// form was painted (browser/frame/load-deferred.ts).

/** The text of deferred.css, which the build writes here. */
declare const deferredStyle: string

function createDeferredForm(core: FormCore, back: () => void): DeferredForm {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(deferredStyle)
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet]
  core.state.describeReason = describeReason
  const showBrand = createBrandView(core.view.number, core.settings.accepted)
  const renderBrand = (): void => {
    core.state.brand = showBrand()
  }
  const codeStep = createCodeStep(core, back)
  const chooser = createChooser(core, codeStep.showPicked)
  return {
    ...codeStep,
    renderBrand,
    textsIn: (locale) => ({ ...deferredTextsIn(locale), ...codeStep.codeTexts(locale) }),
    renderTexts: () => {
      codeStep.renderTexts()
      chooser.renderTexts()
    },
    offerCards: chooser.offer,
    sendCard: (signal) => (core.state.list === null ? codeStep.sendCard(signal) : chooser.pick(signal)),
    reset: () => {
      codeStep.reset()
      chooser.open()
    },
  }
}

Object.assign(globalThis, { createDeferredForm } satisfies DeferredGlobal)
