// TestText: which tests are told, and how each ended.
import { assert, it } from "vitest"
import { testLines } from "../../../src/drive/Tests.ts"
import { after, tested } from "./plan/histories.ts"

it("tells each test once that has ended, and how", () => {
  const first = after(tested(1, 0, 0))
  const [started] = tested(4, 1, 0)
  const then = after(tested(1, 0, 0), tested(2, 1, 3), tested(3, 1, null, "npm run\nlint"), started)
  assert.deepStrictEqual(testLines(after(), first), ["npm test is green"])
  assert.deepStrictEqual(testLines(first, then), [
    "npm test is red: exit status 3",
    "npm run\\nlint is red: it was killed"
  ])
  assert.deepStrictEqual(testLines(then, then), [])
})
