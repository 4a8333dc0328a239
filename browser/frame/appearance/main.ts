import type { AppearanceGlobal } from '../show-appearance.ts'

import { applyAppearance } from './apply.ts'

// The script of the appearance: reads it, measures its contrast and writes its rules. The document loads it when its page has an appearance.

Object.assign(globalThis, { applyAppearance } satisfies AppearanceGlobal)
