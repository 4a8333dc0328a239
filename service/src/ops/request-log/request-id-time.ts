/** When the call with this id began, unix milliseconds; null for an id that has no time (`makeRequestIds`, and before it was written there). */
export function timeInRequestId(requestId: string): number | null {
  return /^[0-9a-f]{8}e[0-9a-f]{7}e[0-9a-f]{7}$/.test(requestId) ? parseInt(requestId.slice(0, 8), 16) * 1000 : null
}
