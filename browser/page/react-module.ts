export { TesseraCardForm, type CardFormListeners, type CardFormProps } from './react.ts'
export type { CardForm, CardFormError, CardFormEvents, CardFormOptions } from './card-form.ts'
