// ReviewerState: what one look at a reviewer can show of it.
import { assert, describe, expectTypeOf, it } from "vitest"
import type { ReviewerState } from "../../../src/run/ReviewTokens.ts"

type StateOf<Tag extends ReviewerState["_tag"]> = Extract<ReviewerState, { readonly _tag: Tag }>

/** One state for every tag: a state that is added or dropped does not compile here. */
const states: { readonly [Tag in ReviewerState["_tag"]]: StateOf<Tag> } = {
  Alive: { _tag: "Alive", silentFor: 1500, waitingForNetwork: 0, bytes: 12 },
  Exited: { _tag: "Exited", status: 137, deadline: true, oversize: true },
  Lost: { _tag: "Lost" },
  Unstarted: { _tag: "Unstarted" }
}

describe("ReviewerState", () => {
  it("is plain data: what is told of it to programs is what was seen", () => {
    for (const state of Object.values(states)) assert.deepStrictEqual(JSON.parse(JSON.stringify(state)), state)
  })

  it("knows a status only of a reviewer that has exited, and silence only of one that lives", () => {
    expectTypeOf<StateOf<"Exited">>().toHaveProperty("status").toEqualTypeOf<number>()
    expectTypeOf<StateOf<"Alive">>().toHaveProperty("silentFor").toEqualTypeOf<number>()
    expectTypeOf<StateOf<"Lost" | "Unstarted">>().toEqualTypeOf<
      { readonly _tag: "Lost" } | { readonly _tag: "Unstarted" }
    >()
  })
})
