import { CardForm, CardFormMisuse } from './card-form.ts'
import { defineElement } from './element.ts'

Object.assign(globalThis, { Tessera: Object.freeze({ CardForm, CardFormMisuse }) })
defineElement()
