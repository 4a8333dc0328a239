import * as real from '../../service/src/domain/webhooks/settings.ts'

const onePoolSettings: real.WebhookSettings = { ...real.webhookSettings, inFlightMax: 64, endpointInFlightMax: 64 }

export { onePoolSettings as webhookSettings }
export type { WebhookSettings } from '../../service/src/domain/webhooks/settings.ts'
