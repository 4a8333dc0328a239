import { isKekProvider } from '../../app/adapters.ts'
import { sharesKek } from '../../adapters/kms/shares-kek.ts'
import type { Config } from '../config/config.ts'

import type { DoctorFinding } from './doctor-finding.ts'

/** What has to be so before live cards are accepted. docs/operating/going-live.md is printed from this table. */
export interface GoingLiveItem {
  readonly section: string
  /** The fact, in one sentence. */
  readonly what: string
  /** How to get there: a command, settings, or a page, by its path in the repository. */
  readonly how: string
  /** Absent: every installation. */
  readonly appliesTo?: (config: Config) => boolean
  /** Whether it is so, as far as settings and the checks of `tessera doctor` show it; absent where only a person can know. */
  readonly isDone?: (config: Config, findings: readonly DoctorFinding[]) => boolean
}

/** An item with what was found: `person` is for someone to confirm. */
export interface TickedItem {
  readonly section: string
  readonly what: string
  readonly how: string
  readonly state: 'done' | 'open' | 'person'
}

export const goingLiveItems: readonly GoingLiveItem[] = Object.freeze<GoingLiveItem[]>([
  {
    section: 'Settings',
    what: 'The environment is production.',
    how: '`tessera init` writes the config file.',
    isDone: ({ environment }) => environment === 'production',
  },
  {
    section: 'Settings',
    what: 'Every check of a start passes.',
    how: '`tessera doctor` says what to fix. [Starting](docs/operating/starting.md)',
    isDone: (_config, findings) => findings.every(({ ok }) => ok),
  },
  {
    section: 'Settings',
    what: 'Cardholders are told who the provider is: name, site, terms, privacy policy, and the text they agree to.',
    how: '`providerName`, `providerUrl`, `termsUrl`, `privacyUrl`, `disclosure`',
    isDone: ({ providerName, providerUrl, termsUrl, privacyUrl, disclosure }) =>
      [providerName, providerUrl, termsUrl, privacyUrl, disclosure].every((value) => value !== null),
  },
  {
    section: 'Settings',
    what: 'No secret is in the config file, a flag or the environment: each is in a file that only the user of the service can read.',
    how: 'the settings `…File`. [Settings](docs/reference/settings.md)',
    isDone: (_config, findings) => findings.every(({ check }) => check !== 'secrets'),
  },
  {
    section: 'Network',
    what: 'The addresses of card form and dashboard are https, on two host names of their own.',
    how: '`formOrigin`, `dashboardOrigin`. [Behind a proxy](docs/operating/behind-a-proxy.md)',
    isDone: ({ formOrigin, dashboardOrigin }) =>
      isHttps(formOrigin) && isHttps(dashboardOrigin) && hostOf(formOrigin) !== hostOf(dashboardOrigin),
  },
  {
    section: 'Network',
    what: 'Both addresses lead to this service from the internet, with certificates that browsers accept.',
    how: 'open `/sdk/v1/tessera.js` of `formOrigin` and `/dashboard` of `dashboardOrigin` in the browser of a phone',
  },
  {
    section: 'Network',
    what: 'TLS ends in the service, or in a proxy that it knows.',
    how: '`tlsCertFile` and `tlsKeyFile`, or `trustedProxies`. [TLS](docs/operating/tls.md), [behind a proxy](docs/operating/behind-a-proxy.md)',
    isDone: ({ tlsCertFile, trustedProxies }) => tlsCertFile !== null || trustedProxies !== null,
  },
  {
    section: 'Network',
    what: 'Every line without TLS is declared private, with a reason that still holds.',
    how: '`tessera doctor` lists each as “private line”.',
  },
  {
    section: 'Network',
    what: 'Health and metrics are read by monitoring, and its alerts reach someone at night.',
    how: '[Running](docs/operating/running.md#monitor)',
  },
  {
    section: 'Data',
    what: 'PostgreSQL has two databases, one of them for the keys, in backups of their own.',
    how: '`databaseUrl`, `keysDatabaseUrl`. [Keys](docs/concepts/keys.md)',
    isDone: ({ databaseUrl, keysDatabaseUrl }) => databaseUrl !== null && keysDatabaseUrl !== null && databaseUrl !== keysDatabaseUrl,
  },
  {
    section: 'Data',
    what: 'An acknowledged write survives the loss of a machine (durability `replicated`).',
    how: 'a synchronous standby of PostgreSQL. [Running](docs/operating/running.md)',
    isDone: (_config, findings) =>
      findings.some(({ check, ok, found }) => check === 'database' && ok && found.includes('durability replicated')),
  },
  {
    section: 'Data',
    what: 'A backup was restored on another machine, and a payment was found in it.',
    how: '[Backup](docs/operating/backup.md)',
  },
  {
    section: 'Keys',
    what: 'The key encryption key is in an HSM, a key service or shares of custodians, and opens.',
    how: '`tessera keys init`. [HSM or key service](docs/operating/hsm.md), [shares](docs/operating/custodian-shares.md)',
    isDone: (_config, findings) => findings.some(({ check, ok, found }) => check === 'KEK' && ok && !/^(none|file-)/.test(found)),
  },
  {
    section: 'Keys',
    what: 'The key encryption key is backed up with the tools of its maker, and two people know how to restore it.',
    appliesTo: (config) => !isKekInShares(config),
    how: '[HSM or key service](docs/operating/hsm.md)',
  },
  {
    section: 'Keys',
    what: 'Where custodians hold the key encryption key: each has checked the share that was written down, and nobody can reach as many as open it.',
    appliesTo: isKekInShares,
    how: '`tessera keys check-share`. [Shares](docs/operating/custodian-shares.md)',
  },
  {
    section: 'Audit',
    what: 'Checkpoints of the audit are exported off this machine.',
    how: '`auditCheckpointSyslog`, `auditCheckpointUrl`. [The audit](docs/concepts/audit.md)',
    isDone: ({ auditCheckpointSyslog, auditCheckpointUrl }) => auditCheckpointSyslog !== null || auditCheckpointUrl !== null,
  },
  {
    section: 'Outside systems',
    what: 'The card networks have accepted this installation.',
    how: 'their own certification. Tessera claims none.',
  },
  {
    section: 'Outside systems',
    what: 'The verification policy is that of the acts in force, which a person has read.',
    how: '`verificationPolicy`. [Verification policy](docs/operating/verification-policy.md)',
  },
  {
    section: 'Outside systems',
    what: 'The gateways have approved the texts where they ask for that, and a message from each of them arrived whole.',
    how: '`tessera sms test +998…`. [SMS](docs/operating/sms.md)',
  },
  {
    section: 'Outside systems',
    what: 'A code arrived on a phone of every operator of the country.',
    how: 'create and verify a card of your own by the form',
  },
  {
    section: 'Outside systems',
    what: 'A card of your own was stored, charged, and refunded, and the merchant got its webhook.',
    how: '[A card of your own](docs/operating/going-live.md#a-card-of-your-own)',
  },
  {
    section: 'Outside systems',
    what: 'The file of each card network is compared with the payments every day, and somebody looks at the differences.',
    how: '`tessera receipts reconcile`. [Daily reconciliation](docs/operating/reconciliation.md)',
  },
  {
    section: 'People',
    what: 'Every merchant has its own password, and the file from which they were handed out is deleted.',
    how: '`tessera merchants import`. [Merchants](docs/operating/merchants.md)',
  },
  {
    section: 'People',
    what: 'The person on duty knows what to do with a payment that is stuck.',
    how: '[Stuck payments](docs/operating/stuck-payment.md)',
  },
  {
    section: 'People',
    what: 'Your assessor has seen where card numbers are, and has not relied on this program for a judgement.',
    how: '[SECURITY.md](SECURITY.md). No independent audit of Tessera has been made.',
  },
])

/** Goes through those items of the checklist that the settings have. */
export function tickGoingLive(config: Config, findings: readonly DoctorFinding[]): TickedItem[] {
  return goingLiveItems
    .filter(({ appliesTo }) => appliesTo?.(config) !== false)
    .map(({ section, what, how, isDone }) => ({
      section,
      what,
      how,
      state: isDone === undefined ? 'person' : isDone(config, findings) ? 'done' : 'open',
    }))
}

/** Formats the checklist for a terminal: `[x]` is so, `[ ]` is not, `[?]` only a person can know. */
export function printGoingLive(items: readonly TickedItem[]): string {
  const marks = { done: '[x]', open: '[ ]', person: '[?]' } as const
  const count = (state: TickedItem['state']): string => String(items.filter((item) => item.state === state).length)
  return [
    'Before going live (docs/operating/going-live.md):  [x] so   [ ] not so   [?] for you to confirm',
    ...items.flatMap(({ section, what, how, state }, i) => [
      ...(section === items[i - 1]?.section ? [] : ['', section]),
      `  ${marks[state]} ${plainText(what)}${state === 'done' ? '' : `\n      ${plainText(how)}`}`,
    ]),
    '',
    `${count('done')} so, ${count('open')} not so, ${count('person')} to confirm.`,
  ].join('\n')
}

/** Markdown without its marks: a link is printed as its page. */
function plainText(markdown: string): string {
  return markdown
    .replaceAll('`', '')
    .replaceAll(/\[([^\]]*)\]\(([^)]*)\)/g, (_link, text: string, page: string) => (text === page ? page : `${text}: ${page}`))
}

function isKekInShares(config: Config): boolean {
  return isKekProvider(config, sharesKek.name)
}

function hostOf(origin: string | null): string | null {
  return origin === null ? null : new URL(origin).hostname
}

function isHttps(origin: string | null): boolean {
  return origin?.startsWith('https://') === true
}
