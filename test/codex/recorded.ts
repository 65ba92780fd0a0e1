// What a run's log recorded, read back from disk and decoded: the other half of every assertion of this suite.
// Read-only and independent of the program's own reader; the chain of hashes is not this suite's business.
import { Schema } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Event, type EventOf } from "../../src/run/Event.ts"

const Line = Schema.fromJsonString(Schema.Struct({ seq: Schema.Int, events: Schema.Array(Event) }))
const decodeLine = Schema.decodeUnknownSync(Line)

/** The events of the run `latest` names, in order. */
export const recorded = (stateRoot: string, targetKey: string): ReadonlyArray<Event> => {
  const repos = readdirSync(stateRoot, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  if (repos.length !== 1) throw new Error(`expected one repository below ${stateRoot}, found ${repos.length}`)
  const target = join(stateRoot, repos[0]?.name ?? "", targetKey)
  const run = readFileSync(join(target, "latest"), "utf8")
  const text = readFileSync(join(target, "runs", run, "manifest.jsonl"), "utf8")
  return text.split("\n").filter((line) => line !== "").flatMap((line) => decodeLine(line).events)
}

/** The events of one kind. */
export const only = <Tag extends Event["_tag"]>(events: ReadonlyArray<Event>, tag: Tag): ReadonlyArray<EventOf<Tag>> =>
  events.filter((event): event is EventOf<Tag> => event._tag === tag)

/** The first line on standard error. */
export const headerOf = (stderr: string): string => stderr.split("\n", 1)[0] ?? ""
