import { CardForm } from './card-form.ts'
import { defineElement } from './element.ts'

Object.assign(globalThis, { Tessera: Object.freeze({ CardForm }) })
defineElement()
