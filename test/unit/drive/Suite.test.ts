// Suite: which test runs next, and when all are green or one is red.
import { assert, describe, it } from "vitest"
import { suite } from "../../../src/drive/Tests.ts"
import { after, content, type Facts, ran, tested } from "./converge/streams.ts"

const both = ["npm test", "npm run lint"]
const stands = (...events: Facts) => suite(both, after(...events).tests)

describe("the tests of a round", () => {
  it("run in their order", () => {
    assert.deepInclude(stands(), { _tag: "Next", command: "npm test" })
    assert.deepInclude(stands(tested(1, 1, 0)), { _tag: "Next", command: "npm run lint" })
    assert.deepStrictEqual(stands(tested(1, 1, 0), tested(2, 1, 0, "npm run lint")), { _tag: "Green" })
  })

  it("are red when one failed twice, whether it exited or was killed for its time", () => {
    assert.deepInclude(stands(tested(1, 1, 1)), { _tag: "Next", command: "npm test" })
    const red = stands(tested(1, 1, 1), tested(2, 1, null))
    assert.deepInclude(red, { _tag: "Red", command: "npm test" })
    assert.strictEqual(red._tag === "Red" ? red.test.test : 0, 2)
  })

  it("are green when one failed once", () => {
    const all = stands(tested(1, 1, 1), tested(2, 1, 0), tested(3, 1, 0, "npm run lint"))
    assert.deepStrictEqual(all, { _tag: "Green" })
  })

  it("wait for one that was started, and run again one whose end is lost", () => {
    const [started] = tested(1, 1, 0)
    const waiting = stands(started)
    assert.strictEqual(waiting._tag === "Next" ? waiting.running?.started.test : 0, 1)
    const again = stands(started, { _tag: "TestStopped", test: 1, cause: "Lost" })
    assert.deepStrictEqual(again, { _tag: "Next", command: "npm test", running: null })
  })

  it("count for the code that they ran on: all of them run again after one that changed it", () => {
    const changing = ran(2, 1, "b", "c", "npm run lint")
    assert.deepInclude(stands(...ran(1, 1, "b", "b"), ...changing), {
      _tag: "Next",
      command: "npm test",
      running: null
    })
    const again = [...ran(1, 1, "b", "b"), ...changing, ...ran(3, 1, "c", "c")]
    assert.deepInclude(stands(...again), { _tag: "Next", command: "npm run lint" })
    assert.deepStrictEqual(stands(...again, ...ran(4, 1, "c", "c", "npm run lint")), { _tag: "Green" })
    assert.deepInclude(suite(["npm test"], after(...ran(1, 1, "b", "b")).tests, content("c")), { _tag: "Next" })
  })

  it("are red when one has run three times while the code changed", () => {
    const twice = [...ran(1, 1, "b", "c"), ...ran(2, 1, "c", "d")]
    assert.deepInclude(stands(...twice), { _tag: "Next", command: "npm test" })
    const red = stands(...twice, ...ran(3, 1, "d", "e"))
    assert.deepInclude(red, { _tag: "Red", command: "npm test" })
    assert.strictEqual(red._tag === "Red" ? red.test.test : 0, 3)
  })

  it("are green where there are none", () => {
    assert.deepStrictEqual(suite([], []), { _tag: "Green" })
  })
})
