// askedEnds: what a driver records where its call ended and a person is asked, in the worlds of both policies.
import type { AskedEnd } from "../src/drive/State.ts"
import type { Identity } from "../src/run/Identity.ts"

/** How a call ended: in a decision, or in what an agent came to. */
type Over =
  | { readonly end: { readonly _tag: string } | { readonly _tag: "Unchanged"; readonly asked: AskedEnd } }
  | { readonly because: string }

const headers: Readonly<Record<string, string>> = {
  TestsRed: "HandoffHuman: TestsFailedTriage",
  RedBaseline: "HandoffHuman: ConsentNeeded",
  Rejected: "HandoffHuman: TaskBlocked",
  Protected: "HandoffHuman: TaskBlocked",
  NothingDone: "HandoffHuman: TaskBlocked",
  AgentFailed: "HandoffHuman: AgentFailed",
  GitStateChanged: "HandoffHuman: GitStateChanged",
  Circle: "StuckRepeated: AddressBatch",
  Patience: "StuckCapReached: AddressBatch",
  Limit: "StuckCapReached: AddressBatch",
  Budget: "StuckCapReached: AddressBatch"
}

/** The end of a driver's call: with what the worktree held where a person is asked. */
export const driverEnded = (driver: string, over: Over, content: Identity) => {
  const name = "end" in over ? over.end._tag : over.because
  const asked = "end" in over && "asked" in over.end ? over.end.asked.outcome : headers[name]
  const ended = { _tag: "DriverEnded", driver, outcome: asked ?? name } as const
  return asked === undefined ? ended : { ...ended, why: name, content }
}
