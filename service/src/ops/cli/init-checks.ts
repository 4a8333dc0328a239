import { findExternalAdapterFaults } from '../../app/adapters.ts'
import { findProductionFaults } from '../../app/production-checks.ts'
import { listAddresses } from '../../adapters/adapter.ts'
import { kekAdapters } from '../../adapters/kms/kek-adapters.ts'
import { reachPeer, type PeerAddress } from '../../adapters/http/reach-peer.ts'
import { networkAdapters } from '../../adapters/network/network-adapters.ts'
import { smsAdapters } from '../../adapters/sms/sms-adapters.ts'
import { settings, type Config } from '../config/config.ts'
import { findTransportFaults } from '../config/private-transports.ts'

import { finding, type DoctorFinding } from './doctor-finding.ts'
import { listChosen } from './init-questions.ts'
import { runStartChecks } from './run-start-checks.ts'

/** What a production start would refuse in these settings, one sentence each. */
export function listMissing(config: Config): string[] {
  return [...findExternalAdapterFaults(config), ...findTransportFaults(settings, config), ...findProductionFaults(config)]
}

/** Reads the certificate, and connects to what the settings name: the databases and the KEK as a start does, the other peers by their address and certificate. Sends no card and no SMS. */
export async function checkInitPeers(config: Config): Promise<DoctorFinding[]> {
  const fromStart = await runStartChecks(config, (name) => ['TLS', 'database', 'key store', 'KEK'].includes(name))
  const reached = await Promise.all([...listPeers(config), ...listGateways(config)].map(checkPeer))
  return [...fromStart, ...reached]
}

/** A peer with the setting that names it. */
interface NamedPeer extends PeerAddress {
  readonly env: string
  /** What the check does not say. */
  readonly remark?: string
}

/** The peers of the chosen adapters, by their settings: an https URL, or a host with a port. */
function listPeers(config: Config): NamedPeer[] {
  const values: Readonly<Record<string, unknown>> = config
  return settings.flatMap((setting): NamedPeer[] => {
    const value = values[setting.name]
    if (!isOfChosenAdapter(setting.name, values) || typeof value !== 'string') return []
    if (setting.type === 'webUrl') return [{ env: setting.env, ...toPeerAddress(new URL(value)) }]
    const [, prefix] = /^(.*?)(?:Host|host)$/.exec(setting.name) ?? []
    const port = prefix === undefined ? undefined : values[`${prefix}Port`]
    if (typeof port !== 'number' && !/^[0-9]{1,5}$/.test(String(port))) return []
    return [{ env: setting.env, host: value, port: Number(port), isTls: values[`${prefix ?? ''}Transport`] !== 'private' }]
  })
}

/** The SMS gateways whose address is in a template. */
function listGateways(config: Config): NamedPeer[] {
  return listAddresses(smsAdapters, { environment: config.environment, values: config }).map(({ env, address }) => ({
    env,
    ...toPeerAddress(address),
    remark: 'user and password are tried by tessera sms test',
  }))
}

function toPeerAddress({ protocol, hostname, port }: URL): PeerAddress {
  const isTls = protocol === 'https:'
  return { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? (isTls ? 443 : 80) : Number(port), isTls }
}

function isOfChosenAdapter(name: string, values: Readonly<Record<string, unknown>>): boolean {
  return [kekAdapters, smsAdapters, networkAdapters].some(({ port }) =>
    listChosen(values[port]).some((adapter) => name !== port && name.toLowerCase().startsWith(`${port}${adapter}`)),
  )
}

async function checkPeer({ env, remark, ...peer }: NamedPeer): Promise<DoctorFinding> {
  const failure = await reachPeer(peer)
  const where = `${peer.host}:${String(peer.port)}`
  const reached = `${where} ${peer.isTls ? 'reached, certificate verified' : 'reached, without TLS'}`
  if (failure === null) return finding(env, true, remark === undefined ? reached : `${reached}; ${remark}`, '')
  const advice = peer.isTls ? 'check the address, and that its certificate is valid for that name' : 'check address and firewall'
  return finding(env, false, `${where} (${failure})`, advice)
}
