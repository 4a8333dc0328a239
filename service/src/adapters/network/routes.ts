import { cardRoutes, makeFindRoute, type CardRoute } from '@tessera/contract/route'

import { AdapterConfigError, type AdapterSetting, type NamedPort } from '../adapter.ts'

import type { Network } from './network.ts'

/**
 * The prefixes of a network as an operator writes them: `8600, 5614, 220000-220499`. Each has one to six digits, since the first six decide; a range
 * has ends of the same length. Of which card network a prefix is, and the `type` on the wire, is read from the contract's table.
 */
export function routesSetting(defaultText: string | null): AdapterSetting<readonly CardRoute[]> {
  const meaning = 'Prefixes of the card numbers that this network takes, and ranges of them: 8600, 5614, 220000-220499.'
  return {
    row: { type: 'text', meaning, default: defaultText },
    toValue: (value) => parseRoutes(typeof value === 'string' ? value : JSON.stringify(value)),
  }
}

/** Throws `AdapterConfigError` for a text that is no list of prefixes, or has a prefix of no known card network. */
export function parseRoutes(text: string): readonly CardRoute[] {
  const prefixes = text.split(',').flatMap((part) => parsePrefixes(part.trim()))
  if (prefixes.length > prefixesMax)
    throw new AdapterConfigError(`the prefixes "${text}" are more than ${String(prefixesMax)}: use shorter ones.`)
  return prefixes.map(routeOfPrefix)
}

function parsePrefixes(part: string): string[] {
  const [, from = '', to = from] = /^([1-9][0-9]{0,5})(?:-([1-9][0-9]{0,5}))?$/.exec(part) ?? []
  const count = Number(to) - Number(from) + 1
  if (from === '' || from.length !== to.length || count < 1) {
    throw new AdapterConfigError(`"${part}" is no prefix of card numbers: write one to six digits, or a range such as 220000-220499.`)
  }
  if (count > prefixesMax)
    throw new AdapterConfigError(`the range ${part} has more than ${String(prefixesMax)} prefixes: use shorter ones.`)
  return Array.from({ length: count }, (_, i) => String(Number(from) + i))
}

function routeOfPrefix(prefix: string): CardRoute {
  const route = findKnownRoute(Buffer.from(prefix, 'latin1'))
  if (route === null) throw new AdapterConfigError(`the prefix ${prefix} belongs to no known card network (contract/src/route.ts).`)
  return { ...route, prefix }
}

/**
 * Throws `AdapterConfigError` when two networks take the same card numbers: equal prefixes, or one that begins with the other. Which of them would get
 * a card must not depend on an order.
 */
export function requireSeparateRoutes(networks: readonly NamedPort<Pick<Network, 'routes'>>[]): void {
  const owners = new Map<string, string>()
  for (const { name, port } of networks) for (const { prefix } of port.routes) owners.set(prefix, owners.get(prefix) ?? name)
  const faults = networks.flatMap(({ name, port: { routes } }) =>
    routes.flatMap(({ prefix }) => {
      const shorter = Array.from({ length: prefix.length }, (_, i) => prefix.slice(0, i + 1)).find(
        (each) => (owners.get(each) ?? name) !== name,
      )
      return shorter === undefined ? [] : [`${name} takes ${prefix} and ${String(owners.get(shorter))} takes ${shorter}`]
    }),
  )
  if (faults.length === 0) return
  const more = faults.length > faultsShown ? `, and ${String(faults.length - faultsShown)} more` : ''
  const shown = faults.slice(0, faultsShown).join('; ')
  throw new AdapterConfigError(
    `forbidden: card networks overlap: ${shown}${more}. Give each prefix to one of them (TESSERA_NETWORK_…_ROUTES).`,
  )
}

const findKnownRoute = makeFindRoute(cardRoutes)
const prefixesMax = 10_000
const faultsShown = 5
