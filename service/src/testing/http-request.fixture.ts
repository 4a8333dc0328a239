import { request } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A server that listens: the HTTP server or the admin server. */
export interface TestListener {
  listen(address: { readonly host: string; readonly port: number }): Promise<AddressInfo>
  close(): Promise<void>
}

export interface TestRequest {
  readonly url: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly payload?: string
}

export interface TestReply {
  readonly statusCode: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly rawPayload: Buffer
  readonly body: string
  json(): unknown
}

/** Starts a server on a free port of loopback. Returns a function that sends it a request with any Host header. */
export async function startListener(server: TestListener): Promise<(input: TestRequest | string) => Promise<TestReply>> {
  const { port } = await server.listen({ host: '127.0.0.1', port: 0 })
  return (input) => {
    const { url, method = 'GET', headers = {}, payload } = typeof input === 'string' ? { url: input } : input
    return new Promise((resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port, path: url, method, headers, agent: false }, (res) => {
        const chunks: Buffer[] = []
        res.on('data', (chunk: Buffer) => chunks.push(chunk))
        res.on('error', reject)
        res.on('end', () => {
          const rawPayload = Buffer.concat(chunks)
          const body = rawPayload.toString()
          const replyHeaders = Object.fromEntries(Object.entries(res.headers).map(([name, value]) => [name, value?.toString()]))
          resolve({ statusCode: res.statusCode ?? 0, headers: replyHeaders, rawPayload, body, json: (): unknown => JSON.parse(body) })
        })
      })
      sent.on('error', reject)
      sent.end(payload)
    })
  }
}
