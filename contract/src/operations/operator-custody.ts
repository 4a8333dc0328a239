import Type from 'typebox'

import { operationsByName } from './operation.ts'
import { defineOperatorOperation, isoTimestamp, isoTimestampOrNull, operatorDone } from './operator.ts'

const custodian = Type.String({
  pattern: '^[A-Za-z0-9._-]{1,32}$',
  description: 'A custodian is named by 1 to 32 letters, digits, dots, hyphens and underscores. The audit has the name.',
})
const setId = Type.String({ description: 'Eight letters and digits.' })
const sharesCount = Type.Integer({ minimum: 2, maximum: 255, description: 'A set has from 2 to 255 shares.' })
const threshold = Type.Integer({ minimum: 2, maximum: 255, description: 'From 2 of the shares are needed.' })

export const operatorSharesListContract = defineOperatorOperation('operator.shares.list', {
  summary: 'Lists the sets of shares of KEKs, and how many shares were entered.',
  mutates: false,
  params: Type.Object({}),
  result: Type.Object({
    isSealed: Type.Boolean({ description: 'Whether the service waits for shares.' }),
    sets: Type.Array(
      Type.Object({
        setId,
        threshold: Type.Integer(),
        shares: Type.Integer(),
        createdAt: isoTimestamp,
        received: Type.Integer({ description: 'Shares that were entered in this process and wait for the others.' }),
        isOpen: Type.Boolean({ description: 'Whether the KEK is in the memory of this process.' }),
        untaken: Type.Integer({ description: 'Shares that no custodian has taken yet; until none is left the set does not exist.' }),
      }),
    ),
  }),
})

export const operatorSharesCreateContract = defineOperatorOperation('operator.shares.create', {
  summary: 'Generates a KEK and splits it into shares, which custodians take one after another.',
  mutates: true,
  params: Type.Object({
    shares: sharesCount,
    threshold,
    isNext: Type.Boolean({ description: 'Whether the set is to replace one that is in use.' }),
    custodian,
  }),
  result: Type.Object({ setId, shares: Type.Integer(), threshold: Type.Integer() }),
})

export const operatorSharesTakeContract = defineOperatorOperation('operator.shares.take', {
  summary: 'Returns the next share of the set that was created, once.',
  mutates: true,
  params: Type.Object({ custodian }),
  result: Type.Object({
    setId,
    index: Type.Integer(),
    share: Type.String({ description: 'The text that the custodian writes down.' }),
    left: Type.Integer({ description: 'Shares that nobody has taken yet.' }),
  }),
})

export const operatorSharesEnterContract = defineOperatorOperation('operator.shares.enter', {
  summary: "Enters a custodian's share. With as many as the threshold the KEK is open.",
  mutates: true,
  params: Type.Object({
    share: Type.String({ maxLength: 256, description: 'A share is a text of 72 letters and digits.' }),
    custodian,
    isForRewrap: Type.Optional(Type.Boolean({ description: 'Whether the share agrees to a rewrap by the next KEK, and opens nothing.' })),
  }),
  result: Type.Object({ setId, index: Type.Integer(), received: Type.Integer(), threshold: Type.Integer(), isOpen: Type.Boolean() }),
})

const nodeName = Type.String({ pattern: '^[a-z0-9-]{1,32}$', description: 'A node is named by 1 to 32 small letters, digits and hyphens.' })
const publicKey = Type.String({
  pattern: '^[0-9a-f]{128}$',
  description: 'The public key of a node is 128 hex digits: tessera keys node-key prints it.',
})

export const operatorSharesFetchContract = defineOperatorOperation('operator.shares.fetch', {
  summary: 'Requests the KEKs that this node does not have from the other nodes.',
  mutates: false,
  params: Type.Object({}),
  result: Type.Object({ opened: Type.Array(setId) }),
})

export const operatorNodesListContract = defineOperatorOperation('operator.nodes.list', {
  summary: 'Lists the nodes that custodians enrolled.',
  mutates: false,
  params: Type.Object({}),
  result: Type.Object({
    nodes: Type.Array(
      Type.Object({ name: Type.String(), fingerprint: Type.String(), enrolledAt: isoTimestamp, revokedAt: isoTimestampOrNull }),
    ),
  }),
})

export const operatorNodesEnrollContract = defineOperatorOperation('operator.nodes.enroll', {
  summary: "Enters a custodian's share for the enrolment of a node. With as many as the threshold the node may be handed KEKs.",
  mutates: true,
  params: Type.Object({
    name: nodeName,
    publicKey,
    share: Type.String({ maxLength: 256, description: 'A share is a text of 72 letters and digits.' }),
    custodian,
  }),
  result: Type.Object({
    name: Type.String(),
    fingerprint: Type.String(),
    received: Type.Integer(),
    threshold: Type.Integer(),
    isEnrolled: Type.Boolean(),
  }),
})

export const operatorNodesRevokeContract = defineOperatorOperation('operator.nodes.revoke', {
  summary: 'Revokes a node: it is handed no KEK any more.',
  mutates: true,
  params: Type.Object({ name: nodeName }),
  result: operatorDone,
})

export const operatorCustodyOperations = operationsByName(
  operatorSharesListContract,
  operatorSharesCreateContract,
  operatorSharesTakeContract,
  operatorSharesEnterContract,
  operatorSharesFetchContract,
  operatorNodesListContract,
  operatorNodesEnrollContract,
  operatorNodesRevokeContract,
)
