// Snapshots.live: snapshots of runs in their private repositories, and undo.
// A snapshot is a commit of the frozen tree, whose message holds the facts, kept by `refs/snapshots/<number>`. Only one
// process at a time takes snapshots of a run or undoes.
import * as fs from "node:fs"
import { Clock, Effect, Layer, Option, Schema } from "effect"
import { LockFailed, withFileLock } from "../log/FileLock.live.ts"
import { runDirectory } from "../log/LogFile.live.ts"
import type { RunRef } from "../log/Refs.ts"
import { hasCode } from "../platform/SystemError.ts"
import {
  agentDirectory,
  agentFiles,
  codeDirectory,
  testFiles,
  testsDirectory,
  undoFile,
  undoLock
} from "../run/Layout.live.ts"
import { replaceFile } from "../run/SmallFile.live.ts"
import { jsonText } from "../text/Json.ts"
import { storeOf } from "./Asked.live.ts"
import { CodeFailed } from "./CodeFailed.ts"
import { earlierCommands, earlierRuns, forgetEarlier } from "./EarlierSnapshots.live.ts"
import { freeze, namesOf } from "./Freeze.live.ts"
import { type Frozen, mayHoldCode, skipText } from "./Frozen.ts"
import { digestOfNested, type GitPart, gitState } from "./GitState.live.ts"
import { type Name, shownName } from "./Names.ts"
import { acceptProtected, protectedChanges } from "./Protected.live.ts"
import { isChangedAfter } from "./Nested.live.ts"
import { locate, ours, parts, utf8 } from "./SafeGit.live.ts"
import {
  causeText,
  changedParts,
  ends,
  type RestoreOptions,
  type Restored,
  type Snapshot,
  type SnapshotCause,
  type SnapshotDiff,
  SnapshotFacts,
  SnapshotFailed,
  Snapshots,
  type Stretch,
  stretchesFrom,
  targetOf,
  type UndoTo
} from "./Snapshots.ts"
import { contentsOf, entriesOf, setRef, type Store, tryFiles, writeObjects, writeTree } from "./Store.live.ts"
import { type Entries, type Left, leftReasons, planUndo, type UndoPlan, type UndoStep } from "./Undo.ts"
import { carryOut, mergeBy } from "./Undo.live.ts"

const faultIn = ({ reason }: CodeFailed | LockFailed) =>
  reason._tag === "System" ? reason.fault : reason._tag === "Git" || reason._tag === "Refused" ? null : reason

const failed = (error: CodeFailed | LockFailed | SnapshotFailed): SnapshotFailed =>
  error instanceof SnapshotFailed
    ? error
    : new SnapshotFailed({ reason: { _tag: "CodeFailed", why: error.message, fault: faultIn(error) } })

/** Runs an effect while this process alone works on the snapshots of a run. */
const alone = <A>(run: RunRef, use: Effect.Effect<A, CodeFailed | SnapshotFailed>): Effect.Effect<A, SnapshotFailed> =>
  Effect.mapError(withFileLock(undoLock(run), use), failed)

// What is kept.

const refs = "refs/snapshots/"
const refOf = (number: number): string => `${refs}${String(number).padStart(6, "0")}`
const decodeFacts = Schema.decodeUnknownOption(Schema.fromJsonString(SnapshotFacts))

/** The snapshots in a private repository, the oldest first. */
const listed = Effect.fnUntraced(function*(dir: string) {
  if (!fs.existsSync(`${dir}/HEAD`)) return []
  const { out } = yield* ours({ gitDirectory: dir }, ["for-each-ref", "--format=%(objectname)", refs])
  const ids = out.split("\n").filter((id) => id !== "")
  const contents = yield* contentsOf({ dir }, ids)
  const found = contents.flatMap((content, i): ReadonlyArray<Snapshot> => {
    const [, , ...facts] = (content?.toString() ?? "").split("\n\n")
    const decoded = Option.getOrNull(decodeFacts(facts.join("\n\n")))
    return decoded === null ? [] : [{ ...decoded, commit: ids[i] ?? "" }]
  })
  return found.sort((a, b) => a.number - b.number)
})

/** When the names of snapshots last changed, in epoch milliseconds; null if only git can say. */
const lastChange = (dir: string): number | null =>
  fs.statSync(`${dir}/${refs}`, { throwIfNoEntry: false })?.mtimeMs ?? null

/** The parts of git's state of a worktree. */
const gitStateOf = Effect.fnUntraced(function*({ repository }: Store, frozen: Frozen) {
  const usual = `${repository.common}/hooks`
  const { out } = yield* locate(repository.top, ["--path-format=absolute", "--git-path", "hooks"])
  const hooks = Buffer.from(out.replace(/\n$/, ""), "latin1").toString()
  return yield* tryFiles(repository.gitDirectory, () => gitState(repository, hooks === usual ? null : hooks, frozen))
})

/** The input of a snapshot: a frozen worktree, git's state at that moment, and what changed after an agent. */
interface Moment {
  readonly frozen: Frozen
  readonly git: ReadonlyArray<GitPart>
  readonly later: ReadonlyArray<Name>
}

const author = "ooda-codex-review <ooda-codex-review@localhost> 0 +0000"

/** What a snapshot says of the code. */
type Content = Pick<SnapshotFacts, "git" | "later" | "rules" | "skipped" | "tree">

/** The last change of some files, in epoch milliseconds; 0 without any. */
const lastOf = (paths: ReadonlyArray<string>): number =>
  Math.max(0, ...paths.map((path) => fs.statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0))

/** The highest number with which a name in a directory begins; 0 without any. */
const lastNumber = (directory: string): number =>
  fs.existsSync(directory)
    ? Math.max(0, ...fs.readdirSync(directory).map((name) => Number(/^(\d+)/.exec(name)?.[1] ?? 0)))
    : 0

/** The files of the last attempt of the agent, or of the last test, that a snapshot was taken before or after. */
const filesOfWorker = (run: RunRef, cause: SnapshotCause) => {
  switch (cause._tag) {
    case "BeforeAgent":
    case "AfterAgent": {
      const { agent } = cause
      return agentFiles({ run, agent, attempt: lastNumber(agentDirectory({ run, agent })) })
    }
    case "BeforeTests":
    case "AfterTests":
      return testFiles({ run, test: lastNumber(testsDirectory(run)) })
    default:
      return null
  }
}

/**
 * When the agent or the test since a snapshot ended with all its processes, in epoch milliseconds. If that is unknown,
 * the time of its last output; null if it printed nothing either.
 */
const endOf = (run: RunRef, { cause: before }: Snapshot, cause: SnapshotCause) =>
  tryFiles(runDirectory(run), () => {
    const worker = ends(before) ? cause : before
    const files = filesOfWorker(run, worker)
    return files === null ? null : lastOf([files.exit]) || lastOf([files.journal, files.log, files.out]) || null
  })

/**
 * The files that changed since the snapshot before an agent or tests, and once more after these had ended. The driver
 * may have been killed, so that a person worked in the meantime.
 */
const laterOf = Effect.fnUntraced(
  function*(store: Store, run: RunRef, before: Snapshot | undefined, cause: SnapshotCause, tree: string) {
    if (before === undefined || before.tree === tree) return []
    const end = yield* endOf(run, before, cause)
    if (end === null) return []
    const { out } = yield* ours({ gitDirectory: store.dir }, [
      ...["diff-tree", "-r", "-z", "--name-only", "--no-renames", "--diff-filter=d"],
      ...[before.tree, tree]
    ])
    const { top } = store.repository
    return yield* tryFiles(top, () => parts(out).filter(isChangedAfter(top, end)))
  }
)

/** The moment of a frozen worktree for a snapshot of a cause, where `before` is the last one. */
const momentOf = Effect.fnUntraced(
  function*(store: Store, run: RunRef, before: Snapshot | undefined, cause: SnapshotCause, frozen: Frozen) {
    const git = yield* gitStateOf(store, frozen)
    return { frozen, git, later: yield* laterOf(store, run, before, cause, frozen.tree) } satisfies Moment
  }
)

/** A moment as a snapshot says it. */
const contentOf = Effect.fnUntraced(function*(store: Store, { frozen, git, later }: Moment) {
  const [rules = ""] = yield* writeObjects(store, [
    { type: "blob", content: Buffer.from(jsonText([...frozen.rules])) }
  ])
  const skipped = frozen.skipped.map((one) => ({
    path: one.path,
    why: skipText(one.reason),
    code: mayHoldCode(one)
  }))
  return { tree: frozen.tree, rules, skipped, git, ...(later.length === 0 ? {} : { later }) } satisfies Content
})

/** Keeps the next snapshot of a run. */
const keep = Effect.fnUntraced(function*(
  store: Store,
  run: RunRef,
  content: Content,
  about: { readonly number: number; readonly cause: SnapshotCause; readonly round: number | null }
) {
  const { repoId, root, runId, targetKey } = run
  const facts: SnapshotFacts = {
    schema: 2,
    run: { repoId, root, runId, targetKey },
    at: new Date(yield* Clock.currentTimeMillis).toISOString(),
    worktree: store.repository.top,
    ...about,
    ...content
  }
  const title = `Snapshot ${about.number} of run ${runId}, ${causeText(about.cause)}`
  const text = `tree ${content.tree}\nauthor ${author}\ncommitter ${author}\n\n${title}\n\n${jsonText(facts)}`
  const [commit = ""] = yield* writeObjects(store, [{ type: "commit", content: Buffer.from(text) }])
  yield* setRef(store, refOf(about.number), commit)
  return { ...facts, commit } satisfies Snapshot
})

/**
 * Copies all borrowed objects of snapshots into the private repository, so that no change of the user's can lose them.
 */
const adopt = ({ dir }: Store) =>
  ours({ gitDirectory: dir }, ["repack", "-a", "-d", "-k", "-q", "--no-write-bitmap-index"])

const decodeRules = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.Array(Schema.Tuple([Schema.String, Schema.String])))
)

/** The ignore rules that a snapshot followed. */
const rulesOf = Effect.fnUntraced(function*(store: Store, { rules }: Snapshot) {
  const [content] = yield* contentsOf(store, [rules])
  return new Map<Name, string>(Option.getOrElse(decodeRules(content?.toString() ?? ""), () => []))
})

const nextOf = (known: ReadonlyArray<Snapshot>): number => (known.at(-1)?.number ?? 0) + 1

interface TakeOptions {
  readonly partial: boolean
  readonly round: number | null
  /** Whether to take no snapshot that would say nothing beside the last one of the round. */
  readonly onlyChanged?: boolean
}

/**
 * Takes the next snapshot. It follows the ignore rules of the first snapshot of its round, and keeps every file that
 * the run has counted: an agent that changes an ignore file can neither hide a file from undo nor have undo remove
 * somebody else's.
 */
const taken = Effect.fnUntraced(function*(
  store: Store,
  run: RunRef,
  cause: SnapshotCause,
  { onlyChanged = false, partial, round }: TakeOptions
) {
  const known = yield* listed(store.dir)
  const last = onlyChanged ? known.findLast((one) => one.round === round) : undefined
  if (onlyChanged && last === undefined) return null
  const before = known.at(-1)
  const first = known.find((one) => round !== null && one.round === round)
  const also = new Set<Name>()
  for (const one of [first, before]) {
    if (one !== undefined) { for (const name of yield* namesOf(store, one.tree)) also.add(name) }
  }
  const rules = first === undefined ? {} : { rules: yield* rulesOf(store, first) }
  const frozen = yield* freeze(store, { also: [...also], ...rules })
  // What was begun is closed, or everything until the next snapshot would count to it.
  if (frozen.tree === last?.tree && (ends(last.cause) || !ends(cause))) return null
  const leftOut = frozen.skipped.filter(mayHoldCode).map(({ path }) => path)
  if (leftOut.length > 0 && !partial) {
    return yield* new SnapshotFailed({ reason: { _tag: "Partial", leftOut } })
  }
  const content = yield* contentOf(store, yield* momentOf(store, run, before, cause, frozen))
  const snapshot = yield* keep(store, run, content, { number: nextOf(known), cause, round })
  if (cause._tag === "BeforeAgent") yield* adopt(store)
  return snapshot
})

// What differs.

// The usual length of a line of code. Whole files are requested only while their lines can be shown.
const perLine = 40
// The names are arguments of a program, whose length is limited.
const mostFiles = 500

/** How many lines of each file differ, by its name; git counts none in a binary file. */
const counted = (text: string): ReadonlyArray<{ readonly name: Name; readonly lines: number }> =>
  parts(text).flatMap((entry) => {
    const [, added = "", removed = "", name] = /^(\d+|-)\t(\d+|-)\t(.*)$/s.exec(entry) ?? []
    return name === undefined ? [] : [{ name, lines: (Number(added) || 0) + (Number(removed) || 0) }]
  })

/** The names of the files that differ, and at most about `most` characters of the diff. */
const diffOf = Effect.fnUntraced(function*(gitDirectory: string, from: string, to: string, most: number) {
  const own = { gitDirectory }
  const plain = ["--no-color", "--no-ext-diff", "--no-textconv", "--no-renames"]
  const numbers = yield* ours(own, ["diff", "--numstat", "-z", ...plain, from, to, "--"])
  const files = counted(numbers.out)
  let room = Math.ceil(most / perLine)
  // Arguments are text.
  const isText = (name: Name) => !utf8(name).includes("\ufffd")
  const shown = files.slice(0, mostFiles).filter(({ lines, name }) =>
    isText(name) && lines <= room && (room -= lines + 5) >= 0
  )
  const names = shown.map(({ name }) => `:(literal)${utf8(name)}`)
  const bytes = names.length === 0
    ? ""
    : (yield* ours(own, ["-c", "core.quotePath=false", "diff", ...plain, from, to, "--", ...names])).out
  const text = Buffer.from(bytes, "latin1").toString()
  return {
    files: files.map(({ name }) => shownName(name)),
    text: text === "" ? "" : `${text.slice(0, most).trimEnd()}\n`,
    whole: shown.length === files.length && text.length <= most
  } satisfies SnapshotDiff
})

const noSuch = (known: ReadonlyArray<Snapshot>, run: RunRef, to: UndoTo): SnapshotFailed => {
  const last = known.at(-1)
  return new SnapshotFailed({
    reason: last === undefined || to._tag === "LastRound" || to._tag === "AllRounds"
      ? { _tag: "NoneOfRun", run: run.runId }
      : to._tag === "Round"
      ? { _tag: "NoSuchRound", round: to.round }
      : { _tag: "NoSuchNumber", number: to.number, last: last.number }
  })
}

// Undo.

/** The input of an undo. */
interface Plan extends UndoPlan {
  readonly to: Snapshot
  readonly rounds: ReadonlyArray<number>
  readonly number: number
  readonly moment: Moment
  /** Git directories that agents made and that are unchanged since. */
  readonly gitDirectories: ReadonlyArray<GitPart>
}

const isNested = (part: string): boolean => part.endsWith("/.git")

/** What happens to git's state that agents changed: what they created is removed, the rest is left. */
const gitPlan = (stretches: ReadonlyArray<Stretch>, now: ReadonlyArray<GitPart>) => {
  const present = new Map(now.map(({ digest, part }) => [part, digest]))
  const made = new Map<string, GitPart>()
  const left = new Map<string, Left>()
  const other = new Set<string>()
  for (const { first, last } of stretches) {
    const before = new Map(first.git.map(({ digest, part }) => [part, digest]))
    const after = new Map((last?.git ?? now).map(({ digest, part }) => [part, digest]))
    for (const part of changedParts(first.git, last?.git ?? now)) {
      const is = present.get(part)
      if (is === before.get(part)) continue
      if (!isNested(part)) other.add(part)
      else if (!before.has(part) && is !== undefined && is === after.get(part)) made.set(part, { part, digest: is })
      else left.set(part, { path: part, reason: "GitDirectory" })
    }
  }
  if (other.size > 0) left.set(".git", { path: ".git", reason: "GitDirectory", detail: [...other].join(", ") })
  return { made: [...made.values()].filter(({ part }) => !left.has(part)), left: [...left.values()] }
}

/** What changed in a stretch after its agents had ended. */
const laterIn = (known: ReadonlyArray<Snapshot>, { first, last }: Stretch, { later }: Moment): ReadonlyArray<Name> =>
  known.filter(({ number }) => number > first.number && number <= (last?.number ?? number))
    .flatMap((one) => one.later ?? []).concat(last === null ? later : [])

const planned = Effect.fnUntraced(function*(store: Store, run: RunRef, to: UndoTo, options: RestoreOptions) {
  const known = yield* listed(store.dir)
  const target = targetOf(known, to)
  if (target === null) {
    const commands = known.length > 0 ? [] : yield* earlierCommands(store.repository.top, run.runId)
    return yield* commands.length > 0
      ? new SnapshotFailed({ reason: { _tag: "OfEarlierVersion", run: run.runId, commands } })
      : noSuch(known, run, to)
  }
  const stretches = stretchesFrom(known, target.number)
  const trees = new Map<string, Entries>()
  for (const { first, last } of stretches) {
    for (const one of [first, last]) {
      if (one !== null && !trees.has(one.tree)) trees.set(one.tree, yield* entriesOf(store, one.tree))
    }
  }
  const also = [...new Set([...trees.values()].flatMap((entries) => [...entries.keys()]))]
  const frozen = yield* freeze(store, { rules: yield* rulesOf(store, target), also })
  const moment = yield* momentOf(store, run, known.at(-1), { _tag: "BeforeUndo" }, frozen)
  const present: Entries = yield* entriesOf(store, frozen.tree)
  const none: Entries = new Map()
  const plan = yield* planUndo(
    present,
    stretches.map((stretch) => ({
      before: trees.get(stretch.first.tree) ?? none,
      after: stretch.last === null ? present : trees.get(stretch.last.tree) ?? none,
      notSaved: stretch.first.skipped.map(({ path }) => path),
      later: new Set(laterIn(known, stretch, moment))
    })),
    mergeBy(store),
    { ...options, unsaved: frozen.skipped.map(({ path }) => path) }
  )
  const gits = gitPlan(stretches, moment.git)
  // A file that cannot be saved and did not exist before an agent is named, even if nothing replaces it.
  const known_ = new Set([...target.skipped, ...plan.left, ...plan.steps].map(({ path }) => path))
  const skipped = frozen.skipped.filter(({ path }) => !known_.has(path)).map((one): Left => ({
    path: one.path,
    reason: mayHoldCode(one) ? "Unsaved" : "Special",
    detail: skipText(one.reason)
  }))
  const rounds = [...new Set(stretches.flatMap(({ round }) => round === null ? [] : [round]))]
  return {
    ...plan,
    to: target,
    rounds,
    number: nextOf(known),
    moment,
    left: [...plan.left, ...skipped, ...gits.left],
    gitDirectories: gits.made
  } satisfies Plan
})

const LeftFields = Schema.Struct({
  path: Schema.String,
  reason: Schema.Literals(leftReasons),
  detail: Schema.optionalKey(Schema.String)
})
const EntryFields = Schema.NullOr(Schema.Struct({ mode: Schema.String, id: Schema.String }))

/** The plan of an undo, as it is stored before the first file changes. */
const Journal = Schema.Struct({
  schema: Schema.Literal(2),
  to: Schema.Int,
  saved: Schema.Int,
  rounds: Schema.Array(Schema.Int),
  steps: Schema.Array(Schema.Struct({
    path: Schema.String,
    from: EntryFields,
    to: EntryFields,
    lose: Schema.optionalKey(Schema.Literal(true))
  })),
  gitDirectories: Schema.Array(Schema.Struct({ part: Schema.String, digest: Schema.String })),
  left: Schema.Array(LeftFields),
  merged: Schema.Array(Schema.String)
})
type Journal = typeof Journal.Type

const decodeJournal = Schema.decodeUnknownOption(Schema.fromJsonString(Journal))

const readJournal = (run: RunRef) =>
  tryFiles(undoFile(run), () => {
    try {
      return Option.getOrNull(decodeJournal(fs.readFileSync(undoFile(run), "utf8")))
    } catch (error) {
      if (hasCode(error, "ENOENT")) return null
      throw error
    }
  })

const removeJournal = (run: RunRef) => tryFiles(undoFile(run), () => fs.rmSync(undoFile(run), { force: true }))

const filesOf = (steps: ReadonlyArray<UndoStep>, merged: ReadonlyArray<Name>, left: ReadonlyArray<Left>) => {
  const stay = new Set(left.map(({ path }) => path))
  const both = new Set(merged)
  return steps.filter(({ path }) => !stay.has(path)).map(({ path, to }) => ({
    path,
    change: to === null ? "Removed" as const : "Written" as const,
    merged: both.has(path)
  }))
}

/** A tree after the steps of an undo. */
const treeAfter = Effect.fnUntraced(function*(store: Store, tree: string, steps: ReadonlyArray<UndoStep>) {
  const entries = new Map(yield* entriesOf(store, tree))
  for (const { path, to } of steps) {
    if (to === null) entries.delete(path)
    else entries.set(path, to)
  }
  return yield* writeTree(store, entries)
})

/** Carries out a stored plan, and removes it. */
const finished = Effect.fnUntraced(function*(store: Store, run: RunRef, journal: Journal) {
  const { gitDirectories, left, merged, rounds, saved, steps, to } = journal
  const known = yield* listed(store.dir)
  const at = (number: number) => known.find((one) => one.number === number)
  const [target, before] = [at(to), at(saved)]
  if (target === undefined || before === undefined) {
    // A plan that cannot succeed must not fail every later call.
    yield* removeJournal(run)
    return yield* noSuch(known, run, { _tag: "Snapshot", number: to })
  }
  const nested = yield* freeze(store, { treesOnly: true })
  const gitSteps = gitDirectories.map(({ digest, part }) => ({
    path: part,
    isExpected: () => digestOfNested(store.repository, part, nested) === digest
  }))
  const more = yield* Effect.mapError(
    carryOut(store, steps, gitSteps),
    ({ message }) => new SnapshotFailed({ reason: { _tag: "Interrupted", why: message } })
  )
  // What a person changed meanwhile, also between two calls, is not the work of the undo: the worktree does not count.
  const removed = new Set(gitDirectories.map(({ part }) => part))
  const after = {
    tree: yield* treeAfter(store, before.tree, steps),
    rules: before.rules,
    skipped: before.skipped,
    git: before.git.filter(({ part }) => !removed.has(part))
  }
  yield* keep(store, run, after, { number: nextOf(known), cause: { _tag: "AfterUndo", rounds }, round: null })
  yield* removeJournal(run)
  const all = [...left, ...more]
  const gone = gitDirectories.map(({ part }) => ({ path: part, from: null, to: null }))
  return {
    to: target,
    rounds,
    saved: before,
    files: filesOf([...steps, ...gone], merged, all),
    left: all
  } satisfies Restored
})

const finishedNow = Effect.fnUntraced(function*(store: Store, run: RunRef) {
  const journal = yield* readJournal(run)
  if (journal !== null) return yield* finished(store, run, journal)
  // A plan of an earlier version names snapshots that this version does not know.
  yield* removeJournal(run)
  return null
})

const restored = Effect.fnUntraced(function*(store: Store, run: RunRef, to: UndoTo, options: RestoreOptions) {
  yield* finishedNow(store, run)
  const plan = yield* planned(store, run, to, options)
  const { gitDirectories, left, merged, moment, number, rounds, steps, to: target } = plan
  if (steps.length + gitDirectories.length === 0) {
    return { to: target, rounds, saved: null, files: [], left } satisfies Restored
  }
  const present = yield* contentOf(store, moment)
  const saved = yield* keep(store, run, present, { number, cause: { _tag: "BeforeUndo" }, round: null })
  yield* adopt(store)
  const journal = {
    schema: 2,
    to: target.number,
    saved: saved.number,
    rounds,
    steps,
    gitDirectories,
    left,
    merged
  } as const
  yield* tryFiles(undoFile(run), () => replaceFile(undoFile(run), `${jsonText(journal)}\n`))
  return yield* finished(store, run, journal)
})

const previewed = Effect.fnUntraced(function*(
  store: Store,
  run: RunRef,
  to: UndoTo,
  options: RestoreOptions,
  most: number
) {
  const plan = yield* planned(store, run, to, options)
  const { tree } = plan.moment.frozen
  const diff = yield* diffOf(store.dir, tree, yield* treeAfter(store, tree, plan.steps), most)
  const gone = plan.gitDirectories.map(({ part }) => ({ path: part, from: null, to: null }))
  const files = filesOf([...plan.steps, ...gone], plan.merged, plan.left)
  return { to: plan.to, rounds: plan.rounds, saved: null, files, left: plan.left, diff }
})

/** The live layer. Needs the git program. */
export const layer = Layer.succeed(
  Snapshots,
  Snapshots.of({
    take: Effect.fn("Snapshots.take")((run, worktree, cause, options) =>
      alone(
        run,
        Effect.gen(function*() {
          const store = yield* storeOf(run, worktree)
          yield* finishedNow(store, run)
          const snapshot = yield* taken(store, run, cause, options)
          return snapshot ?? (yield* Effect.die(new Error("a snapshot is taken unless it is of no change")))
        })
      )
    ),
    takeChanged: Effect.fn("Snapshots.takeChanged")((run, worktree, cause, round) =>
      alone(
        run,
        Effect.flatMap(
          storeOf(run, worktree),
          (store) => taken(store, run, cause, { partial: true, round, onlyChanged: true })
        )
      )
    ),
    list: Effect.fn("Snapshots.list")((run) => Effect.mapError(listed(codeDirectory(run)), failed)),
    lastAfter: Effect.fn("Snapshots.lastAfter")(function*(run, moment) {
      const dir = codeDirectory(run)
      const changed = yield* Effect.mapError(tryFiles(dir, () => lastChange(dir)), failed)
      if (changed !== null && changed <= moment) return null
      const last = (yield* Effect.mapError(listed(dir), failed)).at(-1)
      return last !== undefined && Date.parse(last.at) > moment ? last : null
    }),
    diff: Effect.fn("Snapshots.diff")(function*(run, { after, before }, most) {
      const dir = codeDirectory(run)
      return yield* Effect.catch(diffOf(dir, refOf(before), refOf(after), most), (error) =>
        // Only where git cannot compare them it is asked which there are.
        Effect.gen(function*() {
          const known = yield* Effect.mapError(listed(dir), failed)
          const missing = [before, after].find((number) => !known.some((one) => one.number === number))
          return yield* missing === undefined
            ? failed(error)
            : noSuch(known, run, { _tag: "Snapshot", number: missing })
        }))
    }),
    protectedChanges: Effect.fn("Snapshots.protectedChanges")((run, worktree, patterns) =>
      alone(run, Effect.flatMap(storeOf(run, worktree), (store) => protectedChanges(store, run, patterns)))
    ),
    acceptProtected: Effect.fn("Snapshots.acceptProtected")((run, worktree, path) =>
      alone(run, Effect.flatMap(storeOf(run, worktree), (store) => acceptProtected(store, run, path)))
    ),
    restore: Effect.fn("Snapshots.restore")((run, worktree, to, options) =>
      alone(run, Effect.flatMap(storeOf(run, worktree), (store) => restored(store, run, to, options)))
    ),
    preview: Effect.fn("Snapshots.preview")((run, worktree, to, options, most) =>
      alone(run, Effect.flatMap(storeOf(run, worktree), (store) => previewed(store, run, to, options, most)))
    ),
    finish: Effect.fn("Snapshots.finish")((run, worktree) =>
      Effect.suspend((): Effect.Effect<Restored | null, SnapshotFailed> =>
        fs.existsSync(undoFile(run))
          ? alone(run, Effect.flatMap(storeOf(run, worktree), (store) => finishedNow(store, run)))
          : Effect.succeed(null)
      )
    ),
    unfinished: Effect.fn("Snapshots.unfinished")((run: RunRef) => Effect.sync(() => fs.existsSync(undoFile(run)))),
    snapshotted: Effect.fn("Snapshots.snapshotted")((worktree: string) =>
      Effect.mapError(earlierRuns(worktree), failed)
    ),
    forget: Effect.fn("Snapshots.forget")((run, worktree) =>
      Effect.mapError(forgetEarlier(worktree, run.runId), failed)
    )
  })
)
