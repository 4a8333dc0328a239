// The gateway by SMPP: Kannel's drive_smpp, one for each session because it ends with its session, behind TLS, which it does not have. What it decodes of the
// messages is on this program's output. Everything is passed on unchanged, but for what the example has it lie about. A program of its own, so that it can be
// killed and paused: `node message-centre.ts <port> <control port> <certificate> <key>`
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createConnection, createServer as createTcpServer, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { createServer as createTlsServer } from 'node:tls'
import { findOnPath } from '../../tools/find-program.ts'
import { findFreePort } from '../../tools/free-port.ts'

/** How it treats messages: as agreed, or lying. */
export const centreBehaviours = ['honest', 'acceptsAndDrops', 'garbage', 'otherSequence', 'throttles'] as const
export type CentreBehaviour = (typeof centreBehaviours)[number]

/** What the control port says. */
export interface CentreState {
  behaviour: CentreBehaviour
  /** Connections that have a drive_smpp. */
  sessions: number
  /** Messages that it has lied about since the behaviour was set. */
  lies: number
}

function serve(port: number, controlPort: number, files: { cert: string; key: string }): void {
  const state: CentreState = { behaviour: 'honest', sessions: 0, lies: 0 }
  // Each drive_smpp wants an smsbox at this port, which other programs may share (SO_REUSEPORT). That of a running Kannel will do.
  createTcpServer((socket) => socket.on('error', () => undefined))
    .on('error', () => undefined)
    .listen({ port: 13_001, host: '127.0.0.1', reusePort: true })
  createTlsServer({ cert: readFileSync(files.cert), key: readFileSync(files.key), minVersion: 'TLSv1.2' }, (client) => {
    connectCentre(client, state).catch(() => client.destroy())
  }).listen(port, '127.0.0.1')
  createServer((request, response) => {
    const wanted = centreBehaviours.find((each) => request.url === `/behave/${each}`)
    if (wanted !== undefined) Object.assign(state, { behaviour: wanted, lies: 0 })
    response.end(JSON.stringify(state))
  }).listen(controlPort, '127.0.0.1')
}

/** Starts a drive_smpp for a client, and passes on what each sends. It ends when its session does. */
async function connectCentre(client: Socket, state: CentreState): Promise<void> {
  client.on('error', () => undefined)
  client.pause()
  const centre = await startDriveSmpp()
  centre.on('error', () => undefined)
  centre.once('close', () => client.destroy())
  if (client.destroyed) return void centre.end()
  state.sessions += 1
  client.once('close', () => {
    state.sessions -= 1
    centre.end()
  })
  client.on(
    'data',
    collectPdus((pdu) => {
      const isMessage = pdu.readUInt32BE(4) === submitSm
      if (isMessage && state.behaviour !== 'honest') state.lies += 1
      const status = isMessage ? decidedStatus(state.behaviour) : null
      if (status === null) centre.write(pdu)
      else client.write(formatSubmitResponse(pdu, status))
    }),
  )
  centre.on(
    'data',
    collectPdus((pdu) => client.write(pdu.readUInt32BE(4) === submitSmResponse ? changeResponse(pdu, state.behaviour) : pdu)),
  )
  client.resume()
}

/** The connection to a drive_smpp of its own. It ends with this program (PR_SET_PDEATHSIG, by setpriv of util-linux), and writes where this program does. */
async function startDriveSmpp(): Promise<Socket> {
  const port = await findFreePort()
  const setpriv = findOnPath('setpriv')
  const command = ['/usr/lib/kannel/test/drive_smpp', '-v', '0', '-p', String(port), '-m', '1']
  const [file = '', ...args] = [...(setpriv === null ? [] : [setpriv, '--pdeathsig', 'KILL', '--']), ...command]
  const program = spawn(file, args, { stdio: ['ignore', 'inherit', 'inherit'] })
  program.once('error', () => undefined)
  for (let attempt = 0; attempt < 200; attempt++) {
    // The first connection is the session, so the port is not tried by another one.
    const socket = createConnection({ host: '127.0.0.1', port }).setNoDelay(true)
    try {
      await once(socket, 'connect')
      return socket
    } catch {
      await pause(20)
    }
  }
  program.kill('SIGKILL')
  throw new Error('drive_smpp does not listen')
}

/** Of a message that is not passed on; null for one that is. */
function decidedStatus(behaviour: CentreBehaviour): number | null {
  if (behaviour === 'acceptsAndDrops') return 0
  return behaviour === 'throttles' ? throttled : null
}

/** The response to a message that was passed on. */
function changeResponse(pdu: Buffer, behaviour: CentreBehaviour): Buffer {
  if (behaviour === 'garbage') return Buffer.alloc(pdu.length)
  if (behaviour !== 'otherSequence') return pdu
  const changed = Buffer.from(pdu)
  changed.writeUInt32BE(pdu.readUInt32BE(12) + 1_000_000, 12)
  return changed
}

function formatSubmitResponse(request: Buffer, status: number): Buffer {
  const response = Buffer.alloc(headBytes + 2, '\0\0')
  response.writeUInt32BE(response.length, 0)
  response.writeUInt32BE(submitSmResponse, 4)
  response.writeUInt32BE(status, 8)
  request.copy(response, 12, 12, headBytes)
  response.write('1', headBytes)
  return response
}

/** Passes each PDU on when it is whole: its length is in its first four bytes (SMPP 3.4 §3.2). */
export function collectPdus(onPdu: (pdu: Buffer) => void): (chunk: Buffer) => void {
  let received: Buffer = Buffer.alloc(0)
  return (chunk) => {
    received = Buffer.concat([received, chunk])
    while (received.length >= headBytes && received.length >= received.readUInt32BE(0)) {
      const length = Math.max(headBytes, received.readUInt32BE(0))
      const pdu = received.subarray(0, length)
      received = received.subarray(length)
      onPdu(pdu)
    }
  }
}

const headBytes = 16
const submitSm = 0x4
const submitSmResponse = 0x80000004
/** ESME_RTHROTTLED */
const throttled = 0x58

if (process.argv[1] === import.meta.filename) {
  const [port, controlPort, cert = '', key = ''] = process.argv.slice(2)
  serve(Number(port), Number(controlPort), { cert, key })
}
