import type { RunningFacts } from '../start/running.ts'

import { shownFolder } from './ask.ts'

/** What the operator reads when the service is ready. */
export function printBanner(facts: RunningFacts): string {
  const lines = [
    `Tessera ${facts.version} is ready (${facts.environment}).`,
    '',
    `  API        ${facts.url}`,
    `  Health     ${facts.adminUrl}/readyz · /healthz · /metrics`,
    `  Kept in    ${facts.store === 'sqlite' ? shownFolder(facts.folder) : 'PostgreSQL'} · durability ${facts.durability} (${printDurability(facts.durability)})`,
    ...printDemo(facts),
    '',
    '  Stop       Ctrl-C, or SIGTERM: calls in flight are answered first.',
    '',
  ]
  return lines.join('\n')
}

function printDurability(durability: RunningFacts['durability']): string {
  return durability === 'local'
    ? 'an answered write survives a crash of this machine'
    : 'an answered write survives the loss of one machine'
}

function printDemo({ url, demo }: RunningFacts): string[] {
  if (demo === null) return []
  const body = JSON.stringify({
    id: 1,
    method: 'cards.create',
    params: { card: { number: demo.cardNumber, expire: demo.expiry }, save: true },
  })
  return [
    '',
    '  The demo merchant of the test environment (public, refused in production)',
    `  Merchant   ${demo.merchantId}`,
    `  Password   ${demo.password}`,
    `  Dashboard  ${url.replace('127.0.0.1', 'localhost')}/dashboard · phone ${demo.dashboardPhone}, password ${demo.dashboardPassword}`,
    '',
    '  Make a token:',
    '',
    `    curl -s ${url}/api/cards.create -H 'X-Auth: ${demo.merchantId}' \\`,
    `      -d '${body}'`,
  ]
}
