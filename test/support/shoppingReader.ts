// shoppingReader: how the log of a kind that the program does not know is shown and audited.
import { Effect } from "effect"
import { isLogEvent, type StreamKind } from "../../src/log/StreamKind.ts"
import {
  type Change,
  type Found,
  found,
  type LogAuditor,
  type LogReader,
  type Noted,
  noted
} from "../../src/read/LogReader.ts"
import type { Shopping, ShoppingEvent } from "../unit/log/shopping.ts"

type Value = number | string | null

const changed = (before: Shopping | null, after: Shopping | null): ReadonlyArray<Change<Value>> => {
  const values = (state: Shopping | null) => ({ open: state?.open.join(" ") ?? null, bought: state?.bought ?? null })
  const [old, now] = [values(before), values(after)]
  return (["open", "bought"] as const).filter((field) => old[field] !== now[field])
    .map((field) => ({ field, before: old[field], after: now[field] }))
}

/** A list of one version of the kind, as it is shown. */
export const shoppingReader = <E extends ShoppingEvent>(
  kind: StreamKind<E, Shopping>
): LogReader<E, Shopping, Value> => ({
  kind,
  stateName: "list",
  describe: (event) => "item" in event ? event.item : event.list,
  changes: ({ after, before }) => changed(before.state, after.state),
  valueText: String
})

/** What can be said of a list: something was bought that was on no list, or is still to be bought. */
export type ShoppingWord = Found<"unwanted"> | Noted

/** A list of one version of the kind, as it is audited: each bought thing was on the list. Counts what was bought. */
export const shoppingAuditor = <E extends ShoppingEvent>(
  kind: StreamKind<E, Shopping>
): LogAuditor<E, Shopping, number, ShoppingWord, never, never> => ({
  kind,
  begin: 0,
  examine: (known, lines) => {
    const words: Array<ShoppingWord> = []
    let bought = known
    for (const { before, event, line } of lines.flatMap(({ happenings }) => happenings)) {
      if (event === null || isLogEvent(event) || event._tag !== "ItemBought") continue
      bought++
      if (before.state?.open.includes(event.item) === true) continue
      words.push(found("unwanted", line.seq, `${event.item} was on no list`))
    }
    return Effect.succeed({ known: bought, words })
  },
  ended: ({ state }) => Effect.succeed((state?.open ?? []).map((item) => noted(0, `${item} is still to be bought`)))
})
