// A double of a card network: no real one can be reached from here. A program of its own, so that it can be killed and paused; what it took is in a file
// before it replies. `node card-network.ts <port> <control port> <certificate> <key> <ledger file>`
import { createHash } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import { createServer } from 'node:http'
import type { Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { formatHostMessage, takeMessages, type HostMessage } from './iso-message.ts'

/** How it treats financial messages: as agreed, or lying. */
export const behaviours = ['honest', 'takesAndIsSilent', 'otherAmount', 'otherTrace', 'garbage', 'allRefused'] as const
export type Behaviour = (typeof behaviours)[number]

/** One authorization, by STAN and time of its request. `tiyin`: what is taken of it now. */
export interface LedgerEntry {
  readonly trace: string
  /** Keyed by nothing: the cards are test cards. */
  readonly card: string
  readonly tiyin: number
}

/** The phone of a card, which the example's network knows for each: 998 90 and the last seven digits of its number. */
export function phoneOfCard(pan: string): string {
  return `99890${pan.slice(-7)}`
}

function serve(port: number, controlPort: number, files: { cert: string; key: string; ledger: string }): void {
  const ledger = new Map<string, LedgerEntry>()
  const replies = new Map<string, HostMessage>()
  const recorded = existsSync(files.ledger) ? readFileSync(files.ledger, 'utf8').split('\n').filter(Boolean) : []
  for (const line of recorded) apply(JSON.parse(line) as JournalLine)
  const fd = openSync(files.ledger, 'a')
  let behaviour: Behaviour = 'honest'
  process.once('exit', () => closeSync(fd))

  createTlsServer({ cert: readFileSync(files.cert), key: readFileSync(files.key), minVersion: 'TLSv1.2' }, onSocket).listen(
    port,
    '127.0.0.1',
  )
  createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://host')
    const wanted = behaviours.find((each) => pathname === `/behave/${each}`)
    if (wanted !== undefined) behaviour = wanted
    response.end(JSON.stringify({ behaviour, ledger: [...ledger.values()] }))
  }).listen(controlPort, '127.0.0.1')

  function onSocket(socket: Socket): void {
    let received: Buffer = Buffer.alloc(0)
    socket.on('error', () => undefined)
    socket.on('data', (chunk: Buffer) => {
      const { messages, rest } = takeMessages(Buffer.concat([received, chunk]))
      received = rest
      for (const message of messages) reply(socket, message)
    })
  }

  function reply(socket: Socket, request: HostMessage): void {
    const honest = answer(request)
    const isFinancial = !request.mti.startsWith('08')
    if (!isFinancial || behaviour === 'honest' || behaviour === 'allRefused') return void socket.write(formatHostMessage(honest))
    if (behaviour === 'takesAndIsSilent') return
    if (behaviour === 'garbage') return void socket.write(Buffer.from('\0\x05hello'))
    const { 4: amount = '', 11: stan = '' } = honest.fields
    const changed =
      behaviour === 'otherAmount'
        ? { 4: String(Number(amount) + 1).padStart(12, '0') }
        : { 11: String(999_999 - Number(stan)).padStart(6, '0') }
    socket.write(formatHostMessage({ ...honest, fields: { ...honest.fields, ...changed } }))
  }

  /** A request with the STAN and time of an earlier one has no second effect and gets the same reply. */
  function answer({ mti, fields }: HostMessage): HostMessage {
    const key = `${mti.slice(0, 3)} ${String(fields[11])}${String(fields[7])}`
    const known = replies.get(key)
    if (known !== undefined) return known
    const { 2: pan = '', 14: _expiry, 38: _code, 90: original = '', ...echoed } = fields
    const isInquiry = mti === '0100' && fields[3] === '390000'
    const code = mti.startsWith('08') || isInquiry ? '00' : decide(mti, { pan, original, ...fields })
    const given: Record<number, string> = { ...echoed, 39: code }
    if (isInquiry) given[48] = phoneOfCard(pan)
    if (code === '00' && mti < '0400') given[38] = 'A1B2C3'
    const replied = { mti: `${mti.slice(0, 2)}${String(Number(mti[2]) + 1)}0`, fields: given }
    if (!isInquiry && code !== '91') record({ key, reply: replied, ...effectOf(mti, code, { pan, original, ...fields }) })
    return replied
  }

  function decide(mti: string, fields: Readonly<Record<string, string>>): string {
    if (behaviour === 'allRefused') return '91'
    if (mti === '0100' || mti === '0200') return '00'
    return ledger.has(originalOf(fields)) ? '00' : '25'
  }

  function effectOf(mti: string, code: string, fields: Readonly<Record<string, string>>): { entry?: LedgerEntry } {
    if (code !== '00' || mti.startsWith('08')) return {}
    if (mti === '0100' || mti === '0200') {
      const trace = `${String(fields['11'])}${String(fields['7'])}`
      const card = createHash('sha256').update(String(fields.pan)).digest('hex').slice(0, 16)
      return { entry: { trace, card, tiyin: Number(fields['4']) } }
    }
    const entry = ledger.get(originalOf(fields))
    return entry === undefined ? {} : { entry: { ...entry, tiyin: mti.startsWith('022') ? Number(fields['4']) : 0 } }
  }

  function record(recorded: JournalLine): void {
    apply(recorded)
    writeSync(fd, `${JSON.stringify(recorded)}\n`)
    fsyncSync(fd)
  }

  function apply({ key, reply: replied, entry }: JournalLine): void {
    replies.set(key, replied)
    if (entry !== undefined) ledger.set(entry.trace, entry)
  }
}

interface JournalLine {
  readonly key: string
  readonly reply: HostMessage
  readonly entry?: LedgerEntry
}

function originalOf(fields: Readonly<Record<string, string>>): string {
  return String(fields.original).slice(4, 20)
}

if (process.argv[1] === import.meta.filename) {
  const [port, controlPort, cert = '', key = '', ledger = ''] = process.argv.slice(2)
  serve(Number(port), Number(controlPort), { cert, key, ledger })
}
