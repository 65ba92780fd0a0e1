// CloneLive: the clone around a directory, by the ids that its repository may have in a store of a fleet.
import { Effect } from "effect"
import { repoIdsOf } from "../../core/fleet/Meant.ts"
import { layer, remoteUrl } from "./GitLive.ts"
import { Git } from "../../services/Git.ts"

/** The clone around a directory: its root, and the ids under which its repository may have been submitted. */
export const cloneAt = Effect.fn("Clone.cloneAt")(function*(cwd: string) {
  const { id, root } = yield* (yield* Git).repository(cwd)
  const url = yield* remoteUrl(cwd)
  const ids = url === null ? [] : repoIdsOf(url)
  return { root, ids: ids.length === 0 ? [id] : ids }
}, Effect.provide(layer))
