// TestConsents.live: a file for each consent below the state root, which only its user can write.
import * as fs from "node:fs"
import { dirname } from "node:path"
import { Effect, Layer } from "effect"
import { repositoryDirectory } from "../log/LogFile.live.ts"
import { recovered } from "../platform/Note.ts"
import { testConsentFile } from "../run/Layout.live.ts"
import { attempt, digestOf, replaceFile } from "../run/SmallFile.live.ts"
import { checkOwn, hide, roots } from "../run/StateRoot.live.ts"
import { jsonText } from "../text/Json.ts"
import { TestConsents, type WorktreeTests } from "./TestConsents.ts"

const textOf = ({ content, worktree }: WorktreeTests): string => jsonText({ worktree: worktree.root, tests: content })

const placeIn = (root: string, tests: WorktreeTests) => {
  const at = { root, repoId: tests.worktree.id }
  const path = testConsentFile(at, digestOf(Buffer.from(textOf(tests))).hex)
  return { at, path, directories: [root, repositoryDirectory(at), dirname(path)] }
}

const isIn = Effect.fnUntraced(
  function*(root: string, tests: WorktreeTests) {
    const { directories, path } = placeIn(root, tests)
    yield* checkOwn(directories)
    return yield* attempt(path, () => fs.lstatSync(path, { throwIfNoEntry: false })?.isFile() === true)
  },
  Effect.tapError(recovered("no consent is taken from that state root")),
  Effect.orElseSucceed(() => false)
)

/** The live layer. */
export const layer: Layer.Layer<TestConsents> = Layer.succeed(
  TestConsents,
  TestConsents.of({
    keep: Effect.fn("TestConsents.keep")(function*(stateRoot: string | null, tests: WorktreeTests) {
      const [root = ""] = yield* roots(stateRoot, tests.worktree.root, true)
      const { at, directories, path } = placeIn(root, tests)
      yield* attempt(path, () => {
        replaceFile(path, `${textOf(tests)}\n`)
        hide(at, tests.worktree.root)
      })
      yield* checkOwn(directories)
    }),
    holds: Effect.fn("TestConsents.holds")(function*(stateRoot: string | null, tests: WorktreeTests) {
      const rootsOf = (named: string | null) =>
        Effect.orElseSucceed(roots(named, tests.worktree.root, false), (): ReadonlyArray<string> => [])
      const all = new Set([...yield* rootsOf(stateRoot), ...yield* rootsOf(null)])
      for (const root of all) if (yield* isIn(root, tests)) return true
      return false
    })
  })
)
