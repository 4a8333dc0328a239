import { makeLongWords } from '../../app/long-words.tsx'
import type { SettingsWords } from './settings-words.ts'

export const settingsText = makeLongWords<SettingsWords>('settings')
