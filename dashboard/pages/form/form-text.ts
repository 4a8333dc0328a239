import { makeLongWords } from '../../app/long-words.tsx'
import type { FormWords } from './form-words.ts'

export const formText = makeLongWords<FormWords>('form')
