// TellWatched: tells what watching shows: rows that are redrawn, else a line or a document for each change.
import { Effect } from "effect"
import type { Row } from "../core/loop/Row.ts"
import type { Manifest } from "../core/run/Manifest.ts"
import { Output } from "../services/Output.ts"
import { Progress } from "../services/Progress.ts"
import { type WorkLine, workLines } from "./AgentWork.ts"
import { drivenLines } from "./TellPlan.ts"
import type { Watched } from "./Watch.ts"
import { changeJson, changeText, endingJson, endingText, workJson } from "./WatchText.ts"

/** The part of a row whose change is printed. The times are left out: they change with every look. */
const essenceIn = ({ batch_number }: Manifest) => ({ activity, level, slot, state }: Row): string =>
  `${level} ${batch_number} ${slot} ${state} ${activity}`

const linesOf = (watched: Watched): ReadonlyArray<WorkLine> => {
  const view = watched._tag === "Reviewers" ? watched.driven : undefined
  if (view === undefined) return workLines(watched)
  const { agents: _, ...tokens } = watched
  return [...drivenLines(view), ...workLines(tokens)]
}

/** Tells what is watched, one after the other: to people on what they watch, or as documents. */
export const tellWatched = Effect.fn("TellWatched.tellWatched")(function*(json: boolean) {
  const output = yield* Output
  const progress = yield* Progress
  const drawn = progress.on && !json
  let known: ReadonlySet<string> = new Set()

  const news = (lines: ReadonlyArray<WorkLine>, at: string) =>
    lines.filter((line) => !known.has(line.essence)).map(({ text }) => `${at}  ${text}\n`).join("")

  /** What has changed in the rows and the lines since they were told last. */
  const changes = (watched: Extract<Watched, { readonly _tag: "Reviewers" }>, at: string): string => {
    const { driven: view = null, manifest } = watched
    const lines = linesOf(watched)
    const essence = essenceIn(manifest)
    const rows = watched.rows.filter((row) => !known.has(essence(row)))
    const text = json
      ? rows.map((row) => changeJson(row, manifest, at, watched, view)).join("")
      : rows.map((row) => changeText(row, manifest, at)).join("") + news(lines, at)
    const other = json && text === "" && view !== null && drivenLines(view).some((line) => !known.has(line.essence))
      ? workJson(manifest, at, watched, view)
      : ""
    known = new Set([...watched.rows.map(essence), ...lines.map((line) => line.essence)])
    return text + other
  }

  const batchOver = (watched: Extract<Watched, { readonly _tag: "Reviewers" }>, at: string): string => {
    if (watched.over === undefined) return ""
    const { end, manifest } = watched.over
    return json ? endingJson(end, manifest, at, watched) : `${at}  ${endingText(end, manifest)}`
  }

  const told = Effect.fnUntraced(function*(watched: Watched) {
    const at = new Date(watched.at).toISOString()
    if (watched._tag === "Ended") {
      const { end, manifest } = watched
      // Documents carry the work of agents with them; for people it has lines of its own, below the rows.
      return yield* output.write(
        json ? endingJson(end, manifest, at, watched) : news(workLines(watched), at) + endingText(end, manifest)
      )
    }
    if (!drawn) return yield* output.write(changes(watched, at) + batchOver(watched, at))
    const over = batchOver(watched, at)
    if (over !== "") yield* Effect.andThen(progress.clear, output.write(over))
    yield* progress.show(watched.rows, watched.driven)
  })
  return { told }
})
