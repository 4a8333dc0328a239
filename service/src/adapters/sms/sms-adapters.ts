import type { AdapterTable } from '../adapter.ts'
import { sandboxSms } from '../sandbox/sms.ts'
import { httpSms, secondHttpSms } from './http/http-sms.ts'
import { secondSmppSms, smppSms } from './smpp/smpp-sms.ts'
import type { Sms, SmsAdapterDependencies } from './sms.ts'

/** The SMS gateways, chosen by `TESSERA_SMS`; several may be used at once. A new one is a file in this folder and a line here (docs/guides/write-an-adapter.md). */
export const smsAdapters: AdapterTable<Sms, SmsAdapterDependencies> = {
  port: 'sms',
  adapters: [sandboxSms, httpSms, secondHttpSms, smppSms, secondSmppSms],
  defaultForTest: 'sandbox',
  isMultiple: true,
  meaning: 'The SMS gateways, with commas between them; a message that one rejects is given to another.',
}
