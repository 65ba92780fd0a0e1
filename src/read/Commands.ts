// Commands: what a person can call next, given the state of a run: whole commands to copy.
// Arguments that no log records, such as the program of an agent, are missing from them.
import type { Consent } from "../agent/Event.ts"
import type { Cause } from "../drive/End.ts"
import { settingsOf, settingWords } from "../run/RunSettings.ts"
import type { SettingsCommand } from "../run/Setting.ts"
import { shellWord } from "../text/Phrases.ts"
import { oneLine } from "../text/Untrusted.ts"
import type { RunView } from "./Look.ts"
import { type Naming, rootFlag } from "../run/Naming.ts"

/** A command and its purpose. */
export interface NextCommand {
  readonly what: string
  readonly command: string
}

/**
 * An incomplete command: `given` is a person's call, which names its state root; `reads` says that it takes `--run` and is
 * about this one.
 */
interface Next extends NextCommand {
  readonly given?: true
  readonly reads?: true
}

const program = "ooda-codex-review"

const words = (...all: ReadonlyArray<string>): string => all.map((word) => shellWord(oneLine(word))).join(" ")

/** The flags that name a review run to a command. */
const ladderFlags = ({ ceiling, review }: RunView, command: SettingsCommand): ReadonlyArray<string> =>
  review === null ? [] : settingWords(settingsOf(review, ceiling), command)

const testFlags = ({ drive }: RunView): ReadonlyArray<string> => {
  const tests = [...new Set(drive?.tests.map(({ started }) => started.command))]
  return tests.length === 0 ? ["--no-test"] : tests.flatMap((test) => ["--test", test])
}

/** The call of the driver that continues a run, with further flags: the last recorded call, if there is one. */
const driverCall = (view: RunView, ...more: ReadonlyArray<string>): Omit<Next, "what"> => {
  const line = view.drive?.drivers.at(-1)?.call ?? null
  if (line !== null) return { command: [line, ...more].join(" "), given: true }
  const kind = view.drive?.agents.agents.at(-1)?.started.kind
  const agent = kind === "claude" ? ["--agent", "claude"] : []
  const call = view.plan === null ? ["converge", ...ladderFlags(view, "converge")] : ["implement", view.plan]
  return { command: words(program, ...call, ...testFlags(view), ...agent, ...more) }
}

/** The calls for a person about a cause. */
const about = (view: RunView, cause: Cause): ReadonlyArray<Next> => {
  const again = { what: "continue", ...driverCall(view) }
  const fixed = { what: "fixed it yourself", ...driverCall(view) }
  const retry = { what: "let an agent try again", ...driverCall(view, "--again") }
  const allowing = (consent: Consent): Next => ({ what: "allow it", ...driverCall(view, "--allow", consent) })
  switch (cause._tag) {
    case "Consent":
      return cause.consent === "red-baseline" ? [fixed, allowing(cause.consent)] : [allowing(cause.consent)]
    case "BaseMoved":
      return [{ what: "put it back", ...driverCall(view) }, allowing("moved-base")]
    case "AgentFailed":
      return [again, retry]
    case "CommitRefused":
    case "ChangedMeanwhile":
    case "GitChanged":
      return [again]
    case "CommitLacks":
    case "NothingDone":
    case "Protected":
    case "Rejected":
    case "TestsRed":
      return [fixed, retry]
  }
}

/** The calls for a person when a driver needs one. */
const answers = (view: RunView): ReadonlyArray<Next> => {
  const { end, reason } = view.status
  const again = { what: "continue", ...driverCall(view) }
  if (end?._tag === "Asked") return about(view, end.cause)
  if (reason === "TestsFailedTriage") return about(view, { _tag: "TestsRed" })
  if (end?._tag !== "GaveUp") return [again]
  switch (end.limit) {
    case "circle":
    case "patience":
    case "rounds":
      return about(view, { _tag: "TestsRed" })
    case "max-batches":
    case "max-rounds":
    case "max-time":
    case "max-tokens":
    case "reviews":
    case "steps":
      return [again]
  }
}

const stepCall = (view: RunView, ...mark: ReadonlyArray<string>): string =>
  words(program, ...ladderFlags(view, "step"), ...mark)

/** The flag with which a mark of a strict run names the batch that it answers. */
const batchFlag = ({ ref, review }: RunView): ReadonlyArray<string> =>
  review?.strict === undefined
    ? []
    : ["--batch", `${review.current_level}/${review.batch_number}@${ref.runId}`]

const marks = (view: RunView): ReadonlyArray<NextCommand> =>
  view.status.reason === "Retrospective"
    ? [
      { what: "nothing recurs", command: stepCall(view, ...batchFlag(view), "--mark-retro-clean") },
      { what: "you changed code", command: stepCall(view, ...batchFlag(view), "--mark-retro-changes", "REASON") }
    ]
    : [{ what: "fixed it yourself", command: stepCall(view, ...batchFlag(view), "--mark-address-passed") }]

const reading = (what: string, call: string): Next => ({ what, command: `${program} ${call}`, reads: true })

const own = (view: RunView): ReadonlyArray<Next> => {
  const { drive, status: { reason, state } } = view
  if (state === "Unreadable" || state === "Empty") return []
  if (state === "Running") {
    return [reading("follow it", "status --follow"), reading("stop it", "stop")]
  }
  const changed = (drive?.agents.snapshots.length ?? 0) > 0
  const back = !changed
    ? []
    : reason === "Undone"
    ? [reading("undo more or less", "undo --list")]
    : [reading("take it back", "undo")]
  if (state === "Done") {
    const page = reading("page", "report --out ../report.html")
    return reason === "Accepted" ? [...back, page] : [...back, reading("proof", "audit"), page]
  }
  if (drive !== null) {
    return state === "NeedsYou" ? [...answers(view), ...back] : [{ what: "continue", ...driverCall(view) }, ...back]
  }
  return state === "Interrupted" || reason === "ReviewsFailed"
    ? [{ what: "continue", command: stepCall(view) }]
    : marks(view)
}

/** What a person can call next. */
export const nextCommands = (view: RunView, { run, ...place }: Naming): ReadonlyArray<NextCommand> => {
  const root = rootFlag(place)
  return own(view).map(({ command, given, reads, what }) => {
    const named = reads === true && run !== null ? ` --run ${run}` : ""
    return { what, command: given === true ? command : command + named + root }
  })
}
