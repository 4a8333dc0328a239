// Part of the dashboard's script; the tables of messages are files that it fetches.

/** Replaces the placeholders {0}, {1} … of a message by values. A placeholder without a value is removed. */
export function formatMessage(template: string, ...values: readonly (string | number)[]): string {
  return template.replace(/\{(\d)\}/g, (_placeholder, index: string) => String(values[Number(index)] ?? ''))
}

/** The label of a name that the service sent. A name that is newer than this page is shown as it is. */
export function labelOf(labels: Readonly<Record<string, string>>, name: string): string {
  return knownLabel(labels, name) ?? name
}

/** The same, and undefined for a name without a label. */
export function knownLabel(labels: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(labels, name) ? labels[name] : undefined
}
