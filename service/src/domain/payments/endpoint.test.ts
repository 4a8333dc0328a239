// time limit: 120 s
import { endpointSuite, openShopping } from './endpoint.suite.ts'

endpointSuite((run) => async () => {
  const shopping = await openShopping()
  try {
    await run(shopping)
  } finally {
    await shopping.close()
  }
})
