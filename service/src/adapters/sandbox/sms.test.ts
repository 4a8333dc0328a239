import { describeSms, type SmsSetup } from '../sms/sms.suite.ts'
import { makeHandClock } from '../../testing/clock.fixture.ts'
import { findScenarioStep, insertInboxSms } from '../../store/sandbox.ts'
import { replaceRead, replaceWrite, storeOf } from '../../testing/store.fixture.ts'
import { makeSandboxSms } from './sms.ts'

/** The sandbox gateway: its inbox shows what the phone would receive. */
async function setUp(): Promise<SmsSetup> {
  const texts: string[] = []
  let step: string | null = null
  const store = storeOf(
    replaceRead(findScenarioStep('', ''), async () => step),
    replaceWrite(insertInboxSms, async ({ text }) => void texts.push(text)),
  )
  return {
    sms: makeSandboxSms({ store, clock: makeHandClock() }),
    receivedTexts: async () => texts,
    rejectNext: async () => void (step = 'rejected'),
    loseNextAnswer: async () => void (step = 'lose_answer'),
    close: async () => undefined,
  }
}

describeSms('sandbox', setUp)
