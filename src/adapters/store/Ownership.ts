// Ownership: whether the directories of a store are this user's alone.
// A directory into which others could have put files is not read, unless the user says that it is trusted.
import * as fs from "node:fs"
import { Effect } from "effect"
import { StoreFailed, TrustStateRoot } from "../../services/RunStore.ts"
import type { StoreReason } from "../../services/StoreReason.ts"
import { hasCode } from "../process/SystemError.ts"
import { attempt } from "./SmallFile.ts"

/** What the system says of a path, links followed; undefined where nothing is there. */
export const factsOf = (path: string): fs.Stats | undefined => {
  try {
    return fs.statSync(path, { throwIfNoEntry: false })
  } catch (error) {
    if (hasCode(error, "ENOTDIR")) return undefined
    throw error
  }
}

/** Why a directory cannot be trusted, or null. One that does not exist yet can be. */
const distrust = (path: string): StoreReason | null => {
  const facts = factsOf(path)
  if (facts === undefined) return null
  if (facts.uid !== process.getuid?.()) return { _tag: "OfAnotherUser" }
  return (facts.mode & 0o022) === 0 ? null : { _tag: "OpenToOthers" }
}

/** Fails on the first of some directories that somebody else owns or can write into. */
export const checkOwn = Effect.fn("RunStore.checkOwn")(function*(paths: Iterable<string>) {
  if (yield* TrustStateRoot) return
  for (const path of paths) {
    const reason = yield* attempt(path, () => distrust(path))
    if (reason !== null) return yield* new StoreFailed({ path, reason })
  }
})
