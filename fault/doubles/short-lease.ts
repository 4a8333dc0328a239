// Preloaded: interrupted payments are taken up again after 2 s instead of 30, so that kills hit the reconciliation as well.
import { replaceModule } from './replace-module.ts'

replaceModule('service/src/domain/payments/settings.ts', 'fault/doubles/short-payment-settings.ts')
