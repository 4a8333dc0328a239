import Type from 'typebox'

import { operationsByName } from './operation.ts'
import { defineOperatorOperation } from './operator.ts'
import { integrity, storeFinding } from './operator-audit.ts'

export const operatorStoreCheckContract = defineOperatorOperation('operator.store.check', {
  summary:
    'Checks the whole store: the integrity of its files and indexes, keys against rows, audit chains, row MACs, and rows without their parents.',
  mutates: false,
  params: Type.Object({}),
  result: Type.Object({
    integrity,
    keys: Type.Integer({ description: 'Different keys that rows name.' }),
    chains: Type.Integer(),
    entries: Type.Integer({ description: 'Audit entries.' }),
    rows: Type.Integer({ description: 'Rows with a MAC.' }),
    relations: Type.Integer({ description: 'Relations of rows and their parents.' }),
    findings: Type.Array(storeFinding),
    more: Type.Boolean(),
  }),
})

export const operatorStoreOperations = operationsByName(operatorStoreCheckContract)
