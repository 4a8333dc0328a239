/** Settings of webhook deliveries. */
export interface WebhookSettings {
  /** Covers name resolution, connection and reply of one attempt. */
  readonly timeoutMs: number
  /** A claim without a recorded outcome expires after this time. Must be longer than an attempt. */
  readonly leaseMs: number
  /** Maximum concurrent attempts of this process. */
  readonly inFlightMax: number
  /** Maximum concurrent attempts to one endpoint, however fast it answers. */
  readonly endpointInFlightMax: number
  /** How long the previous secret keeps signing after a rotation. */
  readonly rotationMs: number
  readonly endpointsMax: number
  /** Maximum concurrent test events of this process. */
  readonly testsMax: number
  /** How long events are stored. */
  readonly eventRetentionMs: number
}

export const webhookSettings: WebhookSettings = Object.freeze({
  timeoutMs: 15_000,
  leaseMs: 45_000,
  inFlightMax: 512,
  endpointInFlightMax: 16,
  rotationMs: 24 * 3_600_000,
  endpointsMax: 5,
  testsMax: 8,
  eventRetentionMs: 30 * 24 * 3_600_000,
})
