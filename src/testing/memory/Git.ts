// Git: the git of tests: its answers are scripted, and the identity of what is reviewed is the world's code.
// A question without a scripted answer gets a plain one, so that a test names only what it is about.
import { Effect, Layer, Ref } from "effect"
import type { Identity } from "../../core/run/Identity.ts"
import { Git } from "../../services/Git.ts"
import { World } from "../World.ts"

/** The identity of a state of the code, as this git tells it. */
export const identityOf = (code: string, base: string | null): Identity => ({
  _tag: "Known",
  head: "head",
  tree: code,
  base
})

/** A git with scripted answers; for what is not given, a repository `/repo` in which every target can be reviewed. */
export const layer = (answers: Partial<Git["Service"]> = {}): Layer.Layer<Git, never, World> =>
  Layer.effect(
    Git,
    Effect.map(World, ({ code }) => {
      const laidOut = new Map<string, string>()
      return Git.of({
        commit: (_, revision) => Effect.succeed(`commit-of-${revision}`),
        branch: () => Effect.succeed("work"),
        exists: () => Effect.succeed(true),
        isIsolated: () => Effect.succeed(true),
        repository: () => Effect.succeed({ root: "/repo", id: "repo-noremote" }),
        identity: (root, _, base) => Effect.map(Ref.get(code), (now) => identityOf(laidOut.get(root) ?? now, base)),
        isolate: (_, { batch, level }, { base }) =>
          Effect.map(Ref.get(code), (now) => {
            const place = `/private/${level}-${batch}`
            laidOut.set(place, now)
            return { place, identity: identityOf(now, base), copy: identityOf(now, base) }
          }),
        targetProblem: () => Effect.succeed(null),
        ...answers
      })
    })
  )
