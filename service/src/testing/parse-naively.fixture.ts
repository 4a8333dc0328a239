import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

// What the service is not: a server that reads its bodies with JSON.parse. The memory test has to find the numbers in it.

const server = createServer((req, res) => {
  const chunks: Buffer[] = []
  req.on('data', (chunk: Buffer) => chunks.push(chunk))
  req.on('end', () => {
    const { id } = JSON.parse(Buffer.concat(chunks).toString()) as { id: number }
    res.end(JSON.stringify({ id }))
  })
})
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
