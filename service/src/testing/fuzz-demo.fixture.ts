/** The merchant of a fuzzed service. */
export interface FuzzDemo {
  readonly merchantId: string
  readonly password: string
}

/** Valid and invalid X-Auth values; the valid ones often enough that requests pass it. */
export function demoXAuths({ merchantId, password }: FuzzDemo): string[] {
  const right = [merchantId, `${merchantId}:${password}`]
  return [
    ...Array.from({ length: 20 }, () => right).flat(),
    `${merchantId}:wrong`,
    `${merchantId}:`,
    `:${password}`,
    merchantId.toUpperCase(),
    '',
  ]
}
