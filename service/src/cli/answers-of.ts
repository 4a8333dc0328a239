import type { Keyring, KeyPurpose } from '@tessera/vault/keyring'
import { KeyInUse, KeyUnknown } from '@tessera/vault/keyring'

import { bucketOf } from '@tessera/vault/id'

import { checkAudit } from '../audit/check.ts'
import { makeCardMac } from '../cards/mac.ts'
import { KeyHoldsCards } from '../cards/reseal.ts'
import type { Reseal } from '../cards/reseal.ts'
import { makeConsents } from '../consents/consents.ts'
import type { Disclosures } from '../consents/disclosures.ts'
import type { Clock } from '../clock.ts'
import type { MerchantDeeds } from '../merchants/deeds.ts'
import type { Controls } from '../dashboard/controls.ts'
import type { Reset } from '../dashboard/reset.ts'
import type { Users } from '../dashboard/users.ts'
import type { EndpointDeeds } from '../merchants/endpoint.ts'
import { makeMerchantMac } from '../merchants/mac.ts'
import { makeReceiptMac } from '../receipts/row.ts'
import type { Life } from '../start/running.ts'
import { tellReadiness } from '../start/running.ts'
import type { AuditNote, Store } from '../store/store.ts'
import type { Endpoints } from '../webhooks/endpoints.ts'

import type { Answers, KeyAnswers } from './answers.ts'
import type { SandboxAnswers, SandboxScenario } from './sandbox-answers.ts'
import type { ToldKey } from './keys.ts'

/** The parts of a running service that the command line asks about. */
export interface AskedParts {
  readonly life: Life
  readonly store: Store
  readonly clock: Clock
  readonly keyring: Keyring
  /** Names the key that locks the data keys. */
  readonly kekId: string
  readonly environment: string
  readonly reseal: Reseal
  readonly disclosures: Disclosures
  readonly endpoints: Endpoints
  readonly merchants: MerchantDeeds
  readonly users: Users
  readonly merchantEndpoints: EndpointDeeds
  /** Null in production, like the next. */
  readonly controls: Controls | null
  readonly reset: Reset | null
  /** Null outside the test environment. */
  readonly sandbox: SandboxFacts | null
}

export interface SandboxFacts {
  readonly merchantId: string
  readonly scenarios: readonly SandboxScenario[]
  readonly steps: readonly string[]
  readonly stepByDefault: string
}

/** Answers the command line's questions from the parts of a running service. */
export function answersOf(parts: AskedParts): Answers {
  const { keyring, environment } = parts
  const macs = {
    card: makeCardMac(keyring, environment),
    receipt: makeReceiptMac(keyring, environment),
    merchant: makeMerchantMac(keyring, environment),
  }
  return {
    status: () => tellReadiness(parts.life),
    keys: keyAnswers(parts),
    consents: makeConsents({ store: parts.store, disclosures: parts.disclosures, mac: macs.card }),
    webhooks: parts.endpoints,
    merchants: parts.merchants,
    users: parts.users,
    merchantEndpoints: parts.merchantEndpoints,
    verifyAudit: () => checkAudit({ store: parts.store, macs }),
    sandbox: sandboxAnswers(parts),
  }
}

/** What an operator asks of a key is in the audit before it is done, so that nothing is done which the audit could not take; then its outcome. */
function keyAnswers({ keyring, kekId, reseal, store, clock }: AskedParts): KeyAnswers {
  const note = (action: string, merchantId: string, subject: string, outcome: string): Promise<void> => {
    const deed: AuditNote = {
      at: clock.now(),
      actor: 'operator',
      action,
      merchantId,
      subject,
      outcome,
      version: 0,
      mac: NO_MAC,
      requestId: '',
    }
    return store.appendAudit(deed)
  }
  return {
    kek: kekId,
    async list() {
      const cards = new Map((await reseal.status()).map((key) => [key.keyId, key.cards]))
      return keyring
        .list()
        .sort((a, b) => a.createdAt - b.createdAt)
        .map(({ keyId, purpose, owner, epoch, state, createdAt }): ToldKey => {
          return { keyId, purpose, owner, epoch, state, createdAt: new Date(createdAt).toISOString(), cards: cards.get(keyId) ?? null }
        })
    },
    async rotate(purpose, owner) {
      await note('key.rotate', owner, purpose, 'asked')
      const made = await keyring.rotate(purpose as KeyPurpose, owner)
      await note('key.rotate', owner, made.keyId, 'done')
      return { keyId: made.keyId, epoch: made.epoch }
    },
    async destroy(keyId) {
      await note('key.destroy', '', keyId, 'asked')
      try {
        await reseal.destroy(keyId)
        await note('key.destroy', '', keyId, 'done')
        return null
      } catch (err) {
        await note('key.destroy', '', keyId, 'refused')
        if (err instanceof KeyHoldsCards || err instanceof KeyInUse || err instanceof KeyUnknown) return sentence(err.message)
        throw err
      }
    },
  }
}

function sandboxAnswers({ sandbox, store, controls, reset }: AskedParts): SandboxAnswers | null {
  if (sandbox === null || controls === null || reset === null) return null
  const { merchantId, scenarios, steps, stepByDefault } = sandbox
  return {
    merchantId,
    scenarios,
    steps,
    async stepsOf(ofMerchant) {
      const set = new Map((await store.listScenarioSteps(ofMerchant)).map(({ scenario, step }) => [scenario, step]))
      return scenarios.map(({ scenario, number, byDefault = stepByDefault }) => ({
        scenario,
        number,
        step: set.get(scenario) ?? byDefault,
      }))
    },
    async setStep(ofMerchant, scenario, step) {
      await controls.setStep(ofMerchant, { scenario, step }, operator)
    },
    setLimits: (ofMerchant, on) => controls.setLimits(ofMerchant, on, operator),
    moveClock: (offsetMs) => controls.moveClock(null, offsetMs, operator),
    offsetMs: () => controls.offsetMs(),
    restore: (ofMerchant) => controls.restore(ofMerchant, operator),
    reset: (ofMerchant) => reset({ bucket: bucketOf(ofMerchant), merchantId: ofMerchant }, operator),
    async inbox(count) {
      const rows = await store.listInbox(count)
      return rows.map(({ at, merchantId: of, phoneMask, text }) => ({
        at: new Date(at).toISOString(),
        merchantId: of,
        phone: phoneMask,
        text,
      }))
    },
  }
}

const operator = Object.freeze({ actor: 'operator', requestId: '' })

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}

const NO_MAC = new Uint8Array(0)
