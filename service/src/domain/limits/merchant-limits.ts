/** What was agreed with one merchant in place of the settings; what is left out follows the settings. */
export interface MerchantLimits {
  /** Requests in a minute, by class of operation. */
  readonly createMinuteMax?: number
  readonly verifyMinuteMax?: number
  readonly readMinuteMax?: number
  readonly writeMinuteMax?: number
  /** Cards and codes in a minute from one address of its own server, which showed the password; the limits of addresses, blocks and distinct PANs are not counted for it then. */
  readonly serverAddressMinuteMax?: number
  /** Distinct PANs in an hour from one address of a browser. */
  readonly distinctPansHourMax?: number
}
