/** The merchant that a fuzzed service has. */
export interface Demo {
  readonly merchantId: string
  readonly password: string
}

/** X-Auth as it should be and as it should not, the right ones often enough that requests get past it. */
export function demoXAuths({ merchantId, password }: Demo): string[] {
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
