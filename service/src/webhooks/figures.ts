/** How deliveries go. Milliseconds where the name says so. */
export interface WebhookFigures {
  /** For name, connection and reply of one attempt. */
  readonly timeoutMs: number
  /** A claim that is not settled by then is open again; longer than an attempt takes. */
  readonly leaseMs: number
  /** Attempts under way in this process. */
  readonly inFlightMax: number
  /** After so many to one endpoint no more is begun there until one has ended. */
  readonly endpointInFlightMax: number
  /** How long the secret before goes on signing. */
  readonly rotationMs: number
  readonly endpointsMax: number
  /** Test events under way in this process. */
  readonly testsMax: number
  /** How long events are kept. */
  readonly eventLifeMs: number
}

export const webhookFigures: WebhookFigures = Object.freeze({
  timeoutMs: 15_000,
  leaseMs: 45_000,
  inFlightMax: 64,
  endpointInFlightMax: 8,
  rotationMs: 24 * 3_600_000,
  endpointsMax: 5,
  testsMax: 8,
  eventLifeMs: 30 * 24 * 3_600_000,
})
