import type { ComponentChild } from 'preact'

/** Names, and beside each what is known of it; what is null is left out. */
export function FactList({ facts }: { facts: readonly (readonly [name: string, value: ComponentChild])[] }) {
  const told = facts.filter(([, value]) => value !== null)
  return <dl>{told.map(([name, value]) => [<dt key={`${name} name`}>{name}</dt>, <dd key={name}>{value}</dd>])}</dl>
}
