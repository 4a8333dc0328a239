import type { Kek } from '@tessera/vault/kek'
import { adoptShareKek, shareKekId, type ShareKek, type ShareSet } from '@tessera/vault/share-set'
import { parseShare, ShareTextError, type CustodianShare } from '@tessera/vault/share-text'

import type { Clock } from '../../clock.ts'
import type { ShareSetStore } from '../../store/share-sets.ts'
import type { AuditActor } from '../request-context.ts'

import type { CustodyAudit, CustodyEntry } from './custody-audit.ts'
import { CustodyRefusal } from './custody-refusal.ts'
import { adoptOpenSet, type OpenShareSet } from './open-share-set.ts'
import { makeEntryBackoff } from './entry-backoff.ts'
import { makeShareCollection, type ShareCollection } from './share-collection.ts'
import { dealShares, type ShareDealing } from './share-dealing.ts'

/** The KEKs that custodians hold in shares, and the ceremonies in which they make and open them. One of each process. */
export interface Custody {
  /** Oldest first. */
  list(): Promise<ShareSetStatus[]>
  /** Generates a KEK and splits it; the custodians take their shares with `takeShare`. Nothing is stored yet. */
  createSet(size: ShareSetSize, by: AuditActor): Promise<{ readonly setId: string } | CustodyRefusal>
  /** The next share of the set that was created, once. The set is stored with the last. */
  takeShare(by: AuditActor): Promise<TakenShare | CustodyRefusal>
  /**
   * Enters a share. With as many as the threshold, the KEK is in this process's memory. With a purpose, custodians of a KEK that is open here agree to it
   * instead, and nothing is opened.
   */
  enterShare(text: string, by: AuditActor, purpose?: string): Promise<EnteredShare | CustodyRefusal>
  /** A set of these KEKs whose custodians have not agreed, in this ceremony, to wrapping its keys by another KEK. */
  findDissent(kekIds: ReadonlySet<string>, toKekId: string): string | null
  /** Takes a KEK that another node handed over. False when it is not that of the set. The caller wipes `raw`. */
  adopt(setId: string, raw: Uint8Array, by: AuditActor): Promise<boolean>
  /** The KEKs that are open in this process, with their keys, for handing them over. */
  openSets(): readonly OpenShareSet[]
  /** Takes KEKs that another worker of the process has opened; its entries are in the audit. */
  share(opened: readonly OpenShareSet[]): void
  /** The KEKs that are open in this process, oldest first. */
  openKeks(): readonly Kek[]
  /** The sets of which shares were entered, and how many are needed; what is open already is left out. */
  progress(): readonly { readonly setId: string; readonly received: number; readonly threshold: number }[]
  /** The share sets of the key store that is open now; null when it is closed. */
  useSets(sets: ShareSetStore | null): void
  /** Says why a set may not be opened: another KEK has replaced it, or a sealed service does not need it. Default: every set may. */
  restrict(findBar: FindSetBar): void
  /** Resolves with the next change: a set was stored, or a KEK opened. */
  changed(): Promise<void>
  /** Wipes what is in memory of ceremonies in progress. */
  forget(): void
}

/** Why the shares of a stored set are refused; null when they are not. */
export type FindSetBar = (set: ShareSet) => Promise<'share_of_retired_set' | 'share_not_needed' | null>

export interface ShareSetSize {
  readonly threshold: number
  readonly shares: number
}

export interface ShareSetStatus extends ShareSetSize {
  readonly setId: string
  readonly kekId: string
  readonly createdAt: number
  readonly received: number
  readonly isOpen: boolean
  /** How many shares nobody has taken yet; the set cannot be used before none is left. */
  readonly untaken: number
}

export interface TakenShare {
  readonly setId: string
  readonly index: number
  readonly share: string
  readonly left: number
}

export interface EnteredShare {
  readonly setId: string
  readonly index: number
  readonly received: number
  readonly threshold: number
  readonly isOpen: boolean
}

export interface CustodyDependencies {
  readonly environment: string
  readonly clock: Pick<Clock, 'now' | 'moment'>
  readonly audit: Pick<CustodyAudit, 'record'>
  /** Whether a crash may write this process's memory to a disk: then no share is handled. Default: it may not. */
  readonly isDumped?: () => boolean
  /** How long a ceremony may take from its first step. */
  readonly ceremonyMs: number
}

export function makeCustody(deps: CustodyDependencies): Custody {
  return new CeremonyCustody(deps)
}

interface CurrentDealing {
  readonly dealt: ShareDealing
  /** Who has taken one. */
  readonly takers: Set<string>
  endsAtMs: number
}

class CeremonyCustody implements Custody {
  readonly #deps: CustodyDependencies
  readonly #backoff
  readonly #open = new Map<string, ShareKek & { readonly set: ShareSet }>()
  readonly #collections = new Map<
    string,
    { readonly set: ShareSet; readonly shares: ShareCollection; readonly custodians: Set<string>; readonly endsAtMs: number }
  >()
  /** What custodians agreed to, and how long it counts. */
  readonly #agreements = new Map<string, number>()
  #dealing: CurrentDealing | null = null
  #taking: Promise<unknown> = Promise.resolve()
  #sets: ShareSetStore | null = null
  #findBar: FindSetBar = () => Promise.resolve(null)
  #change: Promise<void> | null = null
  #announceChange: () => void = () => undefined

  constructor(deps: CustodyDependencies) {
    this.#deps = deps
    this.#backoff = makeEntryBackoff(deps.clock)
  }

  async list(): Promise<ShareSetStatus[]> {
    this.#forgetOverdue()
    const stored = ((await this.#sets?.list()) ?? []).map((set) => this.#statusOf(set, 0))
    return this.#dealing === null ? stored : [...stored, this.#statusOf(this.#dealing.dealt.set, this.#dealing.dealt.left())]
  }

  async createSet(size: ShareSetSize, by: AuditActor): Promise<{ readonly setId: string } | CustodyRefusal> {
    this.#forgetOverdue()
    if (this.#dealing !== null) return new CustodyRefusal('shares_being_taken', this.#dealing.dealt.set.setId)
    const dealt = dealShares(size, this.#deps.environment, this.#deps.clock.now())
    await this.#audit(by, 'shares.created', dealt.set.setId, 'done')
    if (this.#isDealing()) {
      dealt.forget()
      return new CustodyRefusal('shares_being_taken')
    }
    this.#dealing = { dealt, takers: new Set(), endsAtMs: this.#endOfCeremony() }
    return { setId: dealt.set.setId }
  }

  /** One after another: two at once would both be told that a share is left after theirs, and the set would not be stored. */
  takeShare(by: AuditActor): Promise<TakenShare | CustodyRefusal> {
    const taken = this.#taking.then(() => this.#takeNext(by))
    this.#taking = taken.catch(() => undefined)
    return taken
  }

  /** Audited before: no share is shown without its entry. */
  async #takeNext(by: AuditActor): Promise<TakenShare | CustodyRefusal> {
    this.#forgetOverdue()
    const dealing = this.#dealing
    if (dealing === null) return new CustodyRefusal('no_shares_to_take')
    const { dealt, takers } = dealing
    if (this.#deps.isDumped?.() === true) return new CustodyRefusal('core_dumps_on')
    const { setId, shares } = dealt.set
    if (takers.has(by.actor)) return new CustodyRefusal('custodian_repeated', nameOf(by))
    await this.#audit(by, 'share.taken', `${setId}/${String(shares - dealt.left() + 1)}`, 'done')
    this.#forgetOverdue()
    if (this.#dealing !== dealing) return new CustodyRefusal('no_shares_to_take')
    // Stored before the last share is shown, so that nobody has a share of a set that does not exist, and when nothing else can keep it from being shown.
    if (dealt.left() === 1) await this.#storeSet(dealing)
    takers.add(by.actor)
    const { index, text } = dealt.take()
    if (dealt.left() === 0) {
      this.#dealing = null
      this.#announce()
    }
    return { setId, index, share: text, left: dealt.left() }
  }

  async #storeSet(dealing: CurrentDealing): Promise<void> {
    const { endsAtMs } = dealing
    // Its time does not end meanwhile.
    dealing.endsAtMs = Number.POSITIVE_INFINITY
    try {
      await this.#requireSets().insert(dealing.dealt.set)
    } finally {
      dealing.endsAtMs = endsAtMs
    }
  }

  async enterShare(text: string, by: AuditActor, purpose = ''): Promise<EnteredShare | CustodyRefusal> {
    this.#forgetOverdue()
    if (this.#deps.isDumped?.() === true) return new CustodyRefusal('core_dumps_on')
    const seconds = this.#backoff.waitSeconds()
    if (seconds > 0) return new CustodyRefusal('share_backoff', String(seconds))
    const share = readShare(text)
    if (share instanceof CustodyRefusal) return this.#refuse(share, by, '-')
    const set = (await this.#storedSets()).find(({ setId }) => setId === share.setId)
    const refused = this.#findRefusal(share, set, by, purpose) ?? (await this.#findBarTo(set))
    if (set === undefined || refused !== null) {
      share.y.fill(0)
      return this.#refuse(refused ?? new CustodyRefusal('share_of_other_set', share.setId), by, subjectOf(share))
    }
    return this.#collect(share, set, by, purpose)
  }

  openKeks(): readonly Kek[] {
    return [...this.#open.values()].sort((a, b) => a.set.createdAt - b.set.createdAt).map(({ kek }) => kek)
  }

  progress(): readonly { readonly setId: string; readonly received: number; readonly threshold: number }[] {
    this.#forgetOverdue()
    return [...this.#collections.values()].map(({ set, shares }) => ({
      setId: set.setId,
      received: shares.received(),
      threshold: set.threshold,
    }))
  }

  useSets(sets: ShareSetStore | null): void {
    this.#sets = sets
  }

  restrict(findBar: FindSetBar): void {
    this.#findBar = findBar
  }

  changed(): Promise<void> {
    return (this.#change ??= new Promise((resolve) => (this.#announceChange = resolve)))
  }

  forget(): void {
    for (const { shares } of this.#collections.values()) shares.forget()
    this.#collections.clear()
    this.#agreements.clear()
    this.#dealing?.dealt.forget()
    this.#dealing = null
  }

  /** Adds a share that is of the set. The entry of the audit is before its effect. */
  async #collect(share: CustodianShare, set: ShareSet, by: AuditActor, purpose: string): Promise<EnteredShare | CustodyRefusal> {
    await this.#audit(by, 'share.entered', subjectOf(share), 'done')
    const { setId, threshold } = set
    const again = this.#findRefusal(share, set, by, purpose)
    if (again !== null) {
      share.y.fill(0)
      return this.#refuse(again, by, subjectOf(share))
    }
    const collection = this.#collections.get(ceremonyOf(setId, purpose)) ?? this.#beginCollection(set, purpose)
    const received = collection.shares.received() + 1
    collection.custodians.add(by.actor)
    const opened = collection.shares.add(share)
    if (opened === 'incomplete') return { setId, index: share.x, received, threshold, isOpen: false }
    this.#collections.delete(ceremonyOf(setId, purpose))
    if (opened === 'wrong') return this.#refuse(new CustodyRefusal('shares_not_of_set', String(threshold)), by, setId)
    this.#backoff.reset()
    if (purpose === '') await this.#openSet(set, opened, by)
    else this.#agreements.set(ceremonyOf(setId, purpose), this.#endOfCeremony())
    return { setId, index: share.x, received, threshold, isOpen: true }
  }

  openSets(): readonly OpenShareSet[] {
    return [...this.#open.values()].map(({ set, key }) => ({ set, key }))
  }

  share(opened: readonly OpenShareSet[]): void {
    for (const each of opened) {
      const adopted = adoptOpenSet(each, this.#deps.environment)
      if (adopted !== null) this.#open.set(each.set.setId, { ...adopted, set: each.set })
    }
    this.#announce()
  }

  findDissent(kekIds: ReadonlySet<string>, toKekId: string): string | null {
    this.#forgetOverdue()
    const inUse = [...this.#open.keys()].filter((setId) => kekIds.has(shareKekId(setId)) && shareKekId(setId) !== toKekId)
    return inUse.find((setId) => !this.#agreements.has(ceremonyOf(setId, rewrapPurpose(toKekId)))) ?? null
  }

  async adopt(setId: string, raw: Uint8Array, by: AuditActor): Promise<boolean> {
    const set = (await this.#storedSets()).find((each) => each.setId === setId)
    if (set === undefined || this.#open.has(setId) || (await this.#findBar(set)) !== null) return false
    const opened = adoptShareKek(set, this.#deps.environment, raw)
    if (opened !== null) await this.#openSet(set, opened, by)
    return opened !== null
  }

  async #openSet(set: ShareSet, opened: ShareKek, by: AuditActor): Promise<void> {
    this.#open.set(set.setId, { ...opened, set })
    await this.#audit(by, 'kek.opened', set.setId, 'done')
    this.#announce()
  }

  #beginCollection(set: ShareSet, purpose: string) {
    const begun = {
      set,
      shares: makeShareCollection(set, this.#deps.environment),
      custodians: new Set<string>(),
      endsAtMs: this.#endOfCeremony(),
    }
    this.#collections.set(ceremonyOf(set.setId, purpose), begun)
    return begun
  }

  async #findBarTo(set: ShareSet | undefined): Promise<CustodyRefusal | null> {
    const bar = set === undefined ? null : await this.#findBar(set)
    return set === undefined || bar === null ? null : new CustodyRefusal(bar, set.setId)
  }

  #findRefusal(share: CustodianShare, set: ShareSet | undefined, by: AuditActor, purpose: string): CustodyRefusal | null {
    if (set === undefined) return new CustodyRefusal('share_of_other_set', share.setId)
    if (this.#open.has(set.setId) !== (purpose !== '')) return new CustodyRefusal(purpose === '' ? 'set_open' : 'set_not_open', set.setId)
    if (share.threshold !== set.threshold || share.x > set.shares) return new CustodyRefusal('share_malformed', 'it is no share of its set')
    const collection = this.#collections.get(ceremonyOf(set.setId, purpose))
    if (collection?.shares.has(share.x) === true) return new CustodyRefusal('share_repeated', String(share.x))
    if (collection?.custodians.has(by.actor) === true) return new CustodyRefusal('custodian_repeated', nameOf(by))
    return null
  }

  async #refuse(refusal: CustodyRefusal, by: AuditActor, subject: string): Promise<CustodyRefusal> {
    // Nobody guessed: a set that is open needs no share, and a custodian left out their name.
    if (refusal.reason !== 'set_open' && refusal.reason !== 'custodian_repeated') this.#backoff.countWrong()
    await this.#audit(by, 'share.entered', subject, 'refused')
    return refusal
  }

  #statusOf({ setId, threshold, shares, createdAt }: ShareSet, untaken: number): ShareSetStatus {
    const received = this.#collections.get(ceremonyOf(setId, ''))?.shares.received() ?? 0
    return { setId, kekId: shareKekId(setId), threshold, shares, createdAt, received, isOpen: this.#open.has(setId), untaken }
  }

  /** Another ceremony may have begun meanwhile. */
  #isDealing(): boolean {
    return this.#dealing !== null
  }

  #forgetOverdue(): void {
    const nowMs = this.#deps.clock.moment().monotonicMs
    for (const [ceremony, { shares, endsAtMs }] of this.#collections) {
      if (nowMs < endsAtMs) continue
      shares.forget()
      this.#collections.delete(ceremony)
    }
    for (const [ceremony, endsAtMs] of this.#agreements) if (nowMs >= endsAtMs) this.#agreements.delete(ceremony)
    if (this.#dealing === null || nowMs < this.#dealing.endsAtMs) return
    this.#dealing.dealt.forget()
    this.#dealing = null
  }

  #endOfCeremony(): number {
    return this.#deps.clock.moment().monotonicMs + this.#deps.ceremonyMs
  }

  #storedSets(): Promise<ShareSet[]> {
    return this.#requireSets().list()
  }

  #requireSets(): ShareSetStore {
    if (this.#sets === null) throw new Error('no key store is open')
    return this.#sets
  }

  #audit(by: AuditActor, action: CustodyEntry['action'], subject: string, outcome: CustodyEntry['outcome']) {
    return this.#deps.audit.record(by, { action, subject, outcome })
  }

  #announce(): void {
    this.#announceChange()
    this.#change = null
  }
}

function readShare(text: string): CustodianShare | CustodyRefusal {
  try {
    return parseShare(text)
  } catch (err) {
    if (err instanceof ShareTextError) return new CustodyRefusal('share_malformed', err.message)
    throw err
  }
}

/** The purpose of shares by which custodians agree to a rewrap. */
export function rewrapPurpose(toKekId: string): string {
  return `rewrap ${toKekId}`
}

/** Shares that are entered for one purpose count for no other. */
function ceremonyOf(setId: string, purpose: string): string {
  return `${setId} ${purpose}`
}

/** Without its kind. */
function nameOf({ actor }: AuditActor): string {
  return actor.slice(actor.indexOf(':') + 1)
}

function subjectOf({ setId, x }: CustodianShare): string {
  return `${setId}/${String(x)}`
}
