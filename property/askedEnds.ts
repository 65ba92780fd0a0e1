// askedEnds: what a driver records where its call ended and a person is asked, in the worlds of both policies.
import type { Cause, DriverEnd, Limit } from "../src/drive/End.ts"
import type { AskedEnd } from "../src/drive/State.ts"
import type { Identity } from "../src/run/Identity.ts"

/** How a call ended: in a decision, or in what an agent came to. */
type Over =
  | { readonly end: { readonly _tag: string } | { readonly _tag: "Unchanged"; readonly asked: AskedEnd } }
  | { readonly because: string }

const causes: Readonly<Record<string, Cause>> = {
  TestsRed: { _tag: "TestsRed" },
  RedBaseline: { _tag: "Consent", consent: "red-baseline" },
  Rejected: { _tag: "Rejected" },
  Protected: { _tag: "Protected" },
  NothingDone: { _tag: "NothingDone" },
  AgentFailed: { _tag: "AgentFailed" },
  GitStateChanged: { _tag: "GitChanged" }
}

const limits: Readonly<Record<string, Limit>> = {
  Circle: "circle",
  Patience: "patience",
  Limit: "rounds",
  Budget: "max-rounds"
}

const endNamed = (name: string): DriverEnd | null => {
  const [cause, limit] = [causes[name], limits[name]]
  if (cause !== undefined) return { _tag: "Asked", cause }
  return limit === undefined ? null : { _tag: "GaveUp", limit }
}

/** The end of a driver's call: with what the worktree held where a person is asked. */
export const driverEnded = (driver: string, over: Over, content: Identity) => {
  const name = "end" in over ? over.end._tag : over.because
  const end = "end" in over && "asked" in over.end ? over.end.asked.end : endNamed(name)
  const ended = { _tag: "DriverEnded", driver, outcome: name } as const
  return end === null ? ended : { ...ended, end, why: name, content }
}
