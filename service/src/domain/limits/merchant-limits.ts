/** Limits of one merchant that replace the settings. Those that are absent follow the settings. */
export interface MerchantLimits {
  /** Requests in a minute, by class of operation. */
  readonly createMinuteMax?: number
  readonly verifyMinuteMax?: number
  readonly readMinuteMax?: number
  readonly writeMinuteMax?: number
  /** Cards and codes in a minute from one address of its server, which authenticates by password; the limits of addresses, blocks and distinct PANs then do not apply to it. */
  readonly serverAddressMinuteMax?: number
  /** Distinct PANs in an hour from one address of a browser. */
  readonly distinctPansHourMax?: number
}
