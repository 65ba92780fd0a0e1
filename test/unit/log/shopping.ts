// shopping: a kind of log that the program does not know: a shopping list, as two versions of a program write it.
import { Schema } from "effect"
import type { StreamKind } from "../../../src/log/StreamKind.ts"

const cases = {
  ListBegun: { list: Schema.String, nonce: Schema.String },
  ItemAdded: { item: Schema.String },
  ItemBought: { item: Schema.String }
}

/** What happened to a list. */
export const ShoppingEvent = Schema.TaggedUnion({ ...cases, PriceSeen: { item: Schema.String, cents: Schema.Int } })
export type ShoppingEvent = typeof ShoppingEvent.Type

/** What is on a list, and how often something was bought. */
export interface Shopping {
  readonly list: string
  readonly open: ReadonlyArray<string>
  readonly bought: number
}

/** The state of a new list. */
export const emptyList: Shopping = { list: "food", open: [], bought: 0 }

type OlderEvent = Exclude<ShoppingEvent, { readonly _tag: "PriceSeen" }>

const genesis = { event: "ListBegun", binds: ["list", "nonce"] } as const

const evolve = (state: Shopping, event: OlderEvent): Shopping => {
  switch (event._tag) {
    case "ListBegun":
      return state
    case "ItemAdded":
      return { ...state, open: [...state.open, event.item] }
    case "ItemBought":
      return { ...state, open: state.open.filter((item) => item !== event.item), bought: state.bought + 1 }
  }
}

const initial = (event: ShoppingEvent): Shopping | null =>
  event._tag === "ListBegun" ? { list: event.list, open: [], bought: 0 } : null

/** The list as the present version writes it. Prices are news that an older version need not know. */
export const shopping: StreamKind<ShoppingEvent, Shopping> = {
  kind: "shopping",
  event: ShoppingEvent,
  genesis,
  ignorable: ["PriceSeen"],
  fold: { initial, evolve: (state, event) => event._tag === "PriceSeen" ? state : evolve(state, event) }
}

/** The list as the version before prices reads it. */
export const olderShopping: StreamKind<OlderEvent, Shopping> = {
  kind: "shopping",
  event: Schema.TaggedUnion(cases),
  genesis,
  fold: { initial, evolve }
}

/** The first event of a list. */
export const begun: ShoppingEvent = { _tag: "ListBegun", list: "food", nonce: "5eed" }

/** The further events, each with one word. */
export const added = (item: string): ShoppingEvent => ({ _tag: "ItemAdded", item })
export const bought = (item: string): ShoppingEvent => ({ _tag: "ItemBought", item })
export const priced = (item: string, cents: number): ShoppingEvent => ({ _tag: "PriceSeen", item, cents })
