// Code: git, GitHub, commits, snapshots and dismissals in memory. The identity of what is reviewed is the world's code.
// A question without a scripted answer gets a plain one, so that a test names only what it is about.
import { Clock, Effect, Layer, Ref } from "effect"
import { Git } from "../../code/Git.ts"
import { GitHub, GitHubFailed, type GitHubReason } from "../../code/GitHub.ts"
import {
  changedParts,
  ends,
  leftOutOf,
  type Restored,
  type Snapshot,
  type SnapshotCause,
  SnapshotFailed,
  Snapshots,
  stretchesFrom,
  targetOf,
  type UndoTo
} from "../../code/Snapshots.ts"
import { Commits } from "../../drive/Commits.ts"
import { type RunRef, sameRun } from "../../log/Refs.ts"
import { Dismissals, type DismissalsFrom } from "../../review/findings/Dismissals.ts"
import type { KnownIdentity } from "../../run/Identity.ts"
import type { BranchName } from "../../run/Target.ts"
import { World } from "../World.ts"

/** The identity of a state of the code, as this git reports it. */
export const identityOf = (code: string, base: string | null): KnownIdentity => ({
  _tag: "Known",
  head: "head",
  tree: code,
  base
})

/** A git with scripted answers; for what is not given, a repository `/repo` in which every target can be reviewed. */
export const gitLayer = (answers: Partial<Git["Service"]> = {}): Layer.Layer<Git, never, World> =>
  Layer.effect(
    Git,
    Effect.map(World, ({ code }) =>
      Git.of({
        commit: (_, revision) => Effect.succeed(`commit-of-${revision}`),
        mergeBase: (_, one) => Effect.succeed(one),
        branch: () => Effect.succeed("work"),
        exists: () => Effect.succeed(true),
        isIsolated: () => Effect.succeed(true),
        repository: () => Effect.succeed({ root: "/repo", id: "repo-noremote" }),
        identity: (_, __, base) => Effect.map(Ref.get(code), (now) => identityOf(now, base)),
        isolate: (_, __, { base }) =>
          Effect.map(Ref.get(code), (now) => ({ place: `/copies/${now}`, identity: identityOf(now, base) })),
        stagedApart: () => Effect.succeed([]),
        changedAfter: () => Effect.succeed([]),
        overview: () => Effect.succeed({ extent: null, absent: [], problem: null }),
        changesIn: () => Effect.succeed([]),
        baseProblem: () => Effect.succeed(null),
        targetProblem: () => Effect.succeed(null),
        ...answers
      }))
  )

// A pull request that was not given a base has none, as with the real one.

const noSuchRequest: GitHubReason = { _tag: "ProgramFailed", program: "gh", status: 1, said: "no such pull request" }

/** A GitHub with the base branches of some pull requests, by number. */
export const gitHubLayer = (bases: Readonly<Record<number, BranchName>> = {}): Layer.Layer<GitHub> =>
  Layer.succeed(
    GitHub,
    GitHub.of({
      baseOf: (_, number) => {
        const base = bases[number]
        return base === undefined
          ? Effect.fail(new GitHubFailed({ number, reason: noSuchRequest }))
          : Effect.succeed(base)
      }
    })
  )

// Each gets the next id, and the code does not change

export const commitsLayer: Layer.Layer<Commits, never, World> = Layer.effect(
  Commits,
  Effect.gen(function*() {
    const { witnessed } = yield* World
    const made = yield* Ref.make(0)
    return Commits.of({
      commitAll: () =>
        witnessed(
          "Commits.commitAll",
          Effect.map(Ref.updateAndGet(made, (n) => n + 1), (n) => ({ commit: String(n).padStart(40, "0"), output: "" }))
        ),
      authorProblem: () => Effect.succeed(null),
      left: () => Effect.succeed(null),
      programs: () => Effect.succeed([])
    })
  })
)

// Each keeps the name of the world's code, and an undo gives that name back

/** What a test scripts: what a snapshot of the code leaves out, and the parts of git that change while it is that. */
export interface SnapshotScript {
  readonly leftOut?: (code: string) => ReadonlyArray<string>
  readonly gitChanges?: (code: string) => ReadonlyArray<string>
  readonly gitDirectories?: (code: string) => Snapshot["git"]
  /** What of git is only noted. */
  readonly gitNotes?: (code: string) => ReadonlyArray<string>
  /** The protected files that differ between two codes. */
  readonly changed?: (before: string, after: string, patterns: ReadonlyArray<string>) => ReadonlyArray<string>
}

const make = Effect.fnUntraced(function*(script: SnapshotScript) {
  const { code, witnessed } = yield* World
  const taken = yield* Ref.make<ReadonlyArray<Snapshot>>([])
  const beginning = yield* Ref.make<string | null>(null)
  const of = (run: RunRef) => Effect.map(Ref.get(taken), (all) => all.filter((one) => sameRun(one.run, run)))
  const add = Effect.fnUntraced(function*(
    run: RunRef,
    worktree: string,
    cause: SnapshotCause,
    round: number | null,
    now: string
  ) {
    const at = new Date(yield* Clock.currentTimeMillis).toISOString()
    const number = ((yield* of(run)).at(-1)?.number ?? 0) + 1
    const skipped = (script.leftOut?.(now) ?? []).map((path) => ({ path, why: "it is too large", code: true }))
    const parts = cause._tag === "AfterAgent" ? script.gitChanges?.(now) ?? [] : []
    const git = parts.map((part) => ({ part, digest: "changed" }))
    const facts = { schema: 2, run, number, at, worktree, cause, round, tree: now, rules: "", skipped, git } as const
    return { ...facts, commit: now } satisfies Snapshot
  })
  const keep = (snapshot: Snapshot) => Ref.update(taken, (all) => [...all, snapshot])

  const planned = Effect.fnUntraced(function*(run: RunRef, to: UndoTo) {
    const known = yield* of(run)
    const target = targetOf(known, to)
    if (target !== null) {
      const next = (known.at(-1)?.number ?? 0) + 1
      const rounds = stretchesFrom(known, target.number, next).flatMap(({ round }) => round === null ? [] : [round])
      return { target, rounds: [...new Set(rounds)] }
    }
    const last = known.at(-1)
    return yield* new SnapshotFailed({
      reason: last === undefined || to._tag === "LastRound" || to._tag === "AllRounds"
        ? { _tag: "NoneOfRun", run: run.runId }
        : to._tag === "Round"
        ? { _tag: "NoSuchRound", round: to.round }
        : { _tag: "NoSuchNumber", number: to.number, last: last.number }
    })
  })
  const file = { path: "code", change: "Written", merged: false } as const

  return Snapshots.of({
    take: (run, worktree, cause, { partial, round }) =>
      witnessed(
        "Snapshots.take",
        Effect.gen(function*() {
          const snapshot = yield* add(run, worktree, cause, round, yield* Ref.get(code))
          const leftOut = leftOutOf(snapshot)
          if (leftOut.length > 0 && !partial) {
            return yield* new SnapshotFailed({ reason: { _tag: "Partial", leftOut } })
          }
          yield* keep(snapshot)
          return snapshot
        })
      ),
    takeChanged: (run, worktree, cause, round) =>
      Effect.gen(function*() {
        const now = yield* Ref.get(code)
        const last = (yield* of(run)).findLast((one) => one.round === round)
        if (last === undefined || last.commit === now && (ends(last.cause) || !ends(cause))) return null
        const snapshot = yield* add(run, worktree, cause, round, now)
        yield* keep(snapshot)
        return snapshot
      }),
    list: (run) => of(run),
    lastAfter: (run, moment) =>
      Effect.map(of(run), (known) => known.findLast(({ at }) => Date.parse(at) > moment) ?? null),
    gitDirectories: () => Effect.map(Ref.get(code), (now) => script.gitDirectories?.(now) ?? []),
    gitChanges: (_run, before, after) =>
      Effect.succeed({ changed: changedParts(before.git, after.git), noted: script.gitNotes?.(after.commit) ?? [] }),
    protectedChanges: (_run, _worktree, patterns) =>
      Effect.gen(function*() {
        const now = yield* Ref.get(code)
        const before = yield* Ref.updateAndGet(beginning, (first) => first ?? now)
        return script.changed?.(before ?? now, now, patterns) ?? []
      }),
    acceptProtected: () => Effect.void,
    diff: (run, { after, before }) =>
      Effect.map(of(run), (known) => {
        const code = (number: number) => known.find((one) => one.number === number)?.commit ?? ""
        const text = code(before) === code(after) ? "" : `-${code(before)}\n+${code(after)}\n`
        return { files: text === "" ? [] : ["code"], text, whole: true }
      }),
    restore: (run, worktree, to) =>
      witnessed(
        "Snapshots.restore",
        Effect.gen(function*() {
          const { rounds, target } = yield* planned(run, to)
          const now = yield* Ref.get(code)
          if (now === target.commit) {
            return { to: target, rounds, saved: null, files: [], left: [], aside: null } satisfies Restored
          }
          const saved = yield* add(run, worktree, { _tag: "BeforeUndo" }, null, now)
          yield* keep(saved)
          yield* Ref.set(code, target.commit)
          yield* keep(yield* add(run, worktree, { _tag: "AfterUndo", rounds }, null, target.commit))
          return { to: target, rounds, saved, files: [file], left: [], aside: null } satisfies Restored
        })
      ),
    preview: (run, _worktree, to) =>
      Effect.gen(function*() {
        const { rounds, target } = yield* planned(run, to)
        const now = yield* Ref.get(code)
        const files = now === target.commit ? [] : [file]
        const text = files.length === 0 ? "" : `-${now}\n+${target.commit}\n`
        const diff = { files: files.map(({ path }) => path), text, whole: true }
        return { to: target, rounds, saved: null, files, left: [], aside: null, diff }
      }),
    finish: () => Effect.succeed(null),
    unfinished: () => Effect.succeed(false),
    aside: () => Effect.succeed(null),
    snapshotted: () => Effect.succeed([]),
    forget: (run) =>
      witnessed("Snapshots.forget", Ref.update(taken, (all) => all.filter((one) => !sameRun(one.run, run))))
  })
})

/** No snapshots yet. */
export const snapshotsLayer = (script: SnapshotScript = {}): Layer.Layer<Snapshots, never, World> =>
  Layer.effect(Snapshots, make(script))

// What is added is in the working copy alone, as with the real one

/**
 * The place of the dismissals of the working copy, of a base branch or of a commit among the world's documents. Those
 * of a run's first batch are the working copy's.
 */
export const dismissalsPlace = (from: DismissalsFrom): string => {
  switch (from._tag) {
    case "Base":
      return `dismissals of ${from.branch}`
    case "Revision":
      return `dismissals of ${from.revision}`
    case "First":
    case "Worktree":
      return "dismissals of the working copy"
  }
}

const here = dismissalsPlace({ _tag: "Worktree" })

/** The dismissals that a test has written into the world's documents, and those that were added. */
export const dismissalsLayer: Layer.Layer<Dismissals, never, World> = Layer.effect(
  Dismissals,
  Effect.map(World, ({ documents, witnessed }) =>
    Dismissals.of({
      read: (_, from) => Effect.map(Ref.get(documents), (all) => all.get(dismissalsPlace(from)) ?? ""),
      add: (_, line) =>
        witnessed(
          "Dismissals.add",
          Ref.update(documents, (all) => new Map(all).set(here, `${all.get(here) ?? ""}${line}\n`))
        ),
      replace: (_, text) =>
        witnessed("Dismissals.replace", Ref.update(documents, (all) => new Map(all).set(here, text)))
    }))
)
