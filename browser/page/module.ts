import { defineElement } from './element.ts'

export {
  CardForm,
  CardFormMisuse,
  type CardFormError,
  type CardFormEvents,
  type CardFormOptions,
  type CardFormWarning,
} from './card-form.ts'
export { TesseraCard } from './element.ts'

defineElement()
