/** The addresses of what the dashboard names, in the documentation that the service serves (tools/browser/build-docs.ts). A test opens every one. */
export const docsPath = {
  index: '/docs',
  audit: '/docs/concepts/audit',
  checkingTheAudit: '/docs/concepts/audit#export-and-verify-offline',
  /** The `reason` of an error. Two are of payments that no call was answered with. */
  reason: (reason: string): string =>
    reason === 'reversed' || reason === 'statement' ? '/docs/reference/payment-states' : `/docs/reference/errors#${reason}`,
  method: (method: string): string => `/docs/reference/methods/${method}`,
  limits: '/docs/operating/limits#a-merchant-with-its-own-server-or-more-customers',
  pageCheck: '/docs/guides/form-check',
  pageRule: (rule: string): string => `/docs/guides/form-check#${rule}`,
} as const
