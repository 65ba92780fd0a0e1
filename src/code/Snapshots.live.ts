// Snapshots.live: snapshots of runs in their private repositories, and undo.
// A snapshot is a commit of the frozen tree, whose message holds the facts, kept by `refs/snapshots/<number>`. Only one
// process at a time takes snapshots of a run or undoes.
import * as fs from "node:fs"
import { Clock, Effect, Layer, Option, Schema } from "effect"
import { LockFailed, withFileLock } from "../log/FileLock.live.ts"
import { runDirectory } from "../log/LogFile.live.ts"
import type { RunRef } from "../log/Refs.ts"
import { hasCode } from "../platform/SystemError.ts"
import { isSessionWorktree } from "../run/Identity.ts"
import {
  agentDirectory,
  agentFiles,
  asideDirectory,
  codeDirectory,
  testFiles,
  testsDirectory,
  undoFile,
  undoLock
} from "../run/Layout.live.ts"
import { endTime } from "../platform/guard/Journal.ts"
import { replaceFile } from "../run/SmallFile.live.ts"
import { jsonText } from "../text/Json.ts"
import { asideOf, makeAside, movedAside, tidyAside } from "./Aside.live.ts"
import { storeOf } from "./Asked.live.ts"
import { CodeFailed } from "./CodeFailed.ts"
import { earlierCommands, earlierRuns, forgetEarlier } from "./EarlierSnapshots.live.ts"
import { freeze, namesOf } from "./Freeze.live.ts"
import { type Frozen, mayHoldCode, skipText } from "./Frozen.ts"
import { changesBetween, digestOfNested, type GitPart, gitStateOf } from "./GitState.live.ts"
import type { CarriedRules } from "./Ignore.ts"
import { directoryOf, type Name, shownName } from "./Names.ts"
import { isChangedAfter, isOlderThan, latin1Of, pathOf } from "./Nested.live.ts"
import { acceptProtected, protectedChanges } from "./Protected.live.ts"
import { ours, parts, utf8 } from "./SafeGit.live.ts"
import {
  causeText,
  changedParts,
  ends,
  lostOf,
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
  type UndoneFile,
  type UndoTo
} from "./Snapshots.ts"
import {
  adopt,
  contentsOf,
  entriesOf,
  setRef,
  sizesOf,
  type Store,
  tryFiles,
  writeObjects,
  writeTree
} from "./Store.live.ts"
import {
  type Entries,
  type Left,
  leftReasons,
  planUndo,
  type UndoMove,
  type UndoPlan,
  type UndoRound,
  type UndoStep
} from "./Undo.ts"
import { carryOut, foundAt, mergeBy, type Move, placeOf, type Step } from "./Undo.live.ts"
import { knownFirst } from "./Trusted.live.ts"
import { cut } from "../text/Untrusted.ts"

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

const isNested = (part: string): boolean => part.endsWith("/.git")

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

/** The changes since the snapshot before that may be a person's; `unseen`: all of them, because no end was seen. */
interface Later {
  readonly later: ReadonlyArray<Name>
  readonly unseen: boolean
}

// In place of a digest: what happens in another worktree is not compared, only whether there is one.
const otherWorktree = "another worktree"

/** The same with other worktrees, but for those of other sessions of Claude Code, which come and go. */
const wholeGitOf = (store: Store, frozen: Frozen) =>
  Effect.map(gitStateOf(store, frozen), (git): ReadonlyArray<GitPart> => {
    const others = frozen.otherWorktrees.filter((path) => !isSessionWorktree(path))
    return [...git, ...others.map((path) => ({ part: `${path}/.git`, digest: otherWorktree }))]
  })

/** The input of a snapshot: a frozen worktree, and git's state at that moment. */
interface Moment extends Later {
  readonly frozen: Frozen
  readonly git: ReadonlyArray<GitPart>
}

const author = "ooda-codex-review <ooda-codex-review@localhost> 0 +0000"

/** What a snapshot says of the code. */
type Content = Pick<SnapshotFacts, "git" | "later" | "rules" | "skipped" | "tree" | "unseen">

/** The highest number with which a name in a directory begins, or that is the `whole` name; 0 without any. */
const lastNumber = (directory: string, whole = false): number =>
  fs.existsSync(directory)
    ? Math.max(
      0,
      ...fs.readdirSync(directory).map((name) => Number((whole ? /^(\d+)$/ : /^(\d+)/).exec(name)?.[1] ?? 0))
    )
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
 * When the agent or the test since a snapshot ended with all its processes, in epoch milliseconds. `Own`: this program
 * itself worked. `Nobody`: only a person can have worked. `Unseen`: nothing shows an end, or nobody had begun.
 */
const endOf = (run: RunRef, { at, cause: before }: Snapshot, cause: SnapshotCause) =>
  tryFiles(runDirectory(run), () => {
    if (ends(before) && !ends(cause)) return "Nobody"
    const worker = ends(before) ? cause : before
    const files = filesOfWorker(run, worker)
    // The snapshot before is missing where nothing had changed.
    const isOwn = ends(cause) && (ends(before) || cause._tag.slice(5) === before._tag.slice(6))
    if (files === null) return isOwn ? "Own" : "Unseen"
    const end = endTime(files)
    return end === null || end < Date.parse(at) ? "Unseen" : end
  })

const directoriesOf = (names: Iterable<Name>): ReadonlySet<Name> => {
  const all = new Set<Name>()
  for (const name of names) {
    for (let at = directoryOf(name); at !== "" && !all.has(at); at = directoryOf(at)) all.add(at)
  }
  return all
}

/** The paths that differ between two moments of which `later` says which may be a person's, and what that is. */
const laterOf = Effect.fnUntraced(
  function*(
    store: Store,
    run: RunRef,
    before: Snapshot | undefined,
    cause: SnapshotCause,
    { git, tree }: Pick<Content, "git" | "tree">
  ) {
    const none: Later = { later: [], unseen: false }
    if (before === undefined) return none
    const gits = changedParts(before.git, git).filter(isNested)
    if (before.tree === tree && gits.length === 0) return none
    const end = yield* endOf(run, before, cause)
    if (end === "Nobody" || end === "Own") return none
    const { code, out } = yield* ours({ gitDirectory: store.dir }, [
      ...["diff-tree", "-r", "-z", "--name-only", "--no-renames", ...(end === "Unseen" ? [] : ["--diff-filter=d"])],
      ...[before.tree, tree]
    ], { accept: [0, 128] })
    // Without the tree before, no path can be put back either.
    if (code !== 0) return none
    const changed = [...parts(out), ...gits]
    if (end === "Unseen") return { later: changed, unseen: true }
    const known = yield* entriesOf(store, before.tree)
    const { top } = store.repository
    return yield* tryFiles(top, (): Later => {
      const directories = directoriesOf([...known.keys(), ...before.git.map(({ part }) => part)])
      const isNew = isChangedAfter(top, end, directories, Date.parse(before.at))
      return { later: changed.filter(isNew), unseen: false }
    })
  }
)

/** The moment of a frozen worktree for a snapshot of a cause, where `before` is the last one. */
const momentOf = Effect.fnUntraced(
  function*(store: Store, run: RunRef, before: Snapshot | undefined, cause: SnapshotCause, frozen: Frozen) {
    const git = yield* wholeGitOf(store, frozen)
    const later = yield* laterOf(store, run, before, cause, { git, tree: frozen.tree })
    return { frozen, git, ...later } satisfies Moment
  }
)

/** A moment as a snapshot says it. */
const contentOf = Effect.fnUntraced(function*(store: Store, { frozen, git, later, unseen }: Moment) {
  const rows = [...frozen.rules].map(([path, { followed, found }]) =>
    followed === found ? [path, followed] : [path, followed, found]
  )
  const [rules = ""] = yield* writeObjects(store, [{ type: "blob", content: Buffer.from(jsonText(rows)) }])
  const skipped = frozen.skipped.map((one) => ({
    path: one.path,
    why: skipText(one.reason),
    code: mayHoldCode(one)
  }))
  const seen = later.length === 0 ? {} : unseen ? { later, unseen } : { later }
  return { tree: frozen.tree, rules, skipped, git, ...seen } satisfies Content
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

const Text = Schema.NullOr(Schema.String)
const decodeRules = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.Array(Schema.Union([
    Schema.Tuple([Schema.String, Text]),
    Schema.Tuple([Schema.String, Text, Text])
  ])))
)

/** The ignore rules of a snapshot, and whether only agents can have worked since; nothing where they are unknown. */
const earlierRules = Effect.fnUntraced(function*(store: Store, last: Snapshot | undefined) {
  const [content] = last === undefined ? [] : yield* contentsOf(store, [last.rules])
  const rows = Option.getOrNull(decodeRules(content?.toString() ?? ""))
  if (last === undefined || rows === null) return {}
  const rules = new Map<Name, CarriedRules>(
    rows.map(([path, followed, found = followed]) => [path, { followed, found }])
  )
  return { earlier: { rules, byAgents: !ends(last.cause) } }
})

/** The first number that no snapshot has had, not even one that cannot be read any more. */
const nextIn = ({ dir }: Store, known: ReadonlyArray<Snapshot>) =>
  tryFiles(dir, () => Math.max(known.at(-1)?.number ?? 0, lastNumber(`${dir}/${refs}`, true)) + 1)

interface TakeOptions {
  readonly partial: boolean
  readonly round: number | null
  /** Whether to take no snapshot that would say nothing beside the last one of the round. */
  readonly onlyChanged?: boolean
}

/**
 * Takes the next snapshot. It follows the ignore rules without what agents changed in them since the run began, and keeps
 * every file that the run has counted: an agent that changes an ignore file can neither hide a file from undo nor have
 * undo remove somebody else's.
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
  const given = { ...(yield* earlierRules(store, before)), deep: true, having: [yield* knownFirst(store)] }
  const frozen = yield* freeze(store, { also: [...also], ...given })
  // What was begun is closed, or everything until the next snapshot would count to it.
  if (frozen.tree === last?.tree && (ends(last.cause) || !ends(cause))) return null
  const leftOut = frozen.skipped.filter(mayHoldCode).map(({ path }) => path)
  if (leftOut.length > 0 && !partial) {
    return yield* new SnapshotFailed({ reason: { _tag: "Partial", leftOut } })
  }
  const content = yield* contentOf(store, yield* momentOf(store, run, before, cause, frozen))
  const snapshot = yield* keep(store, run, content, { number: yield* nextIn(store, known), cause, round })
  if (cause._tag === "BeforeAgent") yield* adopt(store, snapshot.commit)
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
    text: text === "" ? "" : `${cut(text, most).trimEnd()}\n`,
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
  readonly moves: ReadonlyArray<UndoMove>
}

/** What is taken back of a stretch, and the paths in it that are left to a person. */
interface Taken {
  readonly stretch: Stretch
  readonly later: UndoRound["later"]
}

const byPart = (git: SnapshotFacts["git"]): Map<string, GitPart> => new Map(git.map((one) => [one.part, one]))

const isSame = (one: GitPart | undefined, other: GitPart | undefined): boolean =>
  one?.digest === other?.digest && one?.refs === other?.refs

/** Whether a git directory is another one that was moved: it has the same commits under the same names. */
const isMoved = (one: GitPart, other: GitPart): boolean =>
  isSame(one, other) || (one.refs !== undefined && one.refs === other.refs)

/**
 * What happens to the git directories within the worktree: one that an agent moved is moved back, one that an agent made
 * goes aside, one that an undo moved aside comes back, and one that changed is left. Git's own state is only named.
 */
const gitPlan = (run: RunRef, taken: ReadonlyArray<Taken>, now: ReadonlyArray<GitPart>) => {
  const present = byPart(now)
  const wanted = new Map([...present].filter(([part]) => isNested(part)))
  const left = new Map<string, Left>()
  const leave = (path: string) => left.set(path, { path, reason: "GitDirectory" })
  const other = new Set<string>()
  for (const { later, stretch: { first, last } } of taken) {
    const [before, after] = [byPart(first.git), last === null ? present : byPart(last.git)]
    for (const part of changedParts(first.git, last?.git ?? now)) {
      if (isNested(part)) {
        const then = before.get(part)
        if (isSame(wanted.get(part), then) || left.has(part)) continue
        if (later.has(part) || !isSame(wanted.get(part), after.get(part))) leave(part)
        else if (then === undefined) wanted.delete(part)
        else wanted.set(part, then)
      } else if (!isSame(present.get(part), before.get(part))) other.add(part)
    }
  }
  for (const [part, { digest }] of present) if (digest === otherWorktree && !wanted.has(part)) leave(part)
  const made = new Map([...present].filter(([part]) => isNested(part) && !wanted.has(part) && !left.has(part)))
  const undos = taken.map(({ stretch }) => stretch.first).filter(({ cause }) => cause._tag === "BeforeUndo")
  const moves = [...wanted.values()].flatMap((one): ReadonlyArray<UndoMove> => {
    const { digest, part } = one
    if (isSame(present.get(part), one) || left.has(part)) return []
    const from = [...made.values()].find((candidate) => isMoved(candidate, one))
    const undo = undos.find(({ number }) => movedAside(run, number).includes(part))
    if (present.has(part) || (from === undefined && undo === undefined)) {
      leave(part)
      return []
    }
    if (from === undefined) return [{ path: part, to: null, back: undo?.number ?? 0, digest }]
    made.delete(from.part)
    // It is back, but not as it was.
    if (!isSame(from, one)) leave(part)
    return [{ path: from.part, to: part, back: null, digest: from.digest }]
  })
  const out = [...made.values()].map(({ digest, part }): UndoMove => ({ path: part, to: null, back: null, digest }))
  const own: Left = { path: ".git", reason: "GitDirectory", detail: [...other].join(", ") }
  return { moves: [...moves, ...out], left: [...left.values(), ...(other.size === 0 ? [] : [own])] }
}

/** A round for which no content counts as saved that is gone, because only the user's repository had it. */
const withGone = Effect.fnUntraced(function*(store: Store, round: UndoRound) {
  const changed = [...round.before].filter(([path, { id }]) => round.after.get(path)?.id !== id)
  const sizes = yield* sizesOf(store, changed.flatMap(([path, { id }]) => [id, round.after.get(path)?.id ?? id]))
  const gone = changed.flatMap(([path], i) => sizes[2 * i] === null || sizes[2 * i + 1] === null ? [path] : [])
  return { ...round, notSaved: [...round.notSaved, ...gone] } satisfies UndoRound
})

/** What changed in a stretch after its agents had ended: anything, where a snapshot in between is lost. */
const laterIn = (
  known: ReadonlyArray<Snapshot>,
  { first, last }: Stretch,
  { later }: Moment
): UndoRound["later"] => {
  const within = known.filter(({ number }) => number > first.number && number <= (last?.number ?? number))
  const isWhole = within.every(({ number }, i) => number === first.number + 1 + i) &&
    (last !== null || !ends((within.at(-1) ?? first).cause))
  return isWhole
    ? new Set(within.flatMap((one) => one.later ?? []).concat(last === null ? later : []))
    : { has: () => true }
}

/** What comes back that no snapshot holds, where the undo that moved it aside is taken back and nothing changed since. */
const backPlan = (
  run: RunRef,
  present: Entries,
  taken: ReadonlyArray<Taken>,
  trees: ReadonlyMap<string, Entries>
) => {
  const found = taken.flatMap(({ stretch: { first, last } }) =>
    first.cause._tag !== "BeforeUndo" || last === null ? [] : movedAside(run, first.number).flatMap((path) => {
      const [is, left] = [present.get(path), trees.get(last.tree)?.get(path)]
      const isKept = isNested(path) || trees.get(first.tree)?.has(path) === true
      return isKept || is?.id !== left?.id || is?.mode !== left?.mode ? [] : [{ path, is, number: first.number }]
    })
  )
  return {
    steps: found.flatMap(({ is, path }): ReadonlyArray<UndoStep> =>
      is === undefined ? [] : [{ path, from: is, to: null }]
    ),
    moves: found.map(({ number, path }): UndoMove => ({ path, to: null, back: number, digest: null }))
  }
}

const planned = Effect.fnUntraced(function*(store: Store, run: RunRef, to: UndoTo, options: RestoreOptions) {
  const known = yield* listed(store.dir)
  const target = targetOf(known, to)
  const number = yield* nextIn(store, known)
  const lost = lostOf(known, number)
  // What is lost right before a snapshot may be of the same round.
  const needed = to._tag === "Snapshot" ? to.number : target === null ? lost[0] ?? 0 : target.number - 1
  if (lost.includes(needed)) {
    const later = known.find((one) => one.number > needed)?.number ?? null
    return yield* new SnapshotFailed({ reason: { _tag: "Lost", number: needed, later } })
  }
  if (target === null) {
    const commands = known.length > 0 ? [] : yield* earlierCommands(store.repository.top, run.runId)
    return yield* commands.length > 0
      ? new SnapshotFailed({ reason: { _tag: "OfEarlierVersion", run: run.runId, commands } })
      : noSuch(known, run, to)
  }
  const stretches = stretchesFrom(known, target.number, number)
  const trees = new Map<string, Entries>()
  for (const { first, last } of stretches) {
    for (const one of [first, last]) {
      if (one !== null && !trees.has(one.tree)) trees.set(one.tree, yield* entriesOf(store, one.tree))
    }
  }
  const also = [...new Set([...trees.values()].flatMap((entries) => [...entries.keys()]))]
  const given = { ...(yield* earlierRules(store, known.at(-1))), deep: true, having: [yield* knownFirst(store)] }
  const frozen = yield* freeze(store, { also, ...given })
  const moment = yield* momentOf(store, run, known.at(-1), { _tag: "BeforeUndo" }, frozen)
  const present: Entries = yield* entriesOf(store, frozen.tree)
  const none: Entries = new Map()
  const taken = stretches.map((stretch): Taken => ({ stretch, later: laterIn(known, stretch, moment) }))
  const undone = yield* Effect.forEach(taken, ({ later, stretch: { first, last } }) =>
    withGone(store, {
      before: trees.get(first.tree) ?? none,
      after: last === null ? present : trees.get(last.tree) ?? none,
      notSaved: first.skipped.map(({ path }) => path),
      later
    }))
  const unsaved = frozen.skipped.map(({ path }) => path)
  const isOld = isOlderThan(store.repository.top, Date.parse(target.at))
  const plan = yield* planUndo(present, undone, mergeBy(store), { ...options, unsaved, isOld })
  const back = backPlan(run, present, taken, trees)
  const isBack = new Set(back.moves.map(({ path }) => path))
  const never = { has: () => false }
  const gits = gitPlan(run, options.force ? taken.map((one) => ({ ...one, later: never })) : taken, moment.git)
  // A file that cannot be saved and did not exist before an agent is named, even if nothing replaces it.
  const known_ = new Set([...target.skipped, ...plan.left, ...plan.steps, ...back.moves].map(({ path }) => path))
  const skipped = frozen.skipped.filter(({ path }) => !known_.has(path)).map((one): Left => ({
    path: one.path,
    reason: mayHoldCode(one) ? "Unsaved" : "Special",
    detail: skipText(one.reason)
  }))
  const rounds = [...new Set(stretches.flatMap(({ round }) => round === null ? [] : [round]))]
  return {
    steps: [...plan.steps, ...back.steps],
    merged: plan.merged,
    to: target,
    rounds,
    number,
    moment,
    left: [...plan.left.filter(({ path }) => !isBack.has(path)), ...skipped, ...gits.left],
    moves: [...gits.moves, ...back.moves]
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
    aside: Schema.optionalKey(Schema.Literal(true))
  })),
  moves: Schema.Array(Schema.Struct({
    path: Schema.String,
    to: Schema.NullOr(Schema.String),
    back: Schema.NullOr(Schema.Int),
    digest: Schema.NullOr(Schema.String)
  })),
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

/** The paths that leave the worktree, or come back to it. */
const throughAside = ({ moves, steps }: Pick<Plan, "moves" | "steps">): ReadonlyArray<Name> =>
  [...steps.filter(({ aside }) => aside === true), ...moves.filter(({ to }) => to === null)].map(({ path }) => path)

/** A plan without what would go aside, which is left, if the system refuses the directory for it. */
const withAside = Effect.fnUntraced(function*(run: RunRef, plan: Plan) {
  const through = throughAside(plan)
  const refusal = through.length === 0 ? null : yield* Effect.match(makeAside(run), {
    onSuccess: () => null,
    onFailure: ({ reason }) => {
      const code = reason._tag === "System" && reason.fault._tag === "SystemRefused" ? reason.fault.code : null
      return code === null ? {} : { detail: code }
    }
  })
  if (refusal === null) return plan
  const stays = ({ path }: { readonly path: Name }) => !through.includes(path)
  return {
    ...plan,
    steps: plan.steps.filter(stays),
    moves: plan.moves.filter(stays),
    left: [...plan.left, ...through.map((path): Left => ({ path, reason: "Refused", ...refusal }))]
  } satisfies Plan
})

/** The files that a plan changes, without those that stayed as they were when it was carried out. */
const filesOf = ({ merged, moves, steps }: Pick<Plan, "merged" | "moves" | "steps">, stayed: ReadonlyArray<Left>) => {
  const stay = new Set(stayed.map(({ path }) => path))
  const [both, back] = [new Set(merged), new Set(moves.map(({ path }) => path))]
  return [
    ...steps.filter(({ path }) => !back.has(path) && !stay.has(path)).map(({ path, to }): UndoneFile => ({
      path,
      change: to === null ? "Removed" : "Written",
      merged: both.has(path)
    })),
    ...moves.filter(({ path }) => !stay.has(path)).map(({ back, path, to }): UndoneFile => ({
      path: to ?? path,
      change: to === null && back === null ? "MovedAside" : "MovedBack",
      merged: false
    }))
  ]
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

/** Removes from what an undo moved aside the files that are in the worktree again. */
const dropReturned = (store: Store, run: RunRef, number: number): void => {
  const place = placeOf(store)
  const aside = { ...place, root: `${latin1Of(asideDirectory(run))}/${number}` }
  for (const path of movedAside(run, number)) {
    const [is, was] = [foundAt(place, path), foundAt(aside, path)]
    const isBack = typeof is === "object" && typeof was === "object" && is.id === was.id && is.mode === was.mode
    if (isBack) fs.unlinkSync(pathOf(`${aside.root}/${path}`))
  }
  tidyAside(run, number)
}

/** Carries out a stored plan, and removes it. */
const finished = Effect.fnUntraced(function*(store: Store, run: RunRef, journal: Journal) {
  const { left, moves, rounds, saved, steps, to } = journal
  const known = yield* listed(store.dir)
  const at = (number: number) => known.find((one) => one.number === number)
  const [target, before] = [at(to), at(saved)]
  if (target === undefined || before === undefined) {
    // A plan that cannot succeed must not fail every later call.
    yield* removeJournal(run)
    return yield* noSuch(known, run, { _tag: "Snapshot", number: to })
  }
  const nested = yield* freeze(store, { treesOnly: true, ...(yield* earlierRules(store, before)) })
  const asides = throughAside(journal).length === 0 ? "" : yield* makeAside(run)
  const [{ root }, own] = [placeOf(store), `${asides}/${saved}`]
  const more = yield* Effect.mapError(
    carryOut(
      store,
      steps.map(({ aside, ...step }): Step => aside === true ? { ...step, kept: `${own}/${step.path}` } : step),
      moves.map(({ back, digest, path, to }): Move => ({
        path,
        from: back === null ? `${root}/${path}` : `${asides}/${back}/${path}`,
        to: back === null && to === null ? `${own}/${path}` : `${root}/${to ?? path}`,
        place: back === null ? to : path,
        isBack: back !== null,
        isExpected: () => back !== null || digestOfNested(store.repository, path, nested) === digest
      }))
    ),
    ({ message }) => new SnapshotFailed({ reason: { _tag: "Interrupted", why: message } })
  )
  yield* tryFiles(asideDirectory(run), () => {
    for (const { cause, number } of known) {
      if (cause._tag === "BeforeUndo" && number >= to && number < saved) dropReturned(store, run, number)
    }
  })
  // What a person changed meanwhile, also between two calls, is not the work of the undo: the worktree does not count.
  const moved = new Map(before.git.map((one) => [one.part, one]))
  for (const { back, digest, path, to } of moves) {
    if (digest === null) continue
    if (back === null) moved.delete(path)
    const part = to ?? path
    const as = known.flatMap(({ git }) => git).find((one) => one.digest === digest && [path, part].includes(one.part))
    if (back !== null || to !== null) moved.set(part, { ...as, part, digest })
  }
  const after = {
    tree: yield* treeAfter(store, before.tree, steps),
    rules: before.rules,
    skipped: before.skipped,
    git: [...moved.values()]
  }
  const number = yield* nextIn(store, known)
  yield* keep(store, run, after, { number, cause: { _tag: "AfterUndo", rounds }, round: null })
  yield* removeJournal(run)
  return {
    to: target,
    rounds,
    saved: before,
    files: filesOf(journal, more),
    left: [...left, ...more],
    aside: movedAside(run, saved).length === 0 ? null : utf8(own)
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
  const plan = yield* withAside(run, yield* planned(store, run, to, options))
  const { left, merged, moment, moves, number, rounds, steps, to: target } = plan
  if (steps.length + moves.length === 0) {
    return { to: target, rounds, saved: null, files: [], left, aside: null } satisfies Restored
  }
  const present = yield* contentOf(store, moment)
  const saved = yield* keep(store, run, present, { number, cause: { _tag: "BeforeUndo" }, round: null })
  yield* adopt(store, saved.commit)
  const journal = {
    schema: 2,
    to: target.number,
    saved: saved.number,
    rounds,
    steps,
    moves,
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
  const { left, rounds, to: target } = plan
  return { to: target, rounds, saved: null, files: filesOf(plan, []), left, aside: null, diff }
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
    gitDirectories: Effect.fn("Snapshots.gitDirectories")(function*(run, worktree) {
      const looking = Effect.gen(function*() {
        const store = yield* storeOf(run, worktree)
        const rules = yield* earlierRules(store, (yield* listed(store.dir)).at(-1))
        return yield* wholeGitOf(store, yield* freeze(store, { treesOnly: true, deep: true, ...rules }))
      })
      return (yield* alone(run, looking)).filter(({ part }) => isNested(part))
    }),
    gitChanges: Effect.fn("Snapshots.gitChanges")((run, before, after) =>
      Effect.mapError(changesBetween(codeDirectory(run), before, after), failed)
    ),
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
    aside: Effect.fn("Snapshots.aside")((run: RunRef) => Effect.mapError(asideOf(run), failed)),
    unfinished: Effect.fn("Snapshots.unfinished")((run: RunRef) => Effect.sync(() => fs.existsSync(undoFile(run)))),
    snapshotted: Effect.fn("Snapshots.snapshotted")((worktree: string) =>
      Effect.mapError(earlierRuns(worktree), failed)
    ),
    forget: Effect.fn("Snapshots.forget")((run, worktree) =>
      Effect.mapError(forgetEarlier(worktree, run.runId), failed)
    )
  })
)
