import Type, { type TSchema } from 'typebox'

import { defineOperation } from './operation.ts'

/** The description of a param is the message that the operator gets when a value is invalid. */
export const merchantId = Type.String({ pattern: '^[0-9a-f]{24}$', description: 'A merchant id is 24 hex digits.' })
export const operatorDone = Type.Object({ success: Type.Boolean() })
export const isoTimestamp = Type.String({ description: 'ISO 8601.' })
export const isoTimestampOrNull = Type.Union([isoTimestamp, Type.Null()])
export const listLength = Type.Integer({ minimum: 1, maximum: 500, description: 'A count is a whole number from 1 to 500.' })
export const merchantIdParams = Type.Object({ merchantId })
/** When it is left out, the operation applies to the demo merchant of the test environment. */
export const optionalMerchantId = Type.Optional(merchantId)

/** What all operator operations have in common. */
export function defineOperatorOperation<
  const Name extends `operator.${string}`,
  const Params extends TSchema,
  const Result extends TSchema,
>(name: Name, definition: { readonly summary: string; readonly mutates: boolean; readonly params: Params; readonly result: Result }) {
  return defineOperation(name, { caller: 'operator', limit: 'none', errors: [], ...definition } as const)
}
