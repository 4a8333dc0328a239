import Type from 'typebox'

import { operationsByName } from './operation.ts'
import { defineOperatorOperation, isoTimestamp, operatorDone } from './operator.ts'

export const operatorClockGetContract = defineOperatorOperation('operator.clock.get', {
  summary: "Returns whether the machine's clock may be a reason to destroy or move anything.",
  mutates: false,
  params: Type.Object({}),
  result: Type.Object({
    trusted: Type.Boolean(),
    now: isoTimestamp,
    driftSeconds: Type.Number({ description: 'How far the clock has moved against the monotonic clock since it was known to be right.' }),
    refusal: Type.Union([
      Type.Object({
        reason: Type.Enum(['jumped', 'behind'], { description: 'jumped: while running. behind: what was written before the start.' }),
        bySeconds: Type.Number({ description: 'Ahead when positive.' }),
        at: Type.String({ description: 'What the clock said when it was refused, ISO 8601.' }),
      }),
      Type.Null(),
    ]),
  }),
})

export const operatorClockConfirmContract = defineOperatorOperation('operator.clock.confirm', {
  summary: "Confirms that the machine's clock is right: what is due by it is destroyed and moved again.",
  mutates: true,
  params: Type.Object({
    time: Type.String({
      maxLength: 40,
      description:
        'What the clock said when it was compared with another one, ISO 8601. Refused when the clock is more than five minutes away from it.',
    }),
  }),
  result: operatorDone,
})

export const operatorClockOperations = operationsByName(operatorClockGetContract, operatorClockConfirmContract)
