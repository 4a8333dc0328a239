/** The hosted page of one session. The session stands behind the #, which no browser sends to a server (RFC 3986 §3.5). */
export function pageAddress(
  formOrigin: string,
  { merchantId, session, locale }: { readonly merchantId: string; readonly session: string; readonly locale: string | null },
): string {
  const query = new URLSearchParams({ merchant: merchantId, ...(locale === null ? {} : { locale }) })
  return `${formOrigin}/form/v1/page?${String(query)}#${session}`
}
