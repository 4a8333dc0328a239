// A shop's own endpoint in memory, to rehearse with. What it needs is said in README.md.
//
//   MERCHANT_KEY=… node merchant-endpoint.ts [order=tiyin …]      an order without a sum takes any, and often
import { openShop, type Order } from './shop.ts'
import { makeServer } from './serve.ts'

const env = process.env
const orders = new Map(process.argv.slice(2).map(readOrder))
const shop = openShop({ findOrder: (orderId) => orders.get(orderId) ?? null, now: Date.now })
const told = (method: string, reply: object): void => console.log(`${method} → ${JSON.stringify(reply)}`)
const server = makeServer({ shop, login: 'Paycom', password: env.MERCHANT_KEY ?? 'rehearsal', told })
server.listen(Number(env.PORT ?? 8091), '127.0.0.1', () => {
  const at = server.address()
  if (typeof at === 'object' && at !== null) console.log(`Asked at http://127.0.0.1:${at.port}/ about ${[...orders.keys()].join(', ')}`)
})

function readOrder(text: string): [string, Order] {
  const [orderId = '', sum] = text.split('=', 2)
  return [orderId, { sum: sum === undefined ? null : Number(sum) }]
}
