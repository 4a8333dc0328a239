export { TesseraCardForm, type CardFormListeners, type CardFormProps } from './react.ts'
export type { CardForm, CardFormError, CardFormEvents, CardFormOptions, CardFormWarning } from './card-form.ts'
