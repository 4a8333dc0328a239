import { makeLongWords } from '../../app/long-words.tsx'
import type { StartWords } from './start-words.ts'

export const startText = makeLongWords<StartWords>('start')
