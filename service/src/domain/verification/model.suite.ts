import type { TestMerchant } from '../../testing/test-merchant.fixture.ts'
import type { TestApp } from '../../testing/test-app.fixture.ts'
import { makeSeeded } from '../../testing/seeded.fixture.ts'

import { makeModel, verificationRules, type Model, type ModelCard, type ModelClock, type Rules } from './model.fixture.ts'

/** One merchant with its cards, in the app and in the model. */
interface Player {
  readonly caller: TestMerchant
  readonly cards: { readonly token: string; readonly model: ModelCard }[]
}

export interface Game {
  readonly seed: number
  readonly rule: Rules
  /** A code of the policy in force that is not the right one. */
  readonly wrongCode?: string
  readonly rounds: number
}

export interface Played {
  /** The first call whose outcome the model does not know, with what came before it at that merchant. */
  readonly mismatch: string | null
  readonly calls: number
  readonly words: ReadonlySet<string>
}

/** Forty merchants act at once in each round, so that one fsync serves them all; between the rounds time moves. */
export async function play(app: TestApp, { seed, rule, rounds, wrongCode = '000000' }: Game): Promise<Played> {
  const { below: draw } = makeSeeded(seed)
  const { wallMs, monotonicMs } = app.clock.moment()
  const clock: ModelClock = { wallMs, monotonicMs, boot: 1 }
  const model = makeModel(clock, rule)
  const players = Array.from({ length: 40 }, (): Player => ({ caller: app.merchant(), cards: [] }))
  const trails = players.map((): string[] => [])
  const words = new Set<string>()
  let calls = 0
  for (let round = 0; round < rounds; round++) {
    const said = await Promise.all(players.map((player) => act(player, model, { draw, wrongCode })))
    for (const [index, { what, expected, met }] of said.entries()) {
      calls += 1
      words.add(met)
      trails[index]?.push(`${what} → ${met}`)
      if (met === expected) continue
      return { mismatch: `expected ${expected} of the last of:\n${trails[index]?.join('\n') ?? ''}`, calls, words }
    }
    const moved = moveTime(app, clock, { players, draw, rule })
    for (const trail of trails) trail.push(moved)
  }
  return { mismatch: null, calls, words }
}

type Draw = (below: number) => number
interface ActionResult {
  readonly what: string
  readonly expected: string
  readonly met: string
}

/** Runs one random action on the model and on the application, at the same time of the clock. Mostly uses the newest card and a wrong code. */
async function act({ caller, cards }: Player, model: Model, { draw, wrongCode }: { draw: Draw; wrongCode: string }): Promise<ActionResult> {
  const kind = draw(24)
  const index = draw(6) === 0 ? draw(cards.length) : cards.length - 1
  const card = cards[index]
  if (card === undefined || kind === 23 || (/deleted|ended/.test(model.check(card.model)) && draw(3) === 0)) return createOne()
  const { token } = card
  const isRight = draw(8) === 0
  const isMalformed = draw(12) === 0
  if (kind < 5) return compared('ask', model.ask(card.model), wordOf(await caller.callRaw('cards.get_verify_code', { token })))
  if (kind < 18) {
    const entered = isRight ? 'right' : isMalformed ? 'malformed' : 'wrong'
    const code = { right: '666666', wrong: wrongCode, malformed: '0-0' }[entered]
    return compared(`answer ${code}`, model.answer(card.model, entered), wordOf(await caller.callRaw('cards.verify', { token, code })))
  }
  if (kind < 22) return compared('check', model.check(card.model), wordOf(await caller.callRaw('cards.check', { token })))
  return compared('remove', model.remove(card.model), wordOf(await caller.callRaw('cards.remove', { token })))

  async function createOne(): Promise<ActionResult> {
    const [pan, refusal] = pans[draw(pans.length)] ?? pans[0]
    const save = draw(2) === 0
    const customer = draw(3) === 0 ? null : `customer ${draw(2)}`
    const subjects = {
      card: `${caller.merchantId} ${pan}`,
      phone: pan === sentByService ? caller.merchantId : null,
      customer: nameOf(customer),
    }
    cards.push({ token: await createToken(pan, save, customer), model: model.create({ save, refusal, subjects }) })
    return { what: `create ${String(cards.length - 1)} (save ${String(save)}, ${refusal ?? 'good'})`, expected: 'created', met: 'created' }
  }
  function nameOf(customer: string | null): string | null {
    return customer === null ? null : `${caller.merchantId} ${customer}`
  }
  async function createToken(pan: string, save: boolean, customer: string | null): Promise<string> {
    const { card: created } = await caller.call('cards.create', { card: { number: '', expire: '0399' }, save, customer }, pan)
    return created.token
  }
  function compared(action: string, expected: string, met: string): ActionResult {
    return { what: `${action} ${String(index)}`, expected, met }
  }
}

function wordOf(reply: object): string {
  if ('error' in reply) return (reply.error as { reason: string }).reason
  if ('sent' in reply) return 'sent'
  if ('success' in reply) return 'removed'
  return (reply as { card: { verify: boolean } }).card.verify ? 'verified' : 'unverified'
}

const sentByService = '8600495473316478'

const pans = [
  ['8600069195406311', null],
  [sentByService, null],
  ['4444445987459073', 'card_blocked'],
  ['8600060921090842', 'sms_not_connected'],
] as const

/** Usually the time stays, or moves to the exact limit of a rule for some card; occasionally the clock is set or the machine reboots. */
function moveTime(app: TestApp, clock: ModelClock, { players, draw, rule }: Moving): string {
  const kind = draw(60)
  if (kind < 2) return jump([-3_600_000, -6000, -4000, 4000, 6000, 600_000][draw(6)] ?? 0)
  if (kind === 2) return reboot()
  const ms = kind < 40 ? 0 : kind < 44 ? draw(5000) : toEdge(clock, players[draw(players.length)], { draw, rule })
  app.clock.advance(ms)
  clock.wallMs += ms
  clock.monotonicMs += ms
  return `… ${ms} ms later`

  function jump(by: number): string {
    app.clock.jump(by)
    clock.wallMs += by
    return `… the clock is set by ${by} ms`
  }
  function reboot(): string {
    app.clock.reboot()
    clock.boot += 1
    clock.monotonicMs = app.clock.moment().monotonicMs
    return '… the machine starts anew'
  }
}

interface Moving {
  readonly players: readonly Player[]
  readonly draw: Draw
  readonly rule: Rules
}

/** How long it is until a rule turns for a player's newest card, or one millisecond less; nothing if that is past or far. */
function toEdge(clock: ModelClock, player: Player | undefined, { draw, rule }: Pick<Moving, 'draw' | 'rule'>): number {
  const card = player?.cards.at(-1)?.model
  const earlier = card?.code?.earlier.monotonicMs ?? clock.monotonicMs
  const edges = [
    earlier + rule.resendWaitMs,
    earlier + rule.resendWaitMs,
    earlier + rule.otpLifetimeMs,
    ...(rule.stopMs === 0 ? [] : [clock.monotonicMs + rule.stopMs]),
  ].map((at) => at - clock.monotonicMs)
  const ends = (card?.endsAt ?? clock.wallMs) - clock.wallMs
  const ms = (draw(4) === 0 ? ends : (edges[draw(edges.length)] ?? 0)) - draw(2)
  return ms > 0 && ms <= verificationRules.oneTimeLifetimeMs ? ms : 0
}
