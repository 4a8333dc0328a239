import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

// A control for the memory test: a server that reads bodies with JSON.parse, in which the test has to find card numbers.

const server = createServer((req, res) => {
  const chunks: Buffer[] = []
  req.on('data', (chunk: Buffer) => chunks.push(chunk))
  req.on('end', () => {
    const { id } = JSON.parse(Buffer.concat(chunks).toString()) as { id: number }
    res.end(JSON.stringify({ id }))
  })
})
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
