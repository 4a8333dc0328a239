// needs: kannel
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { after, test } from 'node:test'

import { findFreePort } from '../../../../../tools/free-port.ts'
import { openKannelFolder } from '../kannel.fixture.ts'

import { encodeSegments } from './message.ts'
import { encodeBind, encodePdu, encodeSubmit, makePduReader, responseTo, smppCommands, type SmppPdu } from './pdu.ts'

// Kannel's decoder reads what we encode. Its test program knows no bind_transceiver and ends after one, so the adapter itself cannot be bound to it.

const folder = openKannelFolder()
after(() => folder.close())

const bindTransmitter = 0x2

test('Kannel reads our binds and messages, and we its responses', async (t) => {
  // The program wants an smsbox at a port of its own, which it cannot be told.
  const smsbox = createServer((socket) => socket.on('error', () => undefined)).on('error', () => undefined)
  smsbox.listen(13_001, '127.0.0.1')
  t.after(() => smsbox.close())
  const port = await findFreePort()
  const centre = folder.start('/usr/lib/kannel/test/drive_smpp', ['-v', '0', '-p', String(port), '-m', '1000'])
  await centre.said(/accept_thread\) maps to/)
  const socket = connect(port, '127.0.0.1').on('error', () => undefined)
  t.after(() => socket.destroy())
  await once(socket, 'connect')
  const responses: SmppPdu[] = []
  let arrived = (): void => undefined
  socket.on(
    'data',
    makePduReader((pdu) => {
      responses.push(pdu)
      arrived()
    }),
  )
  let sequence = 0
  const write = (command: number, body: Buffer): void => void socket.write(encodePdu({ command, status: 0, sequence: ++sequence, body }))
  write(bindTransmitter, encodeBind({ systemId: 'foo', password: 'bar', systemType: 'VMA' }))
  const source = { ton: 5, npi: 0, address: 'Tessera' }
  const destination = { ton: 1, npi: 1, address: '998901234566' }
  for (const text of ['Code 123456', 'Код 654321 '.repeat(8)])
    for (const segment of encodeSegments(text, 'gsm', 7))
      write(smppCommands.submitSm, encodeSubmit({ ...segment, source, destination, validSeconds: 180, wantsReceipt: true }))
  while (responses.length < 4) await new Promise<void>((resolve) => (arrived = resolve))
  assert.deepEqual(
    responses.map(({ command, status, sequence: number }) => [command, status, number]),
    [bindTransmitter, smppCommands.submitSm, smppCommands.submitSm, smppCommands.submitSm].map((command, at) => [
      responseTo(command),
      0,
      at + 1,
    ]),
  )
  await centre.said(/submit_sm: short_message = <Code 123456>/)

  write(smppCommands.bindTransceiver, encodeBind({ systemId: 'shop', password: 'secret', systemType: '' }))
  await centre.said(/type_name: bind_transceiver[^]*system_id: "shop"[^]*password: "secret"[^]*interface_version: 52 /)
})
