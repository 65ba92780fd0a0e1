// watching: the JSON documents of `watch`: one for each change.
import { Schema } from "effect"
import { RunName } from "../../../src/run/Document.ts"
import { Level } from "../../../src/run/Level.ts"
import { Count, list, NullOr, optionalKey, Spending, Struct, Text, version, words } from "./parts.ts"

const { Boolean, Union } = Schema

const reviewer = {
  slot: Count,
  state: words("queued", "running", "ended", "clean", "issues", "retrying", "failed", "stopped"),
  elapsed: NullOr(Count),
  silentFor: NullOr(Count),
  activity: Text
}
const Work = Struct({
  name: Text,
  state: words("queued", "running", "ended", "clean", "issues", "retrying", "failed", "stopped", "waiting"),
  elapsed: NullOr(Count),
  activity: Text,
  silentFor: NullOr(Count)
})
const Round = Struct({ number: Count, open: Boolean, findings: Count })
const Cycle = Struct({
  number: Count,
  open: Boolean,
  round: Count,
  tasks: list(Struct({ index: Count, title: Text }))
})
const Agent = Struct({
  agent: Count,
  attempt: Count,
  state: words("running", "waiting"),
  elapsed: Count,
  kind: Text,
  role: Text,
  task: Text
})
const at = { schema: version, at: Text, run: RunName }
const batch = { level: Level, batch: Count }
const driven = { round: NullOr(Round), work: list(Work) }
const beside = { agents: optionalKey(list(Agent)), usage: optionalKey(Spending) }
const end = words("NotStarted", "Left", "Stopped", "Unrecorded", "Failed", "DriverEnded", "Complete")
export const Watch = Union([
  Struct({ ...at, ...batch, ...reviewer, round: optionalKey(NullOr(Round)), work: optionalKey(list(Work)), ...beside })
    .annotate({ title: "a reviewer has changed" }),
  Struct({ ...at, ...batch, ...driven, ...beside }).annotate({ title: "an agent or a test has changed" }),
  Struct({ ...at, ...batch, end, text: Text, ...beside }).annotate({ title: "a batch, or all of it, has ended" }),
  Struct({ ...at, cycle: NullOr(Cycle), done: Count, work: list(Work) }).annotate({ title: "a plan run has changed" }),
  Struct({ ...at, end: words("DriverEnded"), text: Text }).annotate({ title: "a plan run's driver has ended" })
])
