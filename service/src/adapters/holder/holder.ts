import type { Store } from '../../store/store.ts'
import type { Adapter, AdapterDependencies, AdapterSettings } from '../adapter.ts'
import type { HolderMatch } from '../holder-match.ts'

/**
 * An outside service that says whether a phone is the cardholder's, for verification policies that name one (docs/operating/verification-policy.md). It is
 * called for cards whose network names the phone and leaves the code to the service, after the network and before anything is sent.
 */
export interface HolderService {
  /** Whether its failures are chosen by its users, so that they never open its breaker. */
  readonly isSimulated?: boolean
  /** `unknown`: it does not know the phone or the cardholder. Throws when it gave no usable reply; the policy then decides as for `unknown`. */
  check(request: HolderRequest, signal: AbortSignal): Promise<HolderMatch>
}

export interface HolderRequest {
  /** 24 hex digits; the same in the service's log. */
  readonly requestId: string
  readonly merchantId: string
  /** Six digits, six asterisks, four digits. The full number stays with the networks. */
  readonly maskedPan: string
  /** 9 to 15 digits, country code first. */
  readonly phone: string
  /** By what the network identifies the cardholder; null if it said nothing. */
  readonly holderReference: string | null
}

/** What a holder adapter may use. The store is for the sandbox; an adapter for production does not touch it. */
export interface HolderAdapterDependencies extends AdapterDependencies {
  readonly store: Pick<Store, 'read'>
}

/** Declares a holder adapter; its settings give `create` their types. */
export function holderAdapter<Settings extends AdapterSettings>(
  adapter: Adapter<HolderService, HolderAdapterDependencies, Settings>,
): Adapter<HolderService, HolderAdapterDependencies> {
  return adapter
}
