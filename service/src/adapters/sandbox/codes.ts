import type { Codes } from '../sms/codes.ts'

/** The one SMS code of the test environment, for every test card and scenario. Intentionally public. */
export const sandboxCode = '666666'

export const sandboxCodes: Codes = Object.freeze({ draw: () => sandboxCode })
