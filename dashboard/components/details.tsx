import type { ComponentChild } from 'preact'

import { readJsonDetails } from '../format/json-details.ts'

/** Names with their values. A value of null is left out. */
export function DetailList({ details }: { details: readonly (readonly [name: string, value: ComponentChild])[] }) {
  const present = details.filter(([, value]) => value !== null)
  return <dl>{present.map(([name, value]) => [<dt key={`${name} name`}>{name}</dt>, <dd key={name}>{value}</dd>])}</dl>
}

/** JSON that a merchant sent, as names and values where it can be read so, and as it is otherwise. */
export function JsonDetails({ json }: { json: string }) {
  const details = readJsonDetails(json)
  if (details === null) return <pre>{json}</pre>
  return (
    <dl class="json-details">
      {details.map(([name, value], index) => [<dt key={`${index} name`}>{name}</dt>, <dd key={index}>{render(value)}</dd>])}
    </dl>
  )
}

/** Only an https address becomes a link, so that no other scheme can be clicked. */
function render(value: string): ComponentChild {
  const isLink = value.startsWith('https://') && URL.parse(value) !== null
  return isLink ? (
    <a href={value} target="_blank" rel="noreferrer noopener">
      {value}
    </a>
  ) : (
    value
  )
}
