import { createServer } from 'node:http'

/** Starts an endpoint of the Payme Merchant API on this machine that refuses every payment. It checks no password. */
export async function startRefusingEndpoint(port: number): Promise<{ readonly close: () => Promise<void> }> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ error: refusal, id: readId(chunks) }))
    })
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve))
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function readId(chunks: readonly Buffer[]): unknown {
  try {
    return (JSON.parse(Buffer.concat(chunks).toString()) as { id?: unknown }).id ?? null
  } catch {
    return null
  }
}

/** The vectors of `merchant-endpoint` expect it to be passed on, member for member. */
const refusal = {
  code: -31050,
  message: { ru: 'Отказ проверки', uz: 'Tekshiruv rad etdi', en: 'Refused by the conformance runner' },
  data: 'order_id',
}
