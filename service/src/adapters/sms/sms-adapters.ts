import type { AdapterTable } from '../adapter.ts'
import { sandboxSms } from '../sandbox/sms.ts'
import { httpSms } from './http/http-sms.ts'
import type { Sms, SmsAdapterDependencies } from './sms.ts'

/** The SMS gateways, chosen by `TESSERA_SMS`. A new one is a file in this folder and a line here (docs/guides/write-an-adapter.md). */
export const smsAdapters: AdapterTable<Sms, SmsAdapterDependencies> = {
  port: 'sms',
  adapters: [sandboxSms, httpSms],
  defaultForTest: 'sandbox',
  meaning: 'The SMS gateway.',
}
