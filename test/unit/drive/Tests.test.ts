// A test that this machine cannot run is told in one line: what was tried, and why not.
import { assert, it } from "vitest"
import { TestFault } from "../../../src/drive/Tests.ts"

it("a fault says what was tried and why it failed", () => {
  const fault = new TestFault({
    what: "starting test 2",
    reason: { _tag: "NoDirectory", path: "/gone", why: null }
  })
  assert.match(fault.message, /^starting test 2: is not a directory/)
})
