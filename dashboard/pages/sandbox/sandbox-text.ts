import { makeLongWords } from '../../app/long-words.tsx'
import type { SandboxWords } from './sandbox-words.ts'

export const sandboxText = makeLongWords<SandboxWords>('sandbox')
