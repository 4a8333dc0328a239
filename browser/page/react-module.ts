export { TesseraCardForm, type CardFormListeners, type CardFormProps, type TesseraCardProps } from './react.ts'
export type { CardForm } from './card-form.ts'
export type {
  CardFormChange,
  CardFormError,
  CardFormEvents,
  CardFormOptions,
  CardFormReason,
  CardFormResult,
  CardFormWarning,
} from './card-form-types.ts'
