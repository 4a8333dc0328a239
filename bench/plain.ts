// A server that reads cards with JSON.parse, so that the number is a string, run as a program. The control for what stays in memory.
import { createServer } from 'node:http'

const server = createServer((request, response) => {
  let text = ''
  request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
  request.on('end', () => {
    const { id, params } = JSON.parse(text) as { id: number; params: { card: { number: string } } }
    const number = `${params.card.number.slice(0, 4)}***${params.card.number.slice(-4)}`
    const reply = JSON.stringify({ jsonrpc: '2.0', id, result: { card: { number } } })
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(reply) })
    response.end(reply)
  })
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  process.stdout.write(
    `${JSON.stringify({ ready: { url: `http://127.0.0.1:${port}`, adminUrl: '', demo: { merchantId: 'any', password: '' } } })}\n`,
  )
})
