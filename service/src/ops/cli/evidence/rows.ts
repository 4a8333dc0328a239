import { isLoopbackHost } from '../../../app/admin-access.ts'
import { findDatabaseTransportFaults, isSameDatabase } from '../../../app/database-transport.ts'
import { startChecks } from '../../../app/start-checks.ts'
import type { Config } from '../../config/config.ts'
import { settings } from '../../config/config.ts'
import { listPrivateTransports } from '../../config/private-transports.ts'

import type { EvidenceFacts } from './facts.ts'
import { type EvidenceVerdict, judgeFaults, met, notMet, person, unknown } from './verdicts.ts'

/** One requirement of PCI DSS 4.0.1 on the operator of this service, and what shows whether it is met. */
export interface EvidenceRow {
  readonly id: string
  /** Numbers of PCI DSS 4.0.1. */
  readonly requirement: string
  /** What has to be so here, in one sentence. */
  readonly what: string
  /** The command or setting that shows it again. */
  readonly shownBy: string
  /** What the operator does when it is not met, not known, or for a person to judge. */
  readonly next: string
  readonly judge: (facts: EvidenceFacts) => EvidenceVerdict
}

/** Printed into docs/operating/evidence.md. */
export const evidenceRows: readonly EvidenceRow[] = Object.freeze<EvidenceRow[]>([
  {
    id: 'start',
    requirement: '2.2.1',
    what: 'A start with this configuration on these stores is accepted.',
    shownBy: '`tessera doctor`',
    next: 'Correct what the checks name, until `tessera doctor` finds nothing: `docs/operating/starting.md`.',
    judge({ findings }) {
      const ofStart = findings.filter(({ check }) => startNames.has(check))
      const failed = ofStart.filter(({ ok, skipped }) => !ok && skipped !== true)
      if (failed.length > 0) return notMet(failed.map(({ check, found }) => `${check}: ${found}`).join(' | '))
      const unseen = ofStart.filter((each) => each.unseen === true)
      if (unseen.length > 0) return unknown(unseen.map(({ check, found }) => `${check}: ${found}`).join(' | '))
      return met(`${String(ofStart.length)} checks passed`)
    },
  },
  {
    id: 'environment',
    requirement: '2.2.4, 6.5.6',
    what: 'The environment is production, and no part of the sandbox is in use.',
    shownBy: '`tessera settings`: `environment`, `sms`, `network`',
    next: 'Start with `environment=production`, and choose the gateway and the card network that you have a contract with: `docs/operating/going-live.md`.',
    judge: withConfig((config) => {
      const used = (['sms', 'network', 'holder'] as const).filter((name) => chosenAdapters(config, name).includes('sandbox'))
      if (config.environment !== 'production') return notMet(`the environment is ${config.environment}`)
      const chosen = (['sms', 'network'] as const).map((name) => `${name}=${chosenAdapters(config, name).join(',') || 'none'}`)
      if (chosen.some((each) => each.endsWith('=none'))) return notMet(chosen.join(', '))
      return used.length === 0 ? met(chosen.join(', ')) : notMet(`the sandbox is chosen for ${used.join(' and ')}`)
    }),
  },
  {
    id: 'test-data',
    requirement: '6.5.6',
    what: 'The database has no data of a test environment.',
    shownBy: '`tessera doctor`: test data',
    next: 'Begin with an empty database. Data of a test environment cannot be moved into production.',
    judge(facts) {
      // The check looks for test data in production only.
      return facts.config?.environment === 'test' ? unknown('not looked for, in the test environment') : byChecks(['test data'])(facts)
    },
  },
  {
    id: 'admin-access',
    requirement: '2.2.7',
    what: 'Health, metrics and control are reached from this machine only, or over TLS with a certificate of the client.',
    shownBy: '`adminHost`, `adminTlsClientCa`',
    next: 'Set `adminHost` to 127.0.0.1, or set `adminTlsCertificate`, `adminTlsKey` and `adminTlsClientCa`.',
    judge: withConfig(({ adminHost, adminTlsClientCa }) => {
      if (isLoopbackHost(adminHost)) return met(`the listener is on ${adminHost}; the control socket is a file of the data folder`)
      return adminTlsClientCa === null
        ? notMet(`${adminHost} with a token, and without certificates of clients`)
        : met(`${adminHost}, with certificates of clients`)
    }),
  },
  {
    id: 'retention',
    requirement: '3.2.1',
    what: 'Card data is deleted when it is no longer needed.',
    shownBy: '`unverifiedLifetimeMinutes`, `oneTimeLifetimeHours`, `requestLogDays`, `smsSendsDays`',
    next: 'Compare these times with your retention policy, and shorten what it does not need: `tessera retention report`.',
    judge: withConfig(({ unverifiedLifetimeMinutes, oneTimeLifetimeHours, requestLogDays, smsSendsDays }) =>
      person(
        `unverified cards ${String(unverifiedLifetimeMinutes)} minutes, cards for one payment ${String(oneTimeLifetimeHours)} hours, request log (no card number) ` +
          `${String(requestLogDays)} days, rows of sent codes (keyed hash of the phone) ${String(smsSendsDays)} days`,
      ),
    ),
  },
  {
    id: 'card-numbers',
    requirement: '3.5.1',
    what: 'Every stored card is one that this service sealed and wrote, by its MAC.',
    shownBy: '`tessera store check`',
    next: 'Find out who wrote to the database, and restore what was changed from a backup: `docs/operating/backup.md`.',
    judge: withStore(({ cards, changedCards }) => judgeFaults(changedCards, count(cards, 'card'))),
  },
  {
    id: 'kek',
    requirement: '3.6.1.2',
    what: 'The key encryption key is in an HSM, a key service or shares of custodians, and opens.',
    shownBy: '`tessera doctor`: KEK; `tessera keys status`',
    next: 'Move the key encryption key with `tessera keys rewrap`: `docs/operating/hsm.md`, `docs/operating/custodian-shares.md`. Where custodians hold it, let them enter their shares and repeat this.',
    judge(facts) {
      const verdict = byChecks(['KEK'])(facts)
      return verdict.state === 'met' && /^(none|file-)/.test(verdict.found) ? notMet(`a development key: ${verdict.found}`) : verdict
    },
  },
  {
    id: 'keys-apart',
    requirement: '3.6.1.2, 3.6.1.4',
    what: 'The data keys are in another database than the cards, so that no backup has both.',
    shownBy: '`databaseUrl`, `keysDatabaseUrl`',
    next: 'Set `keysDatabaseUrl` to a database on another server, with another administrator, and keep its backups elsewhere.',
    judge: withConfig(({ databaseUrl, keysDatabaseUrl }) => {
      if (databaseUrl === null) return notMet('both are files of one data folder')
      if (keysDatabaseUrl === null || isSameDatabase(databaseUrl, keysDatabaseUrl)) return notMet('both are in one database')
      return met('two databases')
    }),
  },
  {
    id: 'cryptoperiod',
    requirement: '3.7.4',
    what: 'No key is in use behind the end of its cryptoperiod.',
    shownBy: '`tessera keys status`, `kekAgeDaysMax`',
    next: 'Rotate what is named: `tessera keys rotate`, for the key encryption key `tessera keys rewrap`.',
    judge(facts) {
      const { keys, config, now } = facts
      if (typeof keys === 'string') return unknown(keys)
      if (config === null) return refusedSettings(facts)
      const kekDays = keys.kekSince === null ? null : Math.floor((now - keys.kekSince) / dayMs)
      const kek = kekDays !== null && kekDays >= config.kekAgeDaysMax ? [`KEK, ${String(kekDays)} days old`] : []
      return judgeFaults(
        [...kek, ...keys.overdue],
        `${count(keys.active, 'data key')} in use; KEK ${kekDays === null ? 'not used yet' : `${String(kekDays)} days old, of ${String(config.kekAgeDaysMax)}`}`,
      )
    },
  },
  {
    id: 'key-integrity',
    requirement: '3.7.7',
    what: 'Every data key unwraps to the key that was wrapped, and none was exchanged.',
    shownBy: '`tessera keys verify`',
    next: 'Let nobody rotate or destroy a key before `tessera keys verify` is clean; restore the key store from a backup.',
    judge: byChecks(['key store', 'data keys']),
  },
  {
    id: 'tls-outside',
    requirement: '4.2.1',
    what: 'Cards are typed and sent over https only, and TLS ends in the service or in a proxy that it knows.',
    shownBy: '`formOrigin`, `dashboardOrigin`, `tlsCertFile`, `trustedProxies`',
    next: 'Set `formOrigin` and `dashboardOrigin` to addresses with https, and `tlsCertFile` with `tlsKeyFile` or `trustedProxies`: `docs/operating/tls.md`.',
    judge: withConfig(({ formOrigin, dashboardOrigin, apiOrigin, tlsCertFile, trustedProxies }) => {
      const plain = [formOrigin, dashboardOrigin, apiOrigin].filter((origin) => origin !== null && !origin.startsWith('https://'))
      if (formOrigin === null || dashboardOrigin === null) return notMet('formOrigin or dashboardOrigin is not set')
      if (plain.length > 0) return notMet(`${plain.join(', ')}: not https`)
      if (tlsCertFile === null && trustedProxies === null) return notMet('neither a certificate nor a trusted proxy is set')
      return met(tlsCertFile === null ? 'TLS ends in a trusted proxy' : 'TLS ends in the service')
    }),
  },
  {
    id: 'tls-inside',
    requirement: '4.2.1, 2.2.7',
    what: 'Lines to database, gateways and card networks have TLS, or are declared private with a reason.',
    shownBy: '`tessera doctor`: private line',
    next: 'Use TLS on the lines that are named. Where a line is private, show the assessor the network that makes it so; its reason is a setting.',
    judge: withConfig((config) => {
      const faults = findDatabaseTransportFaults(config)
      const lines = listPrivateTransports(settings, config)
      const unexplained = lines.filter(({ reason }) => reason === null).map(({ env }) => `${env} without a reason`)
      if (faults.length + unexplained.length > 0) return notMet([...faults, ...unexplained].join(' | '))
      return lines.length === 0
        ? met('none of the lines that are set is without TLS')
        : person(lines.map(({ env, reason }) => `${env}: ${String(reason)}`).join(' | '))
    }),
  },
  {
    id: 'page-scripts',
    requirement: '6.4.3',
    what: 'The scripts of the card form are listed with their hashes.',
    shownBy: '`/sdk/v1/integrity.json`',
    next: 'Build the card form, or install the package again: a package without it is not whole.',
    judge: ({ scripts }) =>
      typeof scripts === 'string' ? notMet(scripts) : met(scripts.map(({ name, integrity }) => `${name} ${integrity}`).join(', ')),
  },
  {
    id: 'files',
    requirement: '3.6.1.3, 7.2.1',
    what: 'Data folder and files can be read by the user of the service only.',
    shownBy: '`tessera doctor`: folder, folder mode, file modes, config file',
    next: 'Take the rights of others from what is named: `chmod -R go= <folder>`.',
    judge: byChecks(['folder', 'folder mode', 'file modes', 'config file']),
  },
  {
    id: 'session-idle',
    requirement: '8.2.8',
    what: 'A session of the dashboard that was idle for more than 15 minutes needs a new sign-in.',
    shownBy: '`docs/guides/dashboard.md`; `docs/reference/security-rules.md`',
    next: 'No setting changes this time: run a version whose sessions end in time.',
    judge: ({ session }) =>
      (session.idleMs <= idleMsMax ? met : notMet)(
        `after ${String(session.idleMs / minuteMs)} minutes without a call, and after ${String(session.absoluteMs / hourMs)} hours in any case; no setting changes it`,
      ),
  },
  {
    id: 'passwords',
    requirement: '8.3.2',
    what: 'Passwords of the dashboard are stored by a slow hash.',
    shownBy: '`dashboardPasswordCost`',
    next: 'Set `dashboardPasswordCost` to 17 or more.',
    judge: withConfig(({ dashboardPasswordCost: cost }) => (cost >= 17 ? met : notMet)(`scrypt with N = 2^${String(cost)}`)),
  },
  {
    id: 'limits',
    requirement: '8.3.4',
    what: 'Attempts of each address, phone, card and user are limited.',
    shownBy: '`limits`; `docs/operating/limits.md`',
    next: 'Start with `environment=production`, where `limits` are always on. The numbers are in `docs/operating/limits.md`; compare them with your policy (8.3.4 wants ten attempts at most).',
    judge: withConfig(({ limits, environment }) =>
      (limits ?? environment === 'production') ? met('limits are on') : notMet('limits are off'),
    ),
  },
  {
    id: 'second-factor',
    requirement: '8.4.2',
    what: 'Every person who can sign in to the dashboard has a second factor.',
    shownBy: '`tessera dashboard users list`',
    next: 'Let each of these users set up a passkey or a code (TOTP), or disable them: `tessera dashboard users list`.',
    judge: ({ users }) =>
      typeof users === 'string'
        ? unknown(users)
        : (users.withoutSecondFactor === 0 ? met : notMet)(
            `${count(users.active, 'active user')}, ${String(users.withoutSecondFactor)} without a second factor`,
          ),
  },
  {
    id: 'secrets',
    requirement: '8.6.2',
    what: 'No secret is in the config file, a flag or the environment.',
    shownBy: '`tessera doctor`: secrets',
    next: 'Put each secret into a file of its own that only the service may read, and change it, because it was seen: the setting that ends in `File`.',
    judge(facts) {
      if (facts.config === null) return refusedSettings(facts)
      if (facts.config.environment !== 'production') return unknown('looked at in production only')
      const found = facts.findings.filter(({ check }) => check === 'secrets')
      return found.length === 0 ? met('each is in a file of its own') : notMet(found.map((each) => each.found).join(' | '))
    },
  },
  {
    id: 'audit-entries',
    requirement: '10.2.1, 10.3.2',
    what: 'Every entry of the audit is there and as it was written.',
    shownBy: '`tessera audit verify`',
    next: 'Treat it as an incident: compare with the checkpoints outside of this machine (`tessera audit verify`), and find out who wrote to the database.',
    judge: withStore(({ chainFaults, entries, chains }) =>
      judgeFaults(chainFaults, `${count(entries, 'entry', 'entries')} in ${count(chains, 'chain')}`),
    ),
  },
  {
    id: 'audit-export',
    requirement: '10.3.3',
    what: 'Checkpoints of the audit are exported off this machine.',
    shownBy: '`auditCheckpointSyslog`, `auditCheckpointUrl`',
    next: 'Set `auditCheckpointSyslog` or `auditCheckpointUrl` to a machine that administrators of this one cannot change.',
    judge: withConfig(({ auditCheckpointSyslog, auditCheckpointUrl }) => {
      const places = [auditCheckpointSyslog === null ? [] : ['syslog'], auditCheckpointUrl === null ? [] : ['a web address']].flat()
      return places.length === 0 ? notMet('they are in the data folder only') : met(places.join(' and '))
    }),
  },
  {
    id: 'audit-history',
    requirement: '10.5.1',
    what: 'The audit reaches back 12 months, or to the first start, and all of it is at hand.',
    shownBy: '`tessera retention report`; `tessera audit list`',
    next: 'Show the assessor the history from before the first start, where there was one, and that the log that the service writes is kept for 12 months where you collect it; `docs/operating/retention.md`. Where entries are missing: `tessera audit verify`.',
    judge(facts) {
      const { store, config, now } = facts
      if (typeof store === 'string') return unknown(store)
      if (config === null) return refusedSettings(facts)
      if (store.oldestEntryAt === null) return notMet('the audit has no entry')
      if (store.chainFaults.length > 0) return judgeFaults(store.chainFaults, '')
      const days = Math.floor((now - store.oldestEntryAt) / dayMs)
      const checkpoints = hasCheckpointExport(config) ? 'exported' : 'in a file of this machine only'
      const found =
        `since ${new Date(store.oldestEntryAt).toISOString().slice(0, 10)}, ${String(days)} days, without a gap; no job and no setting deletes entries; ` +
        `checkpoints ${checkpoints}; request log, which is no audit log, ${String(config.requestLogDays)} days`
      return days >= historyDays ? met(found) : person(`${found}. The installation is younger than 12 months`)
    },
  },
  {
    id: 'clock',
    requirement: '10.6.1',
    what: 'The clock is not behind the newest file of the data folder; that it is synchronized is for a person to show.',
    shownBy: '`tessera doctor`: clock',
    next: 'Show the assessor that the machine takes its time from your time servers, such as `chronyc sources`.',
    judge(facts) {
      const verdict = byChecks(['clock'])(facts)
      return verdict.state === 'met' ? person(verdict.found) : verdict
    },
  },
  {
    id: 'changed-rows',
    requirement: '11.5.2',
    what: 'No row of the database was changed by anything but this service.',
    shownBy: '`tessera store check`',
    next: 'Treat it as an incident: find out who wrote to the database, and restore what was changed from a backup.',
    judge: withStore(({ changedCards, changedRows, rows }) =>
      judgeFaults([...changedCards, ...changedRows], `${count(rows, 'row')} with a MAC, every one right`),
    ),
  },
  {
    id: 'page-readings',
    requirement: '11.6.1',
    what: "Merchants' pages that are registered are read again, and compared, at least once a week.",
    shownBy: '`pageReadHours`; `tessera_page_readings_overdue_seconds`',
    next: 'Set `pageReadHours` to 168 or less, and let the service run and reach the internet: `docs/operating/alerts/tessera-page-readings-late.md`. Ask merchants about pages that do not respond, and let those that embed the card form check each page of theirs by its address: `docs/guides/dashboard.md`.',
    judge(facts) {
      const { pages, config } = facts
      if (config === null) return refusedSettings(facts)
      if (config.pageReadHours === 0) return notMet('pages are never read again (`pageReadHours` is 0)')
      if (typeof pages === 'string') return unknown(pages)
      const { watched, late, silent, changed } = pages
      const found = `every ${String(config.pageReadHours)} hours; ${count(watched, 'page')}`
      if (late > 0) return notMet(`${found}, ${String(late)} of them not read for more than a week`)
      if (watched === 0) return person(`${found}: no merchant has registered one. A merchant may watch its own pages by other means`)
      if (silent > 0)
        return person(`${found}; ${String(silent)} of them did not respond for more than a week, although they are tried again and again`)
      return met(`${found}, each read within a week; ${String(changed)} have changed since a person checked them`)
    },
  },
])

type Judge = EvidenceRow['judge']

function withConfig(judge: (config: Config) => EvidenceVerdict): Judge {
  return (facts) => (facts.config === null ? refusedSettings(facts) : judge(facts.config))
}

function withStore(judge: (store: Exclude<EvidenceFacts['store'], string>) => EvidenceVerdict): Judge {
  return ({ store }) => (typeof store === 'string' ? unknown(store) : judge(store))
}

/** By checks of the doctor that were made; those that were skipped, not looked at, or never reached, are unknown. */
function byChecks(names: readonly string[]): Judge {
  return ({ findings }) => {
    const found = findings.filter(({ check }) => names.includes(check))
    const describe = (some: typeof found): string =>
      some.map((each) => (names.length === 1 ? each.found : `${each.check}: ${each.found}`)).join('; ')
    const text = describe(found)
    const failed = found.filter(({ ok, skipped }) => !ok && skipped !== true)
    if (failed.length > 0) return notMet(describe(failed))
    const isUnknown = found.length === 0 || found.some(({ skipped, unseen }) => skipped === true || unseen === true)
    if (isUnknown) return unknown(text || 'the check was not reached')
    return met(text)
  }
}

/** The names in a setting that chooses adapters: `smpp,http`. */
function chosenAdapters(config: Config, port: 'sms' | 'network' | 'holder'): string[] {
  const value: unknown = (config as unknown as Readonly<Record<string, unknown>>)[port]
  if (Array.isArray(value)) return value.map(String)
  return typeof value === 'string' ? value.split(',') : []
}

function count(number: number, one: string, several = `${one}s`): string {
  return `${String(number)} ${number === 1 ? one : several}`
}

function hasCheckpointExport({ auditCheckpointSyslog, auditCheckpointUrl }: Config): boolean {
  return auditCheckpointSyslog !== null || auditCheckpointUrl !== null
}

function refusedSettings({ findings }: EvidenceFacts): EvidenceVerdict {
  return unknown(
    `the settings are refused: ${findings
      .filter(({ ok }) => !ok)
      .map(({ found }) => found)
      .join(' | ')}`,
  )
}

/** `settings`: a start reads them first. */
const startNames: ReadonlySet<string> = new Set(['settings', ...startChecks.map(({ name }) => name)])
/** 12 months, of which 10.5.1 wants three at hand. */
const historyDays = 365
const dayMs = 86_400_000
const hourMs = 3_600_000
const minuteMs = 60_000
/** Of 8.2.8. */
const idleMsMax = 15 * minuteMs
