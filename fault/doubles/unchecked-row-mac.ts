import * as real from '../../vault/src/rowmac.ts'

export * from '../../vault/src/rowmac.ts'
export { makeUncheckedRowAuthenticator as makeRowAuthenticator }

/** Makes MACs as the service does, and finds every MAC right. */
const makeUncheckedRowAuthenticator: typeof real.makeRowAuthenticator = (...input) => ({
  ...real.makeRowAuthenticator(...input),
  hasValidMac: () => true,
})
