import { CardForm } from './card-form.ts'
import { CardFormMisuse } from './card-form-options.ts'
import { defineElement } from './element.ts'

const sdk = globalThis as unknown as { Tessera: object }
sdk.Tessera = Object.freeze({ CardForm, CardFormMisuse })
defineElement()
