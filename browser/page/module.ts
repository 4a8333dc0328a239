import { defineElement } from './element.ts'

export { CardForm } from './card-form.ts'
export { CardFormMisuse } from './card-form-options.ts'
export type {
  CardFormChange,
  CardFormError,
  CardFormEvents,
  CardFormLocale,
  CardFormOptions,
  CardFormReason,
  CardFormResult,
  CardFormUpdate,
  CardFormWarning,
} from './card-form-types.ts'
export type { CardBrand, FormCard, FormField, FormLabel, FormLayout, FormStep } from '@tessera/contract/frame'
export type { Appearance } from '@tessera/contract/appearance'
export type { Theme } from '@tessera/contract/theme'
export { TesseraCard, type TesseraCardEvents } from './element.ts'

defineElement()
