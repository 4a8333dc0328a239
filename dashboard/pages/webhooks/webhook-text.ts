import { makeLongWords } from '../../app/long-words.tsx'
import type { WebhookWords } from './webhook-words.ts'

export const webhookText = makeLongWords<WebhookWords>('webhooks')
