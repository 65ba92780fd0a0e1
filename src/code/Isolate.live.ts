// Isolate.live: the code that the reviewers of a batch read: frozen, and laid out in a copy of its own.
// Batches of the same code share a copy. A copy that is no longer needed becomes the next one, so that only differences
// are written. What a copy was made of is recorded beside the private repository, so that the end of a batch can check
// whether it is unchanged.
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, renameSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { Effect, Option, Schema } from "effect"
import type { RunRef } from "../log/Refs.ts"
import { makeDirectories } from "../platform/Files.ts"
import { isolatedDirectory } from "../run/Layout.live.ts"
import type { Identity } from "../run/Identity.ts"
import { jsonText } from "../text/Json.ts"
import { counted } from "../text/Phrases.ts"
import { storeOf, storeToRead } from "./Asked.live.ts"
import { rawChanges } from "./Committed.live.ts"
import { type Copy, copyChanges, type CopyOptions, makeCopy, updateCopy } from "./Copy.live.ts"
import { refused } from "./CodeFailed.ts"
import type { Frozen } from "./Frozen.ts"
import type { Isolated, ToIsolate } from "./Git.ts"
import { type Name, shownName } from "./Names.ts"
import { comparedBranch, commitIdentity, frozenCommit, presentOf } from "./Present.live.ts"
import { lacking, scratchPath, sizesOf, type Store, tryFiles } from "./Store.live.ts"
import { recordFirst, trustedTree, withInstructions } from "./Trusted.live.ts"

const EntryFields = Schema.Struct({ mode: Schema.String, id: Schema.String })

/** What is recorded of a copy. Names are bytes, one character each. */
const Recorded = Schema.Struct({
  place: Schema.String,
  tree: Schema.String,
  instructions: Schema.Array(Schema.Tuple([Schema.String, Schema.NullOr(EntryFields)])),
  linked: Schema.Array(Schema.String),
  submodules: Schema.Array(Schema.String),
  refusedByGit: Schema.Array(Schema.String),
  shown: Schema.String
})
const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Recorded))

const recordPath = (store: Store, place: string): string => join(store.dir, "copies", `${basename(place)}.json`)

/** Records a copy beside the private repository that it was made from. Throws the system's error. */
export const writeRecord = (store: Store, copy: Copy): void => {
  const path = recordPath(store, copy.place)
  const fresh = scratchPath(store, "copy")
  mkdirSync(join(store.dir, "copies"), { recursive: true })
  writeFileSync(fresh, jsonText({ ...copy, instructions: [...copy.instructions] }))
  renameSync(fresh, path)
}

/** The copy that is recorded for a place; null if none is, or it is gone. */
export const recordedAt = (store: Store, place: string): Copy | null => {
  const path = recordPath(store, place)
  if (!existsSync(path) || !existsSync(join(place, ".git/HEAD"))) return null
  const read = Option.getOrNull(decode(readFileSync(path, "utf8")))
  return read === null
    ? null
    : { ...read, instructions: new Map<Name, { mode: string; id: string } | null>(read.instructions) }
}

// By default reviewers may read what is installed beside the code: types of libraries, say.
const usuallyLinked = ["/node_modules", "/.venv", "/vendor"]
const linksOf = (link: ReadonlyArray<string>): ReadonlyArray<string> =>
  link.length === 0 ? usuallyLinked : link.filter((one) => one !== "none")

const nameOf = (identity: Identity, options: CopyOptions, frozen: Frozen): string =>
  createHash("sha256").update(jsonText([identity, options, frozen.on])).digest("hex").slice(0, 16)

/** Another copy of the run that no reviewer reads any more, and that can become the next one. */
const spareOf = (store: Store, directory: string): Copy | null => {
  for (const name of readdirSync(directory)) {
    const copy = recordedAt(store, join(directory, name))
    if (copy !== null) return copy
  }
  return null
}

const laid = Effect.fnUntraced(function*(store: Store, frozen: Frozen, place: string, options: CopyOptions) {
  const there = recordedAt(store, place)
  if (there !== null && (yield* copyChanges(store, there)).length === 0) return there
  const spare = there === null ? spareOf(store, join(place, "..")) : null
  if (spare === null) return yield* makeCopy(store, frozen, place, options)
  return yield* updateCopy(store, spare, frozen, place, options)
})

/** Fails if git cannot read the old version of a change: reviewers could not see the change. */
const checkObjects = Effect.fnUntraced(function*(store: Store, { head, tree }: Frozen, mergeBase: string | null) {
  for (const commit of new Set([head, mergeBase])) {
    if (commit === null) continue
    const changed = yield* rawChanges(store, commit, tree)
    const ids = changed.filter(({ then }) => then.mode !== "000000" && then.mode !== "160000").map(({ then }) =>
      then.id
    )
    const missing = (yield* sizesOf(store, ids)).filter((size) => size === null).length
    if (missing > 0) {
      const name = commit.slice(0, 12)
      return yield* lacking(
        store.repository,
        `${counted(missing, "object")} of commit ${name}`,
        ", so the change cannot be shown",
        `git diff ${name} fetches them`
      )
    }
  }
})

/** Freezes what a target's reviewers read and lays it out. `run` is the run whose batch begins. */
export const isolated = Effect.fn("Isolate.isolated")(function*(root: string, run: RunRef, what: ToIsolate) {
  const { base: given, link, target, trust } = what
  const store = yield* storeOf(run, root)
  const branch = comparedBranch(target, given)
  const { base, frozen, identity: seen } = target._tag === "Commit"
    ? {
      frozen: yield* frozenCommit(store, target.sha),
      base: null,
      identity: yield* commitIdentity(store, target.sha)
    }
    : yield* presentOf(store, target, branch, {})
  if (seen._tag === "Unknown") return yield* refused(seen.why)
  yield* checkObjects(store, frozen, base === null ? null : base.mergeBase)
  yield* recordFirst(store, frozen.tree)
  const trusted = yield* trustedTree(store, target, base, trust)
  const identity = yield* withInstructions(store, seen, trusted)
  const options: CopyOptions = {
    base: branch === null || base === null || base.compared === null ? null : { name: branch, commit: base.compared },
    trusted,
    link: linksOf(link)
  }
  const directory = isolatedDirectory(run)
  const place = yield* tryFiles(directory, () => {
    makeDirectories(directory)
    return join(realpathSync(directory), nameOf(identity, options, frozen))
  })
  // What an earlier copy was made of may be gone.
  const anew = () => makeCopy(store, frozen, place, options)
  const copy = yield* Effect.catch(laid(store, frozen, place, options), anew)
  yield* tryFiles(store.dir, () => writeRecord(store, copy))
  return { place, identity } satisfies Isolated
})

/** The paths where a copy differs from what was laid out; null without such a copy. */
export const changesIn = Effect.fn("Isolate.changesIn")(function*(root: string, run: RunRef, place: string) {
  const store = yield* storeToRead(run, root)
  const copy = recordedAt(store, place)
  return copy === null ? null : (yield* copyChanges(store, copy)).map(shownName)
})
