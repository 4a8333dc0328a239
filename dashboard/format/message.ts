/** Replaces the placeholders {0}, {1} … of a message by values. A placeholder without a value is removed. */
export function formatMessage(template: string, ...values: readonly (string | number)[]): string {
  return template.replace(/\{(\d)\}/g, (_placeholder, index: string) => String(values[Number(index)] ?? ''))
}
