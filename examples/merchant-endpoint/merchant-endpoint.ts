// A merchant's own endpoint in memory, for trying out payments. README.md describes its settings.
//
//   MERCHANT_KEY=… node merchant-endpoint.ts [order=tiyin …]      without an amount: any amount, repeatedly
import { createShop, type Order } from './shop.ts'
import { createMerchantServer } from './server.ts'

const env = process.env
const orders = new Map(process.argv.slice(2).map(parseOrder))
const shop = createShop({ findOrder: (orderId) => orders.get(orderId) ?? null, now: Date.now })
const onCall = (method: string, response: object): void => console.log(`${method} → ${JSON.stringify(response)}`)
const server = createMerchantServer({ shop, login: 'Paycom', password: env.MERCHANT_KEY ?? 'sandbox-key', onCall })
server.listen(Number(env.PORT ?? 8091), '127.0.0.1', () => {
  const address = server.address()
  if (typeof address === 'object' && address !== null)
    console.log(`Listening at http://127.0.0.1:${address.port}/ for the orders ${[...orders.keys()].join(', ')}`)
})

function parseOrder(text: string): [string, Order] {
  const [orderId = '', amount] = text.split('=', 2)
  return [orderId, { amountTiyin: amount === undefined ? null : Number(amount) }]
}
