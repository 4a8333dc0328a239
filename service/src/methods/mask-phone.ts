/** Five digits, asterisks, two digits: as the wire masks phones. */
export function maskPhone(phone: string): string {
  return `${phone.slice(0, 5)}${'*'.repeat(Math.max(0, phone.length - 7))}${phone.slice(-2)}`
}
