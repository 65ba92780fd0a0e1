// Layout: the layout of the state root, name by name, as the contract gives it.
import { assert, describe, it } from "vitest"
import { logFiles } from "../../../../src/adapters/store/Layout.ts"

const run = {
  root: "/state",
  repoId: "repo-0123456789ab",
  targetKey: "base/feature/x",
  runId: "20300102T030405Z-000000006-p7"
}
const directory = "/state/repo-0123456789ab/base/feature/x/runs/20300102T030405Z-000000006-p7"

describe("the files of a log", () => {
  it("of reviews have the contract's plain names", () =>
    assert.deepStrictEqual(logFiles(run, "review"), {
      directory,
      log: `${directory}/manifest.jsonl`,
      head: `${directory}/head.json`,
      newHead: `${directory}/head.json.new`,
      lock: `${directory}/lock`,
      torn: `${directory}/torn`
    }))

  it("of another kind lie beside them, and share no name with them", () => {
    const [reviews, converge] = [logFiles(run, "review"), logFiles(run, "converge")]
    assert.strictEqual(converge.log, `${directory}/converge.jsonl`)
    const names = [...Object.values(reviews), ...Object.values(converge)]
    assert.strictEqual(new Set(names).size, names.length - 1)
  })
})
