const whyNoSms = '/docs/guides/dashboard#why-an-sms-did-not-come'

/** The pages of reasons that only a payment or the dispatch of a code has. */
const elsewhere: Readonly<Record<string, string>> = {
  reversed: '/docs/reference/payment-states',
  statement: '/docs/reference/payment-states',
  gateway_unavailable: whyNoSms,
  send_refused: whyNoSms,
}

/** The addresses of what the dashboard names, in the documentation that the service serves (tools/browser/build-docs.ts). A test opens every one. */
export const docsPath = {
  index: '/docs',
  audit: '/docs/concepts/audit',
  checkingTheAudit: '/docs/concepts/audit#what-a-merchant-exports-and-checks-offline',
  /** The `reason` of an error, or one that no call was answered with. */
  reason: (reason: string): string => elsewhere[reason] ?? `/docs/reference/errors#${reason}`,
  method: (method: string): string => `/docs/reference/methods/${method}`,
  limits: '/docs/operating/limits#a-merchant-with-its-own-server-or-more-customers',
  pageCheck: '/docs/guides/form-check',
  pageRule: (rule: string): string => `/docs/guides/form-check#${rule}`,
} as const
