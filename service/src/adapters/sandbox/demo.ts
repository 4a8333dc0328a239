/** The demo merchant of every test environment. Intentionally public; refused in production. */
export const demoMerchant = Object.freeze({
  id: '65f0c0ffee0000000000cafe',
  name: 'Demo merchant',
  password: 'sandbox-only-password-not-for-live-0',
})

/** The dashboard login of the demo merchant. */
export const demoLogin = Object.freeze({ phone: '998900000000', password: 'sandbox' })
