/** The `type` of the evidence that an operator signs for a merchant. */
export const merchantPackType = 'tessera.merchant-evidence/1'

/** In characters: it is published by one call, whose body has a limit. */
export const maxPackLength = 48_000
