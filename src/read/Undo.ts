// Undo: takes back what agents did in a run, by rounds.
import { Effect, Schema } from "effect"
import { exits } from "../platform/Failure.ts"
import { Git } from "../code/Git.ts"
import { shownName } from "../code/Names.ts"
import {
  causeText,
  leftOutOf,
  lostOf,
  type RestoreOptions,
  type Restored,
  type Snapshot,
  type SnapshotDiff,
  type SnapshotFailed,
  Snapshots,
  type UndoneFile,
  undoneChanges,
  type UndoTo
} from "../code/Snapshots.ts"
import { leftReasons, leftText } from "../code/Undo.ts"
import { Drivers, isAtWork } from "../drive/DriverLock.ts"
import { type RunRef, sameRun } from "../log/Refs.ts"
import { Count, documentText, RunName, runName, version } from "../run/Document.ts"
import { explainFullDisk } from "../run/FullDisk.ts"
import { RunStore } from "../run/RunStore.ts"
import { ownerOf } from "../run/Owner.ts"
import { select, type Selector, type SearchPlace } from "../step/Selection.ts"
import { counted } from "../text/Phrases.ts"
import { brief, oneLine } from "../text/Untrusted.ts"
import { readerCall, unnamed } from "../run/Naming.ts"
import { readFacts } from "./Look.ts"
import type { RunFacts } from "./RunView.ts"
import { changesIn, changesText } from "./Story.ts"
import { roundSubject } from "./words.ts"

// The output of an undo, and the list of rounds and snapshots, for people and for programs.

const partText = (snapshot: Snapshot): string => {
  const names = leftOutOf(snapshot)
  return names.length === 0 ? "" : `, without ${names.map(shownName).join(", ")}`
}

/** The call that undoes something of a run. */
const undoCall = (run: string, stateRoot: string | null): string => readerCall(`undo ${run}`, { ...unnamed, stateRoot })

const snapshotLine = (one: Snapshot): string =>
  `${oneLine(`  snapshot ${one.number}  ${one.at}  ${causeText(one.cause)}${partText(one)}`)}\n`

/** A round of a run: what was asked, its snapshots and its changes. */
interface RoundChanges {
  readonly round: number
  readonly asked: string
  readonly snapshots: ReadonlyArray<Snapshot>
  readonly diff: SnapshotDiff
}

/** The contents of `undo --list`. */
interface Undoable {
  readonly run: RunRef
  readonly rounds: ReadonlyArray<RoundChanges>
  readonly snapshots: ReadonlyArray<Snapshot>
  /** Whether version 0.1.0 left snapshots of the run, which git restores. */
  readonly isEarlier: boolean
}

const startOf = ({ snapshots }: RoundChanges): string => snapshots[0]?.at ?? ""

// Characters of what was asked.
const mostAsked = 120

const roundText = (one: RoundChanges): string => {
  const { asked, diff, round, snapshots } = one
  const more = diff.whole ? "" : " and more"
  const changes = `${changesText(changesIn(diff))}${more}`
  return `${oneLine(`round ${round}  ${startOf(one)}  ${brief(asked, mostAsked)}: ${changes}`)}\n` +
    snapshots.map(snapshotLine).join("")
}

/** A few lines for each round, and one for each snapshot around an undo. */
export const undoableText = ({ isEarlier, rounds, run, snapshots }: Undoable, stateRoot: string | null): string => {
  if (isEarlier) {
    const call = undoCall(run.runId, stateRoot)
    return `run ${run.runId} is of an earlier version [${call} prints how git restores it]\n`
  }
  if (snapshots.length === 0) return `run ${run.runId} has no snapshots: no agent has worked on it here\n`
  const undos = snapshots.filter(({ round }) => round === null)
  const rest = undos.length === 0 ? "" : `undos\n${undos.map(snapshotLine).join("")}`
  const lost = lostOf(snapshots, (snapshots.at(-1)?.number ?? 0) + 1)
  const gone = lost.length === 0 ? "" : `missing or damaged: ${lost.map((number) => `snapshot ${number}`).join(", ")}\n`
  return rounds.map(roundText).join("") + rest + gone
}

/** A snapshot in a document. `agent`: the one that it was taken before or after, or null. */
const SnapshotFields = Schema.Struct({
  number: Count,
  at: Schema.String,
  cause: Schema.Literals([
    "BeforeAgent",
    "AfterAgent",
    "BeforeTests",
    "AfterTests",
    "BeforeMarks",
    "AfterMarks",
    "BeforeUndo",
    "AfterUndo"
  ]),
  agent: Schema.NullOr(Count),
  round: Schema.NullOr(Count),
  commit: Schema.String,
  leftOut: Schema.Array(Schema.String)
})

const fieldsOf = (snapshot: Snapshot) => {
  const { at, cause, commit, number, round } = snapshot
  const agent = "agent" in cause ? cause.agent : null
  return { number, at, cause: cause._tag, agent, round, commit, leftOut: leftOutOf(snapshot).map(shownName) }
}

/** The document of `undo --list --json`. */
export class SnapshotList extends Schema.Class<SnapshotList>("SnapshotList")({
  schema: version,
  run: RunName,
  rounds: Schema.Array(Schema.Struct({
    round: Count,
    at: Schema.String,
    asked: Schema.String,
    files: Schema.Array(Schema.String),
    added: Count,
    removed: Count
  })),
  snapshots: Schema.Array(SnapshotFields)
}) {}

/** The same as one document. */
export const undoableJson = ({ rounds, run, snapshots }: Undoable): string =>
  documentText(SnapshotList, {
    run: runName(run),
    rounds: rounds.map((one) => {
      const { added, files, removed } = changesIn(one.diff)
      return { round: one.round, at: startOf(one), asked: one.asked, files: [...files], added, removed }
    }),
    snapshots: snapshots.map(fieldsOf)
  })

// The most files that are named one by one.
const mostNamed = 20

const someOf = <A>(all: ReadonlyArray<A>, text: (one: A) => string): string => {
  const named = all.slice(0, mostNamed).map((one) => `  ${oneLine(text(one))}\n`).join("")
  return all.length > mostNamed ? `${named}  and ${all.length - mostNamed} more\n` : named
}

/** What is taken back: an undo alone has no round. */
const roundsText = (rounds: ReadonlyArray<number>): string => {
  const [last] = rounds
  const first = rounds.at(-1)
  if (first === undefined || last === undefined) return "what changed since"
  return first === last ? `round ${first}` : `rounds ${first} to ${last}`
}

const snapshotText = ({ at, cause, number }: Snapshot): string => `snapshot ${number}, ${causeText(cause)}, ${at}`

const whereText = ({ rounds, to }: Restored): string => `${roundsText(rounds)} [${snapshotText(to)}]`

/** The first line of an undo without a change, and of its preview; null where something changes. */
const unchangedText = ({ files, left, to }: Restored): string | null =>
  files.length === 0 && left.length === 0 ? `nothing to undo: the files are those of ${snapshotText(to)}\n` : null

const words = {
  Written: "written",
  Removed: "removed",
  MovedBack: "moved back",
  MovedAside: "moved aside"
} as const satisfies Record<UndoneFile["change"], string>

const filesText = ({ files }: Restored): string =>
  someOf(
    files,
    ({ change, merged, path }) => `${words[change]}  ${shownName(path)}${merged ? "  (your changes stay)" : ""}`
  )

const flagsOf = (to: UndoTo): string => {
  switch (to._tag) {
    case "LastRound":
      return ""
    case "AllRounds":
      return " --all"
    case "Round":
      return ` --round ${to.round}`
    case "Snapshot":
      return ` --to ${to.number}`
  }
}

/** The flags that would take back the files that are left. */
const forcing = ({ left }: Restored): string => {
  const flags = [
    ...(left.some(({ reason }) => forcible.has(reason)) ? ["--force"] : []),
    ...(left.some(({ reason }) => reason === "Unsaved") ? ["--allow partial-snapshot"] : [])
  ]
  return flags.join(" ")
}

const forcible: ReadonlySet<string> = new Set([
  "ChangedLater",
  "Conflict",
  "Binary",
  "Removed",
  "NewFileEdited",
  "MadeAnew",
  "OtherType"
])

const leftLines = (call: string, asked: UndoTo, restored: Restored): string => {
  const { left } = restored
  if (left.length === 0) return ""
  const flags = forcing(restored)
  const how = flags === ""
    ? ""
    : `to take these back too: ${call}${flagsOf(asked)} ${flags}\n`
  const named = someOf(left, (one) => `${shownName(one.path)}  ${leftText(one)}`)
  return `left as ${left.length === 1 ? "it is" : "they are"}:\n${named}${how}`
}

/** The request, the result, and the commits of the run, which stay. */
export interface UndoneRun {
  readonly run: RunRef
  readonly asked: UndoTo
  readonly restored: Restored
  /** The undo that was interrupted, and finished first; null for none. */
  readonly earlier: Restored | null
  readonly commits: ReadonlyArray<string>
}

const commitsText = (commits: ReadonlyArray<string>): string =>
  commits.length === 0
    ? ""
    : `${counted(commits.length, "commit")} of the run ${commits.length === 1 ? "stays" : "stay"}; to undo ` +
      `${commits.length === 1 ? "it" : "them"}: git revert ${commits.map((id) => id.slice(0, 12)).join(" ")}\n`

const countsText = ({ files }: Restored): string =>
  undoneChanges.flatMap((change) => {
    const count = files.filter((one) => one.change === change).length
    return count > 0 || change === "Written" || change === "Removed" ? [`${count} ${words[change]}`] : []
  }).join(", ")

const earlierText = (earlier: Restored): string => {
  const named = someOf(earlier.left, (one) => `${shownName(one.path)}  ${leftText(one)}`)
  return `finished an undo that was interrupted: ${whereText(earlier)}: ${countsText(earlier)}\n${filesText(earlier)}` +
    (named === "" ? "" : `left as it is:\n${named}`)
}

/** The result of an undo. */
export const undoneText = (
  { asked, commits, earlier, restored, run }: UndoneRun,
  stateRoot: string | null
): string => {
  const call = undoCall(run.runId, stateRoot)
  const { saved } = restored
  const first = earlier === null ? "" : earlierText(earlier)
  const done = saved === null
    ? unchangedText(restored) ?? `took back nothing: ${whereText(restored)}\n`
    : `took back ${whereText(restored)}: ${countsText(restored)}\n`
  const again = saved === null ? "" : `to bring it back: ${call} --to ${saved.number}\n`
  const aside = restored.aside === null ? "" : `what was moved aside is in ${oneLine(restored.aside)}\n`
  return first + done + filesText(restored) + aside + leftLines(call, asked, restored) + commitsText(commits) + again
}

/** The preview of an undo, with the beginning of the diff. */
export const previewText = (
  { asked, commits, restored, run }: UndoneRun,
  { text, whole }: SnapshotDiff,
  stateRoot: string | null
): string =>
  `${unchangedText(restored) ?? `would take back ${whereText(restored)}\n`}${filesText(restored)}` +
  leftLines(undoCall(run.runId, stateRoot), asked, restored) +
  `${commitsText(commits)}${text}${whole ? "" : "the diff is longer than what is shown\n"}`

/** The document of `undo --json` and `undo --dry-run --json`. */
export class Undone extends Schema.Class<Undone>("Undone")({
  schema: version,
  run: RunName,
  dryRun: Schema.Boolean,
  /** Whether an undo that was interrupted was finished first. */
  finished: Schema.Boolean,
  to: SnapshotFields,
  rounds: Schema.Array(Count),
  saved: Schema.NullOr(SnapshotFields),
  files: Schema.Array(Schema.Struct({
    path: Schema.String,
    change: Schema.Literals(undoneChanges),
    merged: Schema.Boolean
  })),
  left: Schema.Array(
    Schema.Struct({ path: Schema.String, reason: Schema.Literals(leftReasons), text: Schema.String })
  ),
  /** The directory with what was moved aside; null if nothing was. */
  aside: Schema.NullOr(Schema.String),
  commits: Schema.Array(Schema.String)
}) {}

/** The same as one document. */
export const undoneJson = (
  { commits, earlier, restored: { aside, files, left, rounds, saved, to }, run }: UndoneRun,
  dryRun: boolean
) =>
  documentText(Undone, {
    run: runName(run),
    dryRun,
    finished: earlier !== null,
    to: fieldsOf(to),
    rounds: [...rounds],
    saved: saved === null ? null : fieldsOf(saved),
    files: files.map(({ change, merged, path }) => ({ path: shownName(path), change, merged })),
    left: left.map((one) => ({ path: shownName(one.path), reason: one.reason, text: leftText(one) })),
    aside,
    commits: [...commits]
  })

// Works only in the worktree of the run, and never beside a driver, an agent or a reviewer of it.

/** Nothing was undone, because of the place or time of the call. */
export class UndoRefused extends Schema.TaggedError<UndoRefused>()("UndoRefused", { message: Schema.String }) {
  readonly exitCode = exits.couldNot
}

/** The run that a selector names, which must belong to the worktree around the caller's directory. */
const ownRun = Effect.fnUntraced(function*(selector: Selector, where: SearchPlace) {
  const run = yield* select(selector, where)
  const git = yield* Git
  const owner = yield* ownerOf(run)
  const here = yield* Effect.option(git.repository(where.cwd))
  const root = here._tag === "Some" ? here.value.root : null
  if (owner._tag === "Worktree" && owner.path !== root) {
    const exists = yield* git.exists(owner.path)
    return yield* new UndoRefused({
      message: exists
        ? `run ${run.runId} is of another worktree; call this in ${owner.path}`
        : `the worktree of run ${run.runId} is gone: ${owner.path}`
    })
  }
  return { run, worktree: root ?? (yield* git.repository(where.cwd)).root }
})

const mostOfRound = 1_000_000

/** The rounds and snapshots of a run, oldest first. */
export const undoable = Effect.fn("Undo.undoable")(function*(selector: Selector, where: SearchPlace) {
  const { run, worktree } = yield* ownRun(selector, where)
  const { diff, list, snapshotted } = yield* Snapshots
  const snapshots = yield* list(run)
  const isEarlier = snapshots.length === 0 && (yield* snapshotted(worktree)).some((one) => sameRun(one.run, run))
  const asked = new Map((yield* readFacts(run)).rounds.map((one) => [one.round, roundSubject(one)]))
  const numbers = [...new Set(snapshots.flatMap(({ round }) => round === null ? [] : [round]))]
  const rounds = yield* Effect.forEach(numbers, (round) => {
    const own = snapshots.filter((one) => one.round === round)
    const [first, last] = [own[0]?.number ?? 0, own.at(-1)?.number ?? 0]
    return Effect.map(diff(run, { before: first, after: last }, mostOfRound), (diff): RoundChanges => ({
      round,
      asked: asked.get(round) ?? "",
      snapshots: own,
      diff
    }))
  })
  return { run, rounds, snapshots, isEarlier } satisfies Undoable
})

/** The state of a run. Fails while a driver, an agent or a reviewer of it works. */
const idle = Effect.fnUntraced(function*(run: RunRef, { stateRoot }: SearchPlace) {
  const facts = yield* readFacts(run)
  const { reviewersAlive } = yield* (yield* RunStore).look(run)
  if (reviewersAlive || (yield* isAtWork(run, facts.drive?.drivers.at(-1) ?? null))) {
    return yield* new UndoRefused({
      message: `a driver, an agent or a reviewer of run ${run.runId} still works ` +
        `[${readerCall("stop", { ...unnamed, run: run.runId, stateRoot })}]`
    })
  }
  return facts
})

/** The commits of the rounds to undo, the newest first. */
const commitsIn = ({ rounds: all }: RunFacts, { rounds }: Restored): ReadonlyArray<string> =>
  all.filter(({ round }) => rounds.includes(round)).flatMap(({ commits }) => commits)
    .flatMap(({ commit }) => commit === null ? [] : [commit]).reverse()

/** A round or a snapshot that does not exist, with the command that lists them. */
const orListed = (run: RunRef, { stateRoot }: SearchPlace) => (failure: SnapshotFailed) => {
  const { message, reason } = failure
  return reason._tag === "NoSuchRound" || reason._tag === "NoSuchNumber"
    ? new UndoRefused({ message: `${message} [${undoCall(`${run.runId} --list`, stateRoot)}]` })
    : failure
}

/** Takes back what agents did in a run. */
export const undo = Effect.fn("Undo.undo")(
  function*(selector: Selector, asked: UndoTo, options: RestoreOptions, where: SearchPlace) {
    const { run, worktree } = yield* ownRun(selector, where)
    const facts = yield* idle(run, where)
    const { finish, restore } = yield* Snapshots
    const { driving } = yield* Drivers
    // Nor may the agents of another run work here meanwhile.
    const { earlier, restored } = yield* explainFullDisk(
      run.root,
      driving(run, worktree, () =>
        Effect.gen(function*() {
          const earlier = yield* finish(run, worktree)
          return {
            earlier,
            restored: yield* Effect.mapError(restore(run, worktree, asked, options), orListed(run, where))
          }
        }))
    )
    return { run, asked, restored, earlier, commits: commitsIn(facts, restored) } satisfies UndoneRun
  }
)

// The most characters of a diff.
const mostShown = 100_000

/** What `undo` would do, and the diff of the files. */
export const previewUndo = Effect.fn("Undo.previewUndo")(
  function*(selector: Selector, asked: UndoTo, options: RestoreOptions, where: SearchPlace) {
    const { run, worktree } = yield* ownRun(selector, where)
    const facts = yield* idle(run, where)
    const { diff, ...restored } = yield* Snapshots.use(({ preview }) =>
      preview(run, worktree, asked, options, mostShown)
    ).pipe(Effect.mapError(orListed(run, where)))
    return { run, asked, restored, earlier: null, commits: commitsIn(facts, restored), diff }
  }
)
