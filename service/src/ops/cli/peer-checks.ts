import { lookup } from 'node:dns/promises'
import { readFileSync } from 'node:fs'

import { listAddresses, settingName, type AdapterSettings } from '../../adapters/adapter.ts'
import { hostOf } from '../../adapters/http/address-guard.ts'
import { reachPeer, type PeerAddress } from '../../adapters/http/reach-peer.ts'
import { holderAdapters } from '../../adapters/holder/holder-adapters.ts'
import { kekAdapters } from '../../adapters/kms/kek-adapters.ts'
import { networkAdapters } from '../../adapters/network/network-adapters.ts'
import { smsAdapters } from '../../adapters/sms/sms-adapters.ts'
import { usesHolderService } from '../../domain/verification/policy.ts'
import { settings, type Config } from '../config/config.ts'

import { finding, type DoctorFinding } from './doctor-finding.ts'
import { listChosen } from './init-questions.ts'

/** Connects to the outside systems that the settings name, but for the databases, and verifies their certificates. Sends no card, no SMS and no checkpoint. */
export async function checkPeers(config: Config): Promise<DoctorFinding[]> {
  const peers = [...listAdapterPeers(config), ...listGateways(config), ...listCheckpointPeers(config)]
  return Promise.all([...peers.map(checkPeer), ...listDatagramPeers(config).map(checkName)])
}

/** A peer with the setting that names it. */
interface NamedPeer extends PeerAddress {
  readonly env: string
  /** The file of the authorities that its certificate is checked against, where it is not the system's. */
  readonly caFile?: string
  /** What the check does not say. */
  readonly remark?: string
}

type Values = Readonly<Record<string, unknown>>

/** The peers of the chosen adapters, by their settings: an https URL, or a host with a port. */
function listAdapterPeers(config: Config): NamedPeer[] {
  const values: Values = config
  const used = [kekAdapters, smsAdapters, networkAdapters, ...(usesHolderService(config) ? [holderAdapters] : [])]
  return used.flatMap(({ port, adapters }) =>
    adapters
      .filter(({ name }) => listChosen(values[port]).includes(name))
      .flatMap(({ name, settings: own }) => listOwn({ port, name, own }, values)),
  )
}

function listOwn(
  { port: portName, name, own }: { readonly port: string; readonly name: string; readonly own: AdapterSettings },
  values: Values,
): NamedPeer[] {
  const read = (key: string): unknown => values[settingName(portName, name, key)]
  const env = (key: string): string => settings.find((setting) => setting.name === settingName(portName, name, key))?.env ?? key
  const urls = Object.entries(own).filter(([, { row }]) => row.type === 'webUrl')
  const byUrl = urls.flatMap(([key]): NamedPeer[] => {
    const url = read(key)
    return typeof url === 'string' ? [{ env: env(key), ...toPeerAddress(new URL(url)) }] : []
  })
  const [host, port, caFile] = [read('host'), Number(read('port')), read('caFile')]
  if (typeof host !== 'string' || !Number.isInteger(port)) return byUrl
  const isTls = read('transport') !== 'private'
  return [...byUrl, { env: env('host'), host, port, isTls, ...(typeof caFile === 'string' ? { caFile } : {}) }]
}

/** The SMS gateways whose address is in a template. */
function listGateways(config: Config): NamedPeer[] {
  return listAddresses(smsAdapters, { environment: config.environment, values: config }).map(({ env, address }) => ({
    env,
    ...toPeerAddress(address),
    remark: 'user and password are tried by tessera sms test',
  }))
}

/** Where checkpoints of the audit are sent over a connection. */
function listCheckpointPeers({ auditCheckpointUrl, auditCheckpointSyslog }: Config): NamedPeer[] {
  const syslog = auditCheckpointSyslog === null ? null : new URL(auditCheckpointSyslog)
  return [
    ...(auditCheckpointUrl === null ? [] : [{ env: 'TESSERA_AUDIT_CHECKPOINT_URL', ...toPeerAddress(new URL(auditCheckpointUrl)) }]),
    ...(syslog?.protocol === 'tcp:' ? [{ env: syslogEnv, host: hostOf(syslog), port: Number(syslog.port || '601'), isTls: false }] : []),
  ]
}

/** Where they are sent by UDP. */
function listDatagramPeers({ auditCheckpointSyslog }: Config): string[] {
  const syslog = auditCheckpointSyslog === null ? null : new URL(auditCheckpointSyslog)
  return syslog?.protocol === 'udp:' ? [hostOf(syslog)] : []
}

function toPeerAddress(url: URL): PeerAddress {
  const isTls = url.protocol === 'https:'
  return { host: hostOf(url), port: url.port === '' ? (isTls ? 443 : 80) : Number(url.port), isTls }
}

async function checkPeer({ env, remark, caFile, ...peer }: NamedPeer): Promise<DoctorFinding> {
  const failure = await reachPeerOf(peer, caFile)
  const where = `${peer.host}:${String(peer.port)}`
  const reached = `${where} ${peer.isTls ? 'reached, certificate verified' : 'reached, without TLS'}`
  if (failure === null) return finding(env, true, remark === undefined ? reached : `${reached}; ${remark}`, '')
  const advice = peer.isTls ? 'check the address, and that its certificate is valid for that name' : 'check address and firewall'
  return finding(env, false, `${where} (${failure})`, advice)
}

async function reachPeerOf(peer: PeerAddress, caFile: string | undefined): Promise<string | null> {
  if (caFile === undefined || !peer.isTls) return reachPeer(peer)
  try {
    return await reachPeer({ ...peer, ca: readFileSync(caFile, 'utf8') })
  } catch (err) {
    return `${caFile} cannot be read: ${(err as NodeJS.ErrnoException).code ?? 'unknown'}`
  }
}

/** Nothing acknowledges a datagram, so that only the name can be checked. */
async function checkName(host: string): Promise<DoctorFinding> {
  try {
    const { address } = await lookup(host)
    return finding(syslogEnv, true, `${host} is ${address}; no server acknowledges UDP: look there for the first checkpoint`, '')
  } catch (err) {
    return finding(syslogEnv, false, `${host} (${(err as NodeJS.ErrnoException).code ?? 'unknown'})`, 'check the name')
  }
}

const syslogEnv = 'TESSERA_AUDIT_CHECKPOINT_SYSLOG'
