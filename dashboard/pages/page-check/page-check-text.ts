import { makeLongWords } from '../../app/long-words.tsx'
import type { PageCheckWords } from './page-check-words.ts'

export const pageCheckText = makeLongWords<PageCheckWords>('page-check')
