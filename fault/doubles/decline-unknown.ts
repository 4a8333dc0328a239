// Preloaded: a payment without a reply from the network becomes payable again, and is never reconciled.
import { replaceModule } from './replace-module.ts'

replaceModule('service/src/domain/payments/reconcile.ts', 'fault/doubles/declining-reconcile.ts')
