// Git: the git of tests tells of the world's code, and answers what it was given answers for.
import { Effect, Layer, Ref } from "effect"
import { assert, describe, it } from "vitest"
import { sameInput } from "../../../../src/run/Identity.ts"
import { BranchName } from "../../../../src/run/Target.ts"
import { Git } from "../../../../src/code/Git.ts"
import { identityOf, gitLayer } from "../../../../src/testing/memory/Code.ts"
import { layer as world, World } from "../../../../src/testing/World.ts"

const uncommitted = { _tag: "Uncommitted" } as const
const asked = <A, E>(
  effect: Effect.Effect<A, E, Git | World>,
  answers: Parameters<typeof gitLayer>[0] = {}
): Promise<A> => Effect.runPromise(effect.pipe(Effect.provide(Layer.provideMerge(gitLayer(answers), world()))))

describe("git in memory", () => {
  it("has a repository in which everything can be reviewed", async () => {
    const [repository, problem] = await asked(
      Git.use((git) => Effect.all([git.repository("/anywhere"), git.targetProblem("/repo", uncommitted, null)]))
    )
    assert.deepStrictEqual(repository, { root: "/repo", id: "repo-noremote" })
    assert.isNull(problem)
  })

  it("tells another identity of other code, and of another base", async () => {
    const [before, after] = await asked(Effect.gen(function*() {
      const git = yield* Git
      const before = yield* git.identity("/repo", uncommitted, null)
      yield* World.use(({ code }) => Ref.set(code, "code-2"))
      return [before, yield* git.identity("/repo", uncommitted, null)] as const
    }))
    assert.deepStrictEqual(before, identityOf("code-1", null))
    assert.strictEqual(sameInput(before, after), "Different")
    assert.strictEqual(sameInput(identityOf("code-1", BranchName.make("main")), before), "Different")
  })

  it("gives the answers it was given", async () =>
    assert.deepStrictEqual(
      await asked(Git.use((git) => git.repository("/x")), {
        repository: (cwd) => Effect.succeed({ root: cwd, id: "mine" })
      }),
      { root: "/x", id: "mine" }
    ))
})
