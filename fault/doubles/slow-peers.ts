// Preloaded: the card network and the SMS gateway are as slow as an experiment says.
import { replaceModule } from './replace-module.ts'

replaceModule('service/src/adapters/network/network-adapters.ts', 'fault/doubles/slow-network.ts')
replaceModule('service/src/adapters/sms/sms-adapters.ts', 'fault/doubles/slow-sms.ts')
