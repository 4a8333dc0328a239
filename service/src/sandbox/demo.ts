/** The merchant that every test environment has. Public on purpose, and refused in production. */
export const demoMerchant = Object.freeze({
  id: '65f0c0ffee0000000000cafe',
  name: 'Demo merchant',
  password: 'sandbox-only-password-not-for-live-0',
})

/** Login of the demo merchant's dashboard. */
export const demoLogin = Object.freeze({ phone: '998900000000', password: 'sandbox' })
